// The attributes of 8-bit convolutions, and what they mean for concrete shapes.
#pragma once

#include "cpu/quant/conv.h"
#include "graph/infer/rules/nn/window.h"
#include "graph/ir/graph.h"
#include "tensor/shape/shape.h"

namespace waybill::cpu {

struct ByteConvParams {
  graph::infer::WindowAttrs window;
  int64_t groups = 1;
  bool channels_last = false;
};

Result<ByteConvParams> ReadByteConv(const graph::Attributes& attrs);

// Groups, channels, kernel and dilations by the filters [M, C / groups, kernel...] alone.
// Errors: kInvalidArgument when they do not fit the attributes.
Result<ByteConv> FiltersOf(const ByteConvParams& params, const Shape& w);

// All of it. `x` is [N, C, spatial...], or [N, spatial..., C] for channels_last.
Result<ByteConv> MakeByteConv(const ByteConvParams& params, const Shape& x, const Shape& w);

}  // namespace waybill::cpu
