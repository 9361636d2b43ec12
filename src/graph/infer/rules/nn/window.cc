#include "graph/infer/rules/nn/window.h"

#include <algorithm>
#include <optional>

#include "base/math/checked.h"

namespace waybill::graph::infer {

namespace {

// Attribute values beyond this are nonsense, and below it window extents cannot overflow.
constexpr int64_t kMaxAttr = int64_t{1} << 30;

Status CheckList(const std::vector<int64_t>& list, size_t count, int64_t min, const char* name) {
  if (list.empty()) return Status::Ok();
  if (list.size() != count) {
    return Error(Code::kInvalidArgument, "{} has {} entries, the window needs {}", name,
                 list.size(), count);
  }
  for (const int64_t v : list) {
    if (v < min || v > kMaxAttr) {
      return Error(Code::kInvalidArgument, "{} contains {}, allowed is [{}, {}]", name, v, min,
                   kMaxAttr);
    }
  }
  return Status::Ok();
}

Status TooSmall(const WindowAxis& axis, int64_t in, int64_t pad_begin, int64_t pad_end) {
  return Error(Code::kInvalidArgument,
               "a window of {} is larger than the axis of {} with pads {}, {}", axis.extent(), in,
               pad_begin, pad_end);
}

AxisFit FitOf(const WindowAxis& axis, int64_t in) {
  AxisFit fit;
  fit.in = in;
  fit.kernel = axis.kernel;
  fit.stride = axis.stride;
  fit.dilation = axis.dilation;
  return fit;
}

}  // namespace

Result<WindowAttrs> ParseWindow(const Attributes& attrs) {
  WindowAttrs out;
  out.kernel = attrs.Ints("kernel_shape");
  out.strides = attrs.Ints("strides");
  out.dilations = attrs.Ints("dilations");
  out.pads = attrs.Ints("pads");
  out.ceil_mode = attrs.Int("ceil_mode") != 0;
  const std::string pad = attrs.String("auto_pad", "NOTSET");
  if (pad == "SAME_UPPER") {
    out.auto_pad = AutoPad::kSameUpper;
  } else if (pad == "SAME_LOWER") {
    out.auto_pad = AutoPad::kSameLower;
  } else if (pad == "VALID") {
    out.auto_pad = AutoPad::kValid;
  } else if (pad != "NOTSET" && !pad.empty()) {
    return Error(Code::kInvalidArgument, "auto_pad is '{}'", pad);
  }
  return out;
}

Result<std::vector<WindowAxis>> WindowAxes(const WindowAttrs& attrs,
                                           std::span<const int64_t> kernel) {
  std::vector<WindowAxis> axes(kernel.size());
  WB_RETURN_IF_ERROR(FillWindowAxes(attrs, kernel, axes));
  return axes;
}

Status FillWindowAxes(const WindowAttrs& attrs, std::span<const int64_t> kernel,
                      std::span<WindowAxis> axes) {
  const size_t n = kernel.size();
  WB_RETURN_IF_ERROR(CheckList(attrs.kernel, n, 1, "kernel_shape"));
  WB_RETURN_IF_ERROR(CheckList(attrs.strides, n, 1, "strides"));
  WB_RETURN_IF_ERROR(CheckList(attrs.dilations, n, 1, "dilations"));
  WB_RETURN_IF_ERROR(CheckList(attrs.pads, 2 * n, 0, "pads"));
  for (size_t i = 0; i < n; ++i) {
    axes[i] = WindowAxis();
    axes[i].kernel = kernel[i];
    if (kernel[i] < 1 || kernel[i] > kMaxAttr) {
      return Error(Code::kInvalidArgument, "kernel size {} of spatial axis {} is out of range",
                   kernel[i], i);
    }
    if (!attrs.kernel.empty() && attrs.kernel[i] != kernel[i]) {
      return Error(Code::kInvalidArgument, "kernel_shape {} differs from the weights' {}",
                   attrs.kernel, kernel);
    }
    if (!attrs.strides.empty()) axes[i].stride = attrs.strides[i];
    if (!attrs.dilations.empty()) axes[i].dilation = attrs.dilations[i];
    if (!attrs.pads.empty() && attrs.auto_pad == AutoPad::kNotSet) {
      axes[i].pad_begin = attrs.pads[i];
      axes[i].pad_end = attrs.pads[n + i];
    }
  }
  return Status::Ok();
}

bool KeepsLength(const WindowAxis& axis, AutoPad auto_pad) {
  if (axis.stride != 1) return false;
  if (auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower) return true;
  const int64_t pads = auto_pad == AutoPad::kNotSet ? axis.pad_begin + axis.pad_end : 0;
  return pads == axis.extent() - 1;
}

namespace {

// How many windows there are, each `stride` after the one before it; `partial`: a last one that the
// axis does not fill counts. `span`: elements left after the first window; negative when it is not
// filled.
int64_t Windows(int64_t span, int64_t stride, bool partial) {
  if (span >= 0) return (partial ? CeilDiv(span, stride) : span / stride) + 1;
  return 1 - (partial ? -span / stride : CeilDiv(-span, stride));
}

}  // namespace

Result<AxisFit> FitWindow(const WindowAxis& axis, AutoPad auto_pad, int64_t in) {
  WB_ASSIGN_OR_RETURN(const AxisFit fit, FitPool(axis, auto_pad, false, in));
  if (fit.out == 0 && in != 0) return TooSmall(axis, in, axis.pad_begin, axis.pad_end);
  return fit;
}

Result<AxisFit> FitPool(const WindowAxis& axis, AutoPad auto_pad, bool ceil_mode, int64_t in) {
  AxisFit fit = FitOf(axis, in);
  const int64_t extent = axis.extent();
  if (auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower) {
    fit.out = CeilDiv(in, axis.stride);
    if (fit.out == 0) return fit;
    // The last window starts inside the input, so this cannot overflow.
    const int64_t last_start = (fit.out - 1) * axis.stride;
    const int64_t pad = std::max<int64_t>(0, extent - (in - last_start));
    fit.pad_begin = auto_pad == AutoPad::kSameUpper ? pad / 2 : pad - pad / 2;
    fit.pad_end = pad - fit.pad_begin;
    return fit;
  }
  fit.pad_begin = axis.pad_begin;
  fit.pad_end = axis.pad_end;
  const auto padded = CheckedAdd(in, axis.pad_begin + axis.pad_end);
  if (!padded) return Error(Code::kInvalidArgument, "axis of {} elements is too long", in);
  const int64_t span = *padded - extent;
  if (span < 0 && in == 0) return fit;
  const int64_t filled = Windows(span, axis.stride, false);
  fit.out = filled;
  if (ceil_mode && auto_pad == AutoPad::kNotSet) {
    fit.out = Windows(span, axis.stride, true);
    // The last window does not start in the padding at the end.
    const auto start = CheckedMul(filled, axis.stride);
    if (filled > 0 && !(start && *start < in + axis.pad_begin)) fit.out = filled;
  }
  if (fit.out < 0) return TooSmall(axis, in, axis.pad_begin, axis.pad_end);
  return fit;
}

Result<AxisFit> FitTransposed(const WindowAxis& axis, AutoPad auto_pad, int64_t output_padding,
                              int64_t output_size, int64_t in) {
  AxisFit fit = FitOf(axis, in);
  if (output_padding < 0 || output_padding > kMaxAttr) {
    return Error(Code::kInvalidArgument, "output_padding {} is out of range", output_padding);
  }
  const auto strided = CheckedMul(std::max<int64_t>(in - 1, 0), axis.stride);
  const auto full =
      strided ? CheckedAdd(*strided, output_padding + axis.extent()) : std::optional<int64_t>();
  if (!full) return Error(Code::kInvalidArgument, "axis of {} elements is too long", in);
  const bool same = auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower;
  if (output_size >= 0 || same) {
    fit.out = output_size >= 0 ? output_size : in * axis.stride;
    const int64_t pad = std::max<int64_t>(0, *full - fit.out);
    fit.pad_begin = auto_pad == AutoPad::kSameUpper ? pad / 2 : pad - pad / 2;
    fit.pad_end = pad - fit.pad_begin;
    return fit;
  }
  fit.pad_begin = axis.pad_begin;
  fit.pad_end = axis.pad_end;
  fit.out = in == 0 ? 0 : *full - axis.pad_begin - axis.pad_end;
  if (fit.out < 0) return TooSmall(axis, in, axis.pad_begin, axis.pad_end);
  return fit;
}

}  // namespace waybill::graph::infer
