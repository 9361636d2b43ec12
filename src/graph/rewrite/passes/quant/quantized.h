// What quantized models say in DequantizeLinear and QuantizeLinear, read for the fusions.
#pragma once

#include <optional>

#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

// A quantized tensor: bytes, a constant scale (one, or one for each channel), a constant zero
// point.
struct Quantized {
  NodeId node = kNoNode;  // the DequantizeLinear or QuantizeLinear
  ValueId bytes = kNoValue;
  ValueId scale = kNoValue;
  ValueId zero = kNoValue;  // kNoValue: 0
  DType dtype = DType::kUndefined;
};

// A DequantizeLinear from bytes by one scale and zero point that makes `value`.
std::optional<Quantized> DequantizedBy(const Editor& editor, ValueId value);
// The same from a constant, by one scale or one for each index of axis `axis` of it.
std::optional<Quantized> DequantizedWeights(const Editor& editor, ValueId value, size_t axis);
// The QuantizeLinear to bytes by one scale and zero point that alone reads `value`.
std::optional<Quantized> QuantizedTo(const Editor& editor, ValueId value);

// The zero point's value; a constant of 0 where there is none. Errors: kOutOfMemory.
Result<ValueId> ZeroValue(Editor& editor, const Quantized& quantized);

// Element i of constants of float; of 8 or 32-bit integers.
float FloatAt(const Constant& constant, size_t i);
int32_t IntegerAt(const Constant& constant, size_t i);

// Same scale, zero point and type.
bool SameQuantization(const Editor& editor, const Quantized& a, const Quantized& b);

// The real numbers that bytes of this quantization can stand for.
struct RealRange {
  double low = 0, high = 0;
};
RealRange RangeOf(const Editor& editor, const Quantized& quantized);

}  // namespace waybill::graph::rewrite
