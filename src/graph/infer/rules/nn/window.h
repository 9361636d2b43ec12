// The geometry of sliding windows: what convolutions and pools read for each output position.
// One place for inference and for every kernel that slides a window.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/attribute.h"

namespace waybill::graph::infer {

enum class AutoPad : uint8_t { kNotSet, kSameUpper, kSameLower, kValid };

// kernel_shape, strides, dilations, pads, auto_pad and ceil_mode as the node has them; an empty
// list is an absent attribute.
struct WindowAttrs {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;  // all begins, then all ends
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
};

// Errors: kInvalidArgument for an unknown auto_pad.
Result<WindowAttrs> ParseWindow(const Attributes& attrs);

// One spatial axis: sizes and distances in elements, all at least 1, pads at least 0.
struct WindowAxis {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  // Elements from the first to the last tap, both included.
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

// The axes of a window of `kernel.size()` spatial axes. `kernel` are the sizes that hold when the
// attribute kernel_shape is absent, and that must equal it otherwise.
// Errors: kInvalidArgument for lists of a wrong length, sizes out of range, or kernel sizes that
// differ.
Result<std::vector<WindowAxis>> WindowAxes(const WindowAttrs& attrs,
                                           std::span<const int64_t> kernel);
// The same into `axes`, which has kernel.size() entries: no heap memory.
Status FillWindowAxes(const WindowAttrs& attrs, std::span<const int64_t> kernel,
                      std::span<WindowAxis> axes);

// Where a window meets an input axis of `in` elements: output position o reads the input elements
// o * stride - pad_begin + t * dilation for taps t, where they exist.
struct AxisFit {
  int64_t in = 0;
  int64_t out = 0;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
};

// The output is as long as the input, whatever that is.
bool KeepsLength(const WindowAxis& axis, AutoPad auto_pad);

// Of a convolution. Errors: kInvalidArgument when the window is larger than the padded axis.
Result<AxisFit> FitWindow(const WindowAxis& axis, AutoPad auto_pad, int64_t in);

// Of a pool: by the specification's formula, which where the window is larger than the padded axis
// gives no output, or with ceil_mode and less than a stride missing a window that is not filled.
// Errors: kInvalidArgument when the formula gives a negative number.
Result<AxisFit> FitPool(const WindowAxis& axis, AutoPad auto_pad, bool ceil_mode, int64_t in);

// The transposed window: input position i adds to the output elements
// i * stride - pad_begin + t * dilation. `output_size` of -1: by the usual formula.
// Errors: kInvalidArgument for an impossible size.
Result<AxisFit> FitTransposed(const WindowAxis& axis, AutoPad auto_pad, int64_t output_padding,
                              int64_t output_size, int64_t in);

}  // namespace waybill::graph::infer
