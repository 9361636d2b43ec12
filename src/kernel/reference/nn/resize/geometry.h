// What a Resize or Upsample node and its small inputs say of the axes.
#pragma once

#include <array>

#include "graph/infer/rules/nn/resize.h"
#include "kernel/reference/nn/resize/taps.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

inline constexpr size_t kMaxResizeRank = 16;
using TapAxes = std::array<TapAxis, kMaxResizeRank>;

struct ResizeParams {
  graph::infer::ResizeAttrs sizes;
  TapParams taps;
  double extrapolation = 0;
};

// Errors: kInvalidArgument for unknown modes and contradicting attributes.
Result<ResizeParams> ParseResizeNode(const graph::NodeRef& node);

// The axes of a resize of `in` with the values at hand; null views are absent inputs.
// Errors: kNotImplemented for more than kMaxResizeRank axes, kInvalidArgument for inputs of wrong
// types or lengths.
Status ResizeAxesOf(const ResizeParams& p, const Shape& in, const TensorView* scales,
                    const TensorView* sizes, const TensorView* roi, TapAxes* out);

}  // namespace waybill::kernel::reference
