#include "graph/infer/rules/nn/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

constexpr float kMaxSize = 2147483648.0f;

// The tensor axis that entry `i` of scales or sizes speaks of. Errors: out of range.
Result<size_t> EntryAxis(const ResizeAttrs& attrs, size_t i, size_t rank) {
  if (attrs.axes.empty()) return i;
  return Axis(attrs.axes[i], rank);
}

Status CheckCount(const ResizeAttrs& attrs, size_t entries, size_t rank, const char* what) {
  const size_t expected = attrs.axes.empty() ? rank : attrs.axes.size();
  if (entries == expected) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} {} are given, {} are needed", entries, what, expected);
}

// Sizes under a policy that keeps the aspect ratio: one scale for all named axes.
Status KeepAspect(const ResizeAttrs& attrs, const Shape& in, std::span<const int64_t> sizes,
                  std::span<ResizeAxis> out) {
  double common = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, EntryAxis(attrs, i, in.rank()));
    if (in[axis] == 0) return Error(Code::kInvalidArgument, "axis {} of {} is empty", axis, in);
    const double scale = static_cast<double>(sizes[i]) / static_cast<double>(in[axis]);
    const bool first = i == 0;
    if (attrs.policy == AspectPolicy::kNotLarger) {
      common = first ? scale : std::min(common, scale);
    } else {
      common = first ? scale : std::max(common, scale);
    }
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, EntryAxis(attrs, i, in.rank()));
    const double size = std::floor(common * static_cast<double>(in[axis]) + 0.5);
    if (!(size < static_cast<double>(kMaxSize))) {
      return Error(Code::kInvalidArgument, "axis {} of {} would get {} elements", axis, in, size);
    }
    out[axis].out = static_cast<int64_t>(size);
    out[axis].scale = common;
  }
  return Status::Ok();
}

// The floats of a known input; nothing when unknown, absent or empty.
std::optional<std::vector<float>> KnownFloats(const InferContext& ctx, size_t input) {
  const TensorView* view = input == 0 ? nullptr : ctx.input_values(input);
  if (view == nullptr || view->dtype != DType::kF32 || view->elems() == 0) return std::nullopt;
  if (view->elems() > 64) return std::nullopt;
  std::vector<float> out(static_cast<size_t>(view->elems()));
  std::memcpy(out.data(), view->data, out.size() * sizeof(float));
  return out;
}

// Certainly holds something: present, and not known to be empty.
bool CertainlyEmpty(const InferContext& ctx, size_t input) {
  if (input == 0 || !ctx.has_input(input)) return true;
  const auto elems = ctx.input_shape(input).Elems();
  return elems && *elems == 0;
}

Result<SymShape> FromScales(const ResizeAttrs& attrs, const SymShape& x,
                            const std::vector<float>& scales) {
  WB_RETURN_IF_ERROR(CheckCount(attrs, scales.size(), x.rank(), "scales"));
  std::vector<Dim> dims = x.dims();
  for (size_t i = 0; i < scales.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, EntryAxis(attrs, i, x.rank()));
    if (scales[i] == 1.0f) continue;
    dims[axis] = Dim();
    if (!x[axis].known()) continue;
    WB_ASSIGN_OR_RETURN(const int64_t size, ScaledSize(x[axis].value(), scales[i]));
    dims[axis] = size;
  }
  return SymShape(std::move(dims));
}

Result<SymShape> FromSizes(const ResizeAttrs& attrs, const SymShape& x,
                           const std::vector<Dim>& sizes) {
  WB_RETURN_IF_ERROR(CheckCount(attrs, sizes.size(), x.rank(), "sizes"));
  std::vector<Dim> dims = x.dims();
  if (attrs.policy != AspectPolicy::kStretch) {
    std::vector<int64_t> numbers;
    for (const Dim& size : sizes) numbers.push_back(size.value());
    const auto in = x.Concrete();
    const bool known =
        std::all_of(sizes.begin(), sizes.end(), [](const Dim& d) { return d.known(); });
    if (in && known) {
      std::vector<ResizeAxis> axes(in->rank());
      for (size_t i = 0; i < axes.size(); ++i) axes[i].out = (*in)[i];
      WB_RETURN_IF_ERROR(KeepAspect(attrs, *in, numbers, axes));
      for (size_t i = 0; i < axes.size(); ++i) dims[i] = axes[i].out;
      return SymShape(std::move(dims));
    }
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, EntryAxis(attrs, i, x.rank()));
    dims[axis] = attrs.policy == AspectPolicy::kStretch ? sizes[i] : Dim();
  }
  return SymShape(std::move(dims));
}

}  // namespace

