// The attributes of Conv with one or two spatial axes, and what they mean for concrete shapes.
#pragma once

#include <array>
#include <cstdint>

#include "base/status/result.h"
#include "cpu/conv/conv_f32.h"
#include "graph/ir/graph.h"
#include "tensor/shape/shape.h"

namespace waybill::cpu {

enum class AutoPad : uint8_t { kNotSet, kValid, kSameUpper, kSameLower };

// Height first; for one spatial axis the height is all ones and zeros.
struct ConvParams {
  size_t spatial = 2;
  int64_t groups = 1;
  std::array<int64_t, 2> strides = {1, 1};
  std::array<int64_t, 2> dilations = {1, 1};
  std::array<int64_t, 2> pads_begin = {0, 0};
  std::array<int64_t, 2> pads_end = {0, 0};
  AutoPad auto_pad = AutoPad::kNotSet;
};

// Spatial axes by the static rank of the weights (input 1), else of the input; 0: not known.
size_t SpatialAxes(const graph::NodeRef& node);

// `spatial` is 1 or 2. Errors: kInvalidArgument for lists of a wrong length, for strides, dilations
// and groups below 1, and for numbers beyond 2^30.
Result<ConvParams> ReadConvParams(const graph::Attributes& attrs, size_t spatial);

// Errors: kInvalidArgument when the shapes contradict each other or the kernel is larger than the
// padded input.
Result<Conv2d> MakeConv2d(const ConvParams& params, const Shape& x, const Shape& w);

}  // namespace waybill::cpu
