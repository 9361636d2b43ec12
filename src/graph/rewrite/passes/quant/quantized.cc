#include "graph/rewrite/passes/quant/quantized.h"

#include <cmath>
#include <cstring>

namespace waybill::graph::rewrite {

namespace {

bool IsByte(DType dtype) { return dtype == DType::kU8 || dtype == DType::kI8; }

template <typename T>
T ElementAt(const Constant& constant, size_t i) {
  T value;
  const size_t at = constant.is_splat() ? 0 : i;
  std::memcpy(&value, constant.tensor().view().data + at * sizeof(T), sizeof(T));
  return value;
}

// Scale (float) and zero point (of `dtype`, or omitted) are constants of `lines` elements, or of
// one.
bool AreConstants(const Editor& editor, const Node& node, DType dtype, int64_t lines) {
  const Constant* scale = editor.ConstantOf(node.inputs[1]);
  if (scale == nullptr || scale->dtype() != DType::kF32) return false;
  const auto fits = [&](const Shape& shape) {
    return shape.elems() == 1 || (shape.rank() == 1 && shape[0] == lines);
  };
  if (!fits(scale->shape())) return false;
  for (int64_t i = 0; i < scale->shape().elems(); ++i) {
    const float value = FloatAt(*scale, static_cast<size_t>(i));
    if (!std::isfinite(value) || value <= 0) return false;
  }
  if (!node.HasInput(2)) return true;
  const Constant* zero = editor.ConstantOf(node.inputs[2]);
  return zero != nullptr && zero->dtype() == dtype && fits(zero->shape()) &&
         zero->shape().elems() == scale->shape().elems();
}

bool IsBlocked(const Node& node) { return node.attrs.Int("block_size") != 0; }

Quantized Read(const Node& node, NodeId id, ValueId bytes, DType dtype) {
  return {id, bytes, node.inputs[1], node.HasInput(2) ? node.inputs[2] : kNoValue, dtype};
}

const Node* DequantizeOf(const Editor& editor, ValueId value) {
  if (value == kNoValue) return nullptr;
  const Graph& graph = editor.graph();
  const NodeId producer = graph.value(value).producer;
  if (producer == kNoNode || graph.value(value).type.dtype != DType::kF32) return nullptr;
  const Node& node = graph.node(producer);
  return node.Is("DequantizeLinear") && !IsBlocked(node) ? &node : nullptr;
}

}  // namespace

float FloatAt(const Constant& constant, size_t i) { return ElementAt<float>(constant, i); }

int32_t IntegerAt(const Constant& constant, size_t i) {
  if (constant.dtype() == DType::kU8) return ElementAt<uint8_t>(constant, i);
  if (constant.dtype() == DType::kI8) return ElementAt<int8_t>(constant, i);
  return ElementAt<int32_t>(constant, i);
}

std::optional<Quantized> DequantizedBy(const Editor& editor, ValueId value) {
  const Node* node = DequantizeOf(editor, value);
  if (node == nullptr) return std::nullopt;
  const DType dtype = editor.graph().value(node->inputs[0]).type.dtype;
  if (!IsByte(dtype) || !AreConstants(editor, *node, dtype, 1)) return std::nullopt;
  return Read(*node, editor.graph().value(value).producer, node->inputs[0], dtype);
}

std::optional<Quantized> DequantizedWeights(const Editor& editor, ValueId value, size_t axis) {
  const Node* node = DequantizeOf(editor, value);
  if (node == nullptr) return std::nullopt;
  const Constant* bytes = editor.ConstantOf(node->inputs[0]);
  if (bytes == nullptr || (!IsByte(bytes->dtype()) && bytes->dtype() != DType::kI32)) {
    return std::nullopt;
  }
  const Shape& shape = bytes->shape();
  if (axis >= shape.rank() || !AreConstants(editor, *node, bytes->dtype(), shape[axis])) {
    return std::nullopt;
  }
  if (editor.ConstantOf(node->inputs[1])->shape().elems() != 1) {
    const int64_t along = node->attrs.Int("axis", 1);
    const auto rank = static_cast<int64_t>(shape.rank());
    if ((along < 0 ? along + rank : along) != static_cast<int64_t>(axis)) return std::nullopt;
  }
  return Read(*node, editor.graph().value(value).producer, node->inputs[0], bytes->dtype());
}

std::optional<Quantized> QuantizedTo(const Editor& editor, ValueId value) {
  const Graph& graph = editor.graph();
  const NodeId reader = editor.SingleReader(value);
  if (reader == kNoNode || graph.value(value).type.dtype != DType::kF32) return std::nullopt;
  const Node& node = graph.node(reader);
  if (!node.Is("QuantizeLinear") || node.inputs[0] != value || IsBlocked(node)) return std::nullopt;
  const int64_t precision = node.attrs.Int("precision");
  if (precision != 0 && precision != static_cast<int64_t>(DType::kF32)) return std::nullopt;
  if (!node.HasOutput(0)) return std::nullopt;
  const DType dtype = graph.value(node.outputs[0]).type.dtype;
  if (!IsByte(dtype) || !AreConstants(editor, node, dtype, 1)) return std::nullopt;
  return Read(node, reader, node.outputs[0], dtype);
}

Result<ValueId> ZeroValue(Editor& editor, const Quantized& quantized) {
  if (quantized.zero != kNoValue) return quantized.zero;
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(quantized.dtype, Shape(),
                                                      editor.options().source, MemoryTag::kFolded));
  std::memset(tensor.view().data, 0, tensor.view().bytes());
  return editor.AddConstant("zero_point", Constant(std::move(tensor)));
}

bool SameQuantization(const Editor& editor, const Quantized& a, const Quantized& b) {
  const auto zero = [&](const Quantized& q) {
    return q.zero == kNoValue ? 0 : IntegerAt(*editor.ConstantOf(q.zero), 0);
  };
  return a.dtype == b.dtype && zero(a) == zero(b) &&
         FloatAt(*editor.ConstantOf(a.scale), 0) == FloatAt(*editor.ConstantOf(b.scale), 0);
}

RealRange RangeOf(const Editor& editor, const Quantized& quantized) {
  const double scale = FloatAt(*editor.ConstantOf(quantized.scale), 0);
  const int32_t zero =
      quantized.zero == kNoValue ? 0 : IntegerAt(*editor.ConstantOf(quantized.zero), 0);
  const int32_t least = quantized.dtype == DType::kI8 ? -128 : 0;
  return {(least - zero) * scale, (least + 255 - zero) * scale};
}

}  // namespace waybill::graph::rewrite