Result<ResizeAttrs> ParseResize(const Node& node) {
  ResizeAttrs out;
  const Attributes& attrs = node.attrs;
  if (node.op_type == "Upsample") {
    if (attrs.Has("scales")) {
      out.scales = attrs.Floats("scales");
    } else if (attrs.Has("height_scale") || attrs.Has("width_scale")) {
      out.scales = {1.0f, 1.0f, attrs.Float("height_scale"), attrs.Float("width_scale")};
    } else {
      out.scales_input = 1;
    }
    return out;
  }
  if (node.since_version == 10) {
    out.scales_input = 1;
    return out;
  }
  out.roi_input = 1;
  out.scales_input = 2;
  out.sizes_input = 3;
  out.axes = attrs.Ints("axes");
  const std::string policy = attrs.String("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger") {
    out.policy = AspectPolicy::kNotLarger;
  } else if (policy == "not_smaller") {
    out.policy = AspectPolicy::kNotSmaller;
  } else if (policy != "stretch") {
    return Error(Code::kInvalidArgument, "keep_aspect_ratio_policy is '{}'", policy);
  }
  return out;
}

Result<int64_t> ScaledSize(int64_t in, float scale) {
  if (!(scale > 0)) return Error(Code::kInvalidArgument, "scale {} is not positive", scale);
  const float size = std::floor(static_cast<float>(in) * scale);
  if (!(size < kMaxSize)) {
    return Error(Code::kInvalidArgument, "{} elements times {} are too many", in, scale);
  }
  return static_cast<int64_t>(size);
}

Status ResizeAxes(const ResizeAttrs& attrs, const Shape& in, std::span<const float> scales,
                  std::span<const int64_t> sizes, std::span<ResizeAxis> out) {
  for (size_t i = 0; i < in.rank(); ++i) out[i] = {in[i], 1.0};
  if (sizes.empty()) {
    WB_RETURN_IF_ERROR(CheckCount(attrs, scales.size(), in.rank(), "scales"));
    for (size_t i = 0; i < scales.size(); ++i) {
      WB_ASSIGN_OR_RETURN(const size_t axis, EntryAxis(attrs, i, in.rank()));
      WB_ASSIGN_OR_RETURN(out[axis].out, ScaledSize(in[axis], scales[i]));
      out[axis].scale = static_cast<double>(scales[i]);
    }
    return Status::Ok();
  }
  WB_RETURN_IF_ERROR(CheckCount(attrs, sizes.size(), in.rank(), "sizes"));
  for (const int64_t size : sizes) {
    if (size < 0) return Error(Code::kInvalidArgument, "sizes are {}", sizes);
  }
  if (attrs.policy != AspectPolicy::kStretch) return KeepAspect(attrs, in, sizes, out);
  for (size_t i = 0; i < sizes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const size_t axis, EntryAxis(attrs, i, in.rank()));
    out[axis].out = sizes[i];
    if (in[axis] != 0) {
      out[axis].scale = static_cast<double>(sizes[i]) / static_cast<double>(in[axis]);
    }
  }
  return Status::Ok();
}

Status InferResize(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  if (!x.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ParseResize(ctx.node()));
  std::optional<std::vector<float>> scales = attrs.scales;
  if (!scales) scales = KnownFloats(ctx, attrs.scales_input);
  SymShape out(std::vector<Dim>(x.rank()));
  if (scales) {
    WB_ASSIGN_OR_RETURN(out, FromScales(attrs, x, *scales));
  } else if (!CertainlyEmpty(ctx, attrs.sizes_input)) {
    if (const auto sizes = ctx.SymbolicValues(attrs.sizes_input)) {
      WB_ASSIGN_OR_RETURN(out, FromSizes(attrs, x, *sizes));
    } else if (const auto numbers = ctx.IntValues(attrs.sizes_input)) {
      return Error(Code::kInvalidArgument, "sizes are {}", *numbers);
    }
  } else if (CertainlyEmpty(ctx, attrs.scales_input)) {
    return Error(Code::kInvalidArgument, "neither scales nor sizes are given");
  }
  ctx.SetShape(0, std::move(out));
  return Status::Ok();
}

Status InferUpsample(InferContext& ctx) { return InferResize(ctx); }

}  // namespace waybill::graph::infer
