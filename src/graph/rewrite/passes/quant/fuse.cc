// DequantizeLinear, an operator, QuantizeLinear: the operator on bytes.
#include <cmath>
#include <limits>

#include "graph/rewrite/passes/passes.h"
#include "graph/rewrite/passes/quant/quantized.h"

namespace waybill::graph::rewrite {

namespace {

Node InternalNode(const Node& like, std::string op_type) {
  Node node;
  node.name = like.name;
  node.domain = std::string(kInternalDomain);
  node.op_type = std::move(op_type);
  node.since_version = node.opset = 1;
  return node;
}

// The node that ends at a QuantizeLinear and the operators it takes over.
Patch FusionPatch(const Editor& editor, const Node& node, NodeId id, const Quantized& y) {
  const Node& end = editor.graph().node(y.node);
  Patch patch("fuse-quantized", y.node,
              Format("{} works on bytes up to {}", node.Describe(), end.Describe()));
  patch.removed = {y.node, id};
  return patch;
}

// int32 of the accumulator's scale: real / (x scale * w scale[m]). kNoValue when it is not known or
// does not fit. Errors: kOutOfMemory.
Result<ValueId> QuantizedBias(Editor& editor, ValueId bias, const Quantized& x, const Quantized& w,
                              size_t columns) {
  const Constant* plain = editor.ConstantOf(bias);
  const auto quantized = plain == nullptr ? DequantizedWeights(editor, bias, 0) : std::nullopt;
  if (plain == nullptr && !quantized) return kNoValue;
  const Constant& values = quantized ? *editor.ConstantOf(quantized->bytes) : *plain;
  if (values.shape() != Shape({static_cast<int64_t>(columns)})) return kNoValue;
  if (!quantized && values.dtype() != DType::kF32) return kNoValue;
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kI32, values.shape(),
                                                      editor.options().source, MemoryTag::kFolded));
  const auto spread = [&](ValueId id, size_t i) {
    const Constant& constant = *editor.ConstantOf(id);
    return constant.shape().elems() == 1 ? size_t{0} : i;
  };
  const double x_scale = FloatAt(*editor.ConstantOf(x.scale), 0);
  for (size_t i = 0; i < columns; ++i) {
    double real = 0;
    if (quantized) {
      const int32_t zero =
          quantized->zero == kNoValue
              ? 0
              : IntegerAt(*editor.ConstantOf(quantized->zero), spread(quantized->zero, i));
      real = (static_cast<double>(IntegerAt(values, i)) - zero) *
             FloatAt(*editor.ConstantOf(quantized->scale), spread(quantized->scale, i));
    } else {
      real = FloatAt(values, i);
    }
    const double unit = x_scale * FloatAt(*editor.ConstantOf(w.scale), spread(w.scale, i));
    const double rounded = std::nearbyint(real / unit);
    // Sums are kept modulo 2^32; a bias as large as this would leave them no room.
    if (!(std::abs(rounded) < double{1 << 30})) return kNoValue;
    tensor.span<int32_t>()[i] = static_cast<int32_t>(rounded);
  }
  return editor.AddConstant("bias_quantized", Constant(std::move(tensor)));
}

// x, w and y as QLinearConv wants them. False when a bias can not be quantized.
Result<bool> SetQLinearInputs(Editor& editor, Node& node, const Quantized& x, const Quantized& w,
                              const Quantized& y, ValueId bias, size_t columns) {
  WB_ASSIGN_OR_RETURN(const ValueId x_zero, ZeroValue(editor, x));
  WB_ASSIGN_OR_RETURN(const ValueId w_zero, ZeroValue(editor, w));
  WB_ASSIGN_OR_RETURN(const ValueId y_zero, ZeroValue(editor, y));
  node.inputs = {x.bytes, x.scale, x_zero, w.bytes, w.scale, w_zero, y.scale, y_zero};
  node.outputs = {y.bytes};
  if (bias == kNoValue) return true;
  WB_ASSIGN_OR_RETURN(const ValueId quantized, QuantizedBias(editor, bias, x, w, columns));
  if (quantized == kNoValue) return false;
  node.inputs.push_back(quantized);
  return true;
}

