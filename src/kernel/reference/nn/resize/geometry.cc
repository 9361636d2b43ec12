#include "kernel/reference/nn/resize/geometry.h"

#include <algorithm>
#include <optional>

#include "kernel/reference/support/float_access.h"

namespace waybill::kernel::reference {

using graph::infer::ResizeAxis;

Result<ResizeParams> ParseResizeNode(const graph::NodeRef& node) {
  ResizeParams p;
  WB_ASSIGN_OR_RETURN(p.sizes, graph::infer::ParseResize(node.node()));
  WB_ASSIGN_OR_RETURN(p.taps, ParseTaps(node.node()));
  p.extrapolation = static_cast<double>(node.attrs().Float("extrapolation_value"));
  return p;
}

Status ResizeAxesOf(const ResizeParams& p, const Shape& in, const TensorView* scales,
                    const TensorView* sizes, const TensorView* roi, TapAxes* out) {
  if (in.rank() > kMaxResizeRank) {
    return Error(Code::kNotImplemented, "resize of rank {}", in.rank());
  }
  std::array<ResizeAxis, kMaxResizeRank> axes;
  std::span<const float> scale_values;
  std::span<const int64_t> size_values;
  if (p.sizes.scales) {
    scale_values = *p.sizes.scales;
  } else if (scales != nullptr && scales->elems() != 0) {
    if (scales->dtype != DType::kF32) return Error(Code::kInvalidArgument, "scales are not float");
    scale_values = scales->span<const float>();
  } else if (sizes != nullptr && sizes->dtype == DType::kI64) {
    size_values = sizes->span<const int64_t>();
  }
  if (in.rank() != 0) {
    WB_RETURN_IF_ERROR(ResizeAxes(p.sizes, in, scale_values, size_values, axes));
  }
  for (size_t i = 0; i < in.rank(); ++i) {
    (*out)[i].in = in[i];
    (*out)[i].out = axes[i].out;
    (*out)[i].scale = axes[i].scale;
  }
  const auto kept = [](const TapAxis& axis) { return axis.in == axis.out; };
  if (p.taps.nearest == NearestMode::kBySize &&
      std::all_of(out->begin(), out->begin() + static_cast<ptrdiff_t>(in.rank()), kept)) {
    // The old versions state no formula; ONNX Runtime copies what keeps its shape.
    for (TapAxis& axis : *out) axis.scale = 1;
  }
  if (p.taps.coordinates != CoordinateMode::kTfCropAndResize || roi == nullptr) return Status::Ok();
  const size_t entries = p.sizes.axes.empty() ? in.rank() : p.sizes.axes.size();
  if (static_cast<size_t>(roi->elems()) != 2 * entries) {
    return Error(Code::kInvalidArgument, "roi has shape {}, expected [{}]", roi->shape,
                 2 * entries);
  }
  for (size_t i = 0; i < entries; ++i) {
    const auto axis =
        p.sizes.axes.empty() ? std::optional(i) : NormalizeAxis(p.sizes.axes[i], in.rank());
    if (!axis) return Error(Code::kInvalidArgument, "axes are {}", p.sizes.axes);
    (*out)[*axis].roi_begin = ReadFloat(*roi, static_cast<int64_t>(i));
    (*out)[*axis].roi_end = ReadFloat(*roi, static_cast<int64_t>(entries + i));
  }
  return Status::Ok();
}

}  // namespace waybill::kernel::reference
