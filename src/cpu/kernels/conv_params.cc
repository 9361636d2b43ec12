#include "cpu/kernels/conv_params.h"

#include <algorithm>
#include <string>

namespace waybill::cpu {
namespace {

constexpr int64_t kLimit = int64_t{1} << 30;

// Reads `count` numbers of [low, kLimit] into the last places of `out`, or leaves it alone when the
// attribute is absent or empty.
Status ReadList(const graph::Attributes& attrs, const char* name, size_t count, int64_t low,
                int64_t* out) {
  const std::vector<int64_t> values = attrs.Ints(name);
  if (values.empty()) return Status::Ok();
  if (values.size() != count) {
    return Error(Code::kInvalidArgument, "{} has {} numbers instead of {}", name, values.size(),
                 count);
  }
  for (const int64_t value : values) {
    if (value < low || value > kLimit) {
      return Error(Code::kInvalidArgument, "{} holds {}", name, value);
    }
  }
  std::copy(values.begin(), values.end(), out);
  return Status::Ok();
}

Result<AutoPad> ReadAutoPad(const graph::Attributes& attrs) {
  const std::string text = attrs.String("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return AutoPad::kNotSet;
  if (text == "VALID") return AutoPad::kValid;
  if (text == "SAME_UPPER") return AutoPad::kSameUpper;
  if (text == "SAME_LOWER") return AutoPad::kSameLower;
  return Error(Code::kInvalidArgument, "auto_pad is '{}'", text);
}

struct AxisSize {
  int64_t out = 0;
  int64_t pad = 0;
};

Result<AxisSize> SizeAxis(const ConvParams& p, size_t axis, int64_t in, int64_t kernel) {
  const int64_t stride = p.strides[axis];
  const int64_t reach = (kernel - 1) * p.dilations[axis] + 1;
  if (p.auto_pad == AutoPad::kSameUpper || p.auto_pad == AutoPad::kSameLower) {
    const int64_t out = in / stride + (in % stride != 0);
    const int64_t total = std::max<int64_t>((out - 1) * stride + reach - in, 0);
    return AxisSize{out, p.auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2};
  }
  const bool padded = p.auto_pad == AutoPad::kNotSet;
  const int64_t begin = padded ? p.pads_begin[axis] : 0;
  const int64_t end = padded ? p.pads_end[axis] : 0;
  const int64_t room = in + begin + end - reach;
  if (room < 0) {
    if (in == 0) return AxisSize{0, begin};
    return Error(Code::kInvalidArgument, "a kernel of {} does not fit an input of {} padded to {}",
                 reach, in, in + begin + end);
  }
  return AxisSize{room / stride + 1, begin};
}

Status CheckShapes(const ConvParams& p, const Shape& x, const Shape& w) {
  if (x.rank() != p.spatial + 2 || w.rank() != p.spatial + 2) {
    return Error(Code::kInvalidArgument, "input {} and weights {} are not of rank {}", x, w,
                 p.spatial + 2);
  }
  for (size_t i = 2; i < x.rank(); ++i) {
    if (x[i] > kLimit || w[i] > kLimit || w[i] < 1) {
      return Error(Code::kInvalidArgument, "input {} or weights {} have an impossible size", x, w);
    }
  }
  // Divided, not multiplied, so that nothing can overflow.
  const bool channels_fit = x[1] % p.groups == 0 && x[1] / p.groups == w[1];
  if (!channels_fit || w[0] % p.groups != 0 || w[0] == 0) {
    return Error(Code::kInvalidArgument, "input {} and weights {} do not fit with {} groups", x, w,
                 p.groups);
  }
  return Status::Ok();
}

}  // namespace

size_t SpatialAxes(const graph::NodeRef& node) {
  for (const size_t input : {1, 0}) {
    if (!node.has_input(input)) continue;
    const SymShape& shape = node.input_type(input).shape;
    if (shape.has_rank()) return shape.rank() < 2 ? 0 : shape.rank() - 2;
  }
  return 0;
}

Result<ConvParams> ReadConvParams(const graph::Attributes& attrs, size_t spatial) {
  ConvParams p;
  p.spatial = spatial;
  p.groups = attrs.Int("group", 1);
  if (p.groups < 1 || p.groups > kLimit) {
    return Error(Code::kInvalidArgument, "group is {}", p.groups);
  }
  const size_t skip = 2 - spatial;
  WB_RETURN_IF_ERROR(ReadList(attrs, "strides", spatial, 1, p.strides.data() + skip));
  WB_RETURN_IF_ERROR(ReadList(attrs, "dilations", spatial, 1, p.dilations.data() + skip));
  std::array<int64_t, 4> pads = {};
  WB_RETURN_IF_ERROR(ReadList(attrs, "pads", 2 * spatial, -kLimit, pads.data()));
  for (size_t i = 0; i < spatial; ++i) {
    p.pads_begin[skip + i] = pads[i];
    p.pads_end[skip + i] = pads[spatial + i];
  }
  WB_ASSIGN_OR_RETURN(p.auto_pad, ReadAutoPad(attrs));
  return p;
}

Result<Conv2d> MakeConv2d(const ConvParams& p, const Shape& x, const Shape& w) {
  WB_RETURN_IF_ERROR(CheckShapes(p, x, w));
  const auto dim = [&p](const Shape& shape, size_t axis) {
    return axis < 2 - p.spatial ? int64_t{1} : shape[shape.rank() - 2 + axis];
  };
  WB_ASSIGN_OR_RETURN(const AxisSize h, SizeAxis(p, 0, dim(x, 0), dim(w, 0)), "height");
  WB_ASSIGN_OR_RETURN(const AxisSize width, SizeAxis(p, 1, dim(x, 1), dim(w, 1)), "width");
  const auto size = [](int64_t value) { return static_cast<size_t>(value); };
  Conv2d conv;
  conv.batch = size(x[0]);
  conv.groups = size(p.groups);
  conv.in_channels = size(x[1]);
  conv.out_channels = size(w[0]);
  conv.in_h = size(dim(x, 0));
  conv.in_w = size(dim(x, 1));
  conv.out_h = size(h.out);
  conv.out_w = size(width.out);
  conv.kernel_h = size(dim(w, 0));
  conv.kernel_w = size(dim(w, 1));
  conv.stride_h = size(p.strides[0]);
  conv.stride_w = size(p.strides[1]);
  conv.dilation_h = size(p.dilations[0]);
  conv.dilation_w = size(p.dilations[1]);
  conv.pad_top = h.pad;
  conv.pad_left = width.pad;
  return conv;
}

}  // namespace waybill::cpu