bool IsByte(DType dtype) { return dtype == DType::kU8 || dtype == DType::kI8; }

Status FuseConv(Editor& editor, NodeId id) {
  const Node& conv = editor.graph().node(id);
  if (!conv.HasInput(0) || !conv.HasInput(1)) return Status::Ok();
  const auto x = DequantizedBy(editor, conv.inputs[0]);
  const auto w = DequantizedWeights(editor, conv.inputs[1], 0);
  const auto y = QuantizedTo(editor, conv.outputs[0]);
  if (!x || !w || !y || !IsByte(w->dtype)) return Status::Ok();
  Node node = InternalNode(conv, "QLinearConv");
  node.attrs = conv.attrs;
  Patch patch = FusionPatch(editor, conv, id, *y);
  const auto columns = static_cast<size_t>(editor.ConstantOf(w->bytes)->shape()[0]);
  const ValueId bias = conv.HasInput(2) ? conv.inputs[2] : kNoValue;
  WB_ASSIGN_OR_RETURN(const bool ok, SetQLinearInputs(editor, node, *x, *w, *y, bias, columns));
  if (!ok) return Status::Ok();
  patch.inserted.push_back(std::move(node));
  editor.Apply(std::move(patch));
  return Status::Ok();
}

// A Gemm that is a product and a bias for each column, or a MatMul.
bool IsPlainProduct(const Node& node) {
  if (node.Is("MatMul")) return true;
  return node.Is("Gemm") && node.attrs.Float("alpha", 1) == 1 && node.attrs.Float("beta", 1) == 1 &&
         node.attrs.Int("transA") == 0;
}

Status FuseProduct(Editor& editor, NodeId id) {
  const Node& product = editor.graph().node(id);
  if (!IsPlainProduct(product) || !product.HasInput(0) || !product.HasInput(1)) return Status::Ok();
  const bool transposed = product.Is("Gemm") && product.attrs.Int("transB") != 0;
  const size_t column_axis = transposed ? 0 : 1;
  const auto a = DequantizedBy(editor, product.inputs[0]);
  const auto b = DequantizedWeights(editor, product.inputs[1], column_axis);
  const auto y = QuantizedTo(editor, product.outputs[0]);
  if (!a || !b || !y || !IsByte(b->dtype)) return Status::Ok();
  const Shape b_shape = editor.ConstantOf(b->bytes)->shape();
  if (b_shape.rank() != 2) return Status::Ok();
  Node node = InternalNode(product, "QLinearGemm");
  if (transposed) node.attrs.Set("transB", int64_t{1});
  Patch patch = FusionPatch(editor, product, id, *y);
  const auto columns = static_cast<size_t>(b_shape[column_axis]);
  const ValueId bias = product.HasInput(2) ? product.inputs[2] : kNoValue;
  WB_ASSIGN_OR_RETURN(const bool ok, SetQLinearInputs(editor, node, *a, *b, *y, bias, columns));
  if (!ok) return Status::Ok();
  patch.inserted.push_back(std::move(node));
  editor.Apply(std::move(patch));
  return Status::Ok();
}

Status FuseAdd(Editor& editor, NodeId id) {
  const Node& add = editor.graph().node(id);
  if (!add.HasInput(0) || !add.HasInput(1)) return Status::Ok();
  const auto a = DequantizedBy(editor, add.inputs[0]);
  const auto b = DequantizedBy(editor, add.inputs[1]);
  const auto y = QuantizedTo(editor, add.outputs[0]);
  if (!a || !b || !y) return Status::Ok();
  Node node = InternalNode(add, "QLinearAdd");
  Patch patch = FusionPatch(editor, add, id, *y);
  WB_ASSIGN_OR_RETURN(const bool ok, SetQLinearInputs(editor, node, *a, *b, *y, kNoValue, 0));
  if (!ok) return Status::Ok();
  patch.inserted.push_back(std::move(node));
  editor.Apply(std::move(patch));
  return Status::Ok();
}

