// A BatchNormalization that no convolution took over becomes an Elementwise node, so that it joins
// the elementwise nodes around it.
#include "graph/rewrite/passes/affine/affine.h"
#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

Result<ValueId> AddPerChannel(Editor& editor, std::string name, const std::vector<double>& numbers,
                              size_t rank) {
  Shape shape{static_cast<int64_t>(numbers.size())};
  for (size_t i = 2; i < rank; ++i) shape.PushBack(1);
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kF32, shape, editor.options().source,
                                                      MemoryTag::kFolded));
  for (size_t c = 0; c < numbers.size(); ++c) {
    tensor.span<float>()[c] = static_cast<float>(numbers[c]);
  }
  return editor.AddConstant(std::move(name), Constant(std::move(tensor)));
}

Status Split(Editor& editor, NodeId id) {
  const Graph& graph = editor.graph();
  const ValueId x = graph.node(id).inputs[0], y = graph.node(id).outputs[0];
  const ValueType& type = graph.value(x).type;
  if (type.dtype != DType::kF32 || graph.value(y).type.dtype != DType::kF32) return Status::Ok();
  if (!type.shape.has_rank() || type.shape.rank() < 2 || !type.shape[1].known()) {
    return Status::Ok();
  }
  const size_t rank = type.shape.rank();
  WB_ASSIGN_OR_RETURN(const auto affine, ReadAffine(editor, graph.node(id), x, rank, 1,
                                                    static_cast<size_t>(type.shape[1].value())));
  if (!affine) return Status::Ok();
  const std::string name = graph.value(y).name;
  WB_ASSIGN_OR_RETURN(const ValueId factor,
                      AddPerChannel(editor, name + "/factor", affine->factor, rank));
  WB_ASSIGN_OR_RETURN(const ValueId shift,
                      AddPerChannel(editor, name + "/shift", affine->shift, rank));
  const Node& norm = graph.node(id);
  Node node;
  node.name = norm.name;
  node.domain = std::string(kInternalDomain);
  node.op_type = "Elementwise";
  node.since_version = node.opset = 1;
  node.inputs = {x, factor, shift};
  node.outputs = {y};
  node.attrs.Set("expr", std::string("Mul(x0,x1);Add(t0,x2)"));
  Patch patch("split-batch-norm", id, Format("{} scales and shifts", norm.Describe()));
  patch.inserted.push_back(std::move(node));
  patch.removed = {id};
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status SplitBatchNorms(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (node.alive && node.Is("BatchNormalization") && node.HasOutput(0)) {
      WB_RETURN_IF_ERROR(Split(editor, id));
    }
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
