// Convolution on plain views, for Conv and for operators that contain one.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/infer/rules/nn/window.h"
#include "kernel/api/plan_context.h"
#include "kernel/api/run_context.h"

namespace waybill::kernel::reference {

// What Plan knows of a convolution and Run needs: sizes in elements.
struct ConvGeometry : PlanState {
  int64_t batch = 0;
  int64_t in_channels = 0, out_channels = 0;  // of all groups together
  int64_t group = 1;
  std::vector<graph::infer::AxisFit> axes;  // spatial axes
  int64_t in_size = 0, out_size = 0;        // elements of one channel
  int64_t taps = 0;                         // elements of one channel of a filter

  int64_t depth() const { return in_channels / group * taps; }
};

// X [N, C, spatial...], W [M, C / group, kernel...].
// Errors: kInvalidArgument when shapes and attributes do not fit.
Result<std::shared_ptr<const ConvGeometry>> MakeConvGeometry(
    const Shape& x, const Shape& w, const graph::infer::WindowAttrs& window, int64_t group);

// Scratch for RunConv with `width` threads.
Result<size_t> ConvScratchBytes(const ConvGeometry& g, size_t width);

// Y [N, M, out...] = X * W + bias. Float types only; all of one type. `bias` may be null.
Status RunConv(RunContext& ctx, const ConvGeometry& g, const TensorView& x, const TensorView& w,
               const TensorView* bias, const TensorView& y, std::byte* scratch);

}  // namespace waybill::kernel::reference
