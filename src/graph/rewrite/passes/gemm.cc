// Gemm with constant weights becomes the internal MatMul, which takes an epilogue.
#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

// A bias of one number per column, as [N]: the value itself, or a constant in another shape.
// kNoValue when C is something else.
ValueId ColumnBias(Editor& editor, ValueId c, int64_t columns) {
  const ValueType& type = editor.graph().value(c).type;
  const auto shape = type.shape.Concrete();
  if (!shape) return kNoValue;
  if (*shape == Shape({columns})) return c;
  const Constant* constant = editor.ConstantOf(c);
  if (constant == nullptr || *shape != Shape({1, columns})) return kNoValue;
  const std::string name = editor.graph().value(c).name + "/bias";
  if (constant->is_splat()) {
    return editor.AddConstant(name, Constant::Splat(constant->tensor(), Shape({columns})));
  }
  auto reshaped = constant->tensor().Reshaped(Shape({columns}));
  return reshaped.ok() ? editor.AddConstant(name, Constant(std::move(*reshaped))) : kNoValue;
}

void Rewrite(Editor& editor, NodeId id) {
  const Node& gemm = editor.graph().node(id);
  const Constant* b = editor.ConstantOf(gemm.inputs[1]);
  if (b == nullptr || b->dtype() != DType::kF32 || b->shape().rank() != 2) return;
  if (gemm.since_version < 7 || gemm.attrs.Int("transA") != 0) return;
  if (gemm.attrs.Float("alpha", 1) != 1) return;
  const int64_t trans_b = gemm.attrs.Int("transB") != 0 ? 1 : 0;
  Node node;
  if (gemm.HasInput(2)) {
    if (gemm.attrs.Float("beta", 1) != 1) return;
    const ValueId bias = ColumnBias(editor, gemm.inputs[2], b->shape()[trans_b != 0 ? 0 : 1]);
    if (bias == kNoValue) return;
    node.inputs = {kNoValue, kNoValue, bias};
  }
  const Node& old = editor.graph().node(id);
  node.inputs.resize(3, kNoValue);
  node.inputs[0] = old.inputs[0];
  node.inputs[1] = old.inputs[1];
  node.name = old.name;
  node.domain = std::string(kInternalDomain);
  node.op_type = "MatMul";
  node.since_version = node.opset = 1;
  node.outputs = old.outputs;
  node.attrs.Set("transB", trans_b);
  Patch patch("gemm-to-matmul", id, Format("{} has constant weights", old.Describe()));
  patch.inserted.push_back(std::move(node));
  patch.removed = {id};
  editor.Apply(std::move(patch));
}

}  // namespace

Status RewriteGemms(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (node.alive && node.Is("Gemm") && node.HasOutput(0)) Rewrite(editor, id);
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