Status FusePool(Editor& editor, NodeId id) {
  const Node& pool = editor.graph().node(id);
  const auto x = DequantizedBy(editor, pool.inputs[0]);
  const auto y = QuantizedTo(editor, pool.outputs[0]);
  if (!x || !y) return Status::Ok();
  Node node = InternalNode(pool, "QLinearGlobalAveragePool");
  Patch patch = FusionPatch(editor, pool, id, *y);
  WB_ASSIGN_OR_RETURN(const ValueId x_zero, ZeroValue(editor, *x));
  WB_ASSIGN_OR_RETURN(const ValueId y_zero, ZeroValue(editor, *y));
  node.inputs = {x->bytes, x->scale, x_zero, y->scale, y_zero};
  node.outputs = {y->bytes};
  patch.inserted.push_back(std::move(node));
  editor.Apply(std::move(patch));
  return Status::Ok();
}

// Operators that only move elements of their first input, of any type.
bool MovesElements(const Node& node) {
  for (const char* op : {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice"}) {
    if (node.Is(op)) return true;
  }
  return node.Is("MaxPool") && node.since_version >= 12 && node.outputs.size() == 1;
}

// Between equal quantizations they move the bytes.
Status FuseMove(Editor& editor, NodeId id) {
  const Node& move = editor.graph().node(id);
  if (!move.HasInput(0)) return Status::Ok();
  const auto x = DequantizedBy(editor, move.inputs[0]);
  const auto y = QuantizedTo(editor, move.outputs[0]);
  if (!x || !y || !SameQuantization(editor, *x, *y)) return Status::Ok();
  Node node = move;
  Patch patch = FusionPatch(editor, move, id, *y);
  node.inputs[0] = x->bytes;
  node.outputs = {y->bytes};
  patch.inserted.push_back(std::move(node));
  editor.Apply(std::move(patch));
  return Status::Ok();
}

// A Relu or Clip whose limits the following QuantizeLinear has anyhow.
void DropClamp(Editor& editor, NodeId id) {
  const Graph& graph = editor.graph();
  const Node& clamp = graph.node(id);
  const auto y = QuantizedTo(editor, clamp.outputs[0]);
  if (!y) return;
  double low = 0, high = std::numeric_limits<double>::infinity();
  if (clamp.Is("Clip")) {
    low = -high;
    if (clamp.since_version < 11) {
      low = clamp.attrs.Float("min", std::numeric_limits<float>::lowest());
      high = clamp.attrs.Float("max", std::numeric_limits<float>::max());
    }
    for (size_t i = 1; clamp.since_version >= 11 && i <= 2; ++i) {
      if (!clamp.HasInput(i)) continue;
      const Constant* bound = editor.ConstantOf(clamp.inputs[i]);
      if (bound == nullptr || bound->dtype() != DType::kF32 || bound->shape().elems() != 1) return;
      (i == 1 ? low : high) = FloatAt(*bound, 0);
    }
  }
  const RealRange range = RangeOf(editor, *y);
  if (!(low <= range.low && high >= range.high)) return;
  Patch patch("drop-quantized-clamp", id,
              Format("the range of {} does what {} does", graph.node(y->node).Describe(),
                     clamp.Describe()));
  patch.replacements.push_back({clamp.outputs[0], clamp.inputs[0]});
  patch.removed = {id};
  editor.Apply(std::move(patch));
}

}  // namespace

Status FuseQuantized(Editor& editor) {
  const Graph& graph = editor.graph();
  for (const NodeId id : editor.order()) {
    const Node& node = graph.node(id);
    if (node.alive && (node.Is("Relu") || node.Is("Clip")) && node.HasOutput(0)) {
      DropClamp(editor, id);
    }
  }
  for (const NodeId id : editor.order()) {
    const Node& node = graph.node(id);
    if (!node.alive || !node.HasOutput(0)) continue;
    Status status;  // a patch moves the nodes: `node` is not looked at behind one
    if (node.Is("Conv")) {
      status = FuseConv(editor, id);
    } else if (node.Is("MatMul") || node.Is("Gemm")) {
      status = FuseProduct(editor, id);
    } else if (node.Is("Add")) {
      status = FuseAdd(editor, id);
    } else if (node.Is("GlobalAveragePool")) {
      status = FusePool(editor, id);
    } else if (MovesElements(node)) {
      status = FuseMove(editor, id);
    }
    WB_RETURN_IF_ERROR(std::move(status));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
