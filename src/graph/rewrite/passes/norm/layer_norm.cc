// A layer normalisation that is written out becomes LayerNormalization: the standard operator where
// it runs over the last axis, the internal one over any other.
#include "graph/rewrite/passes/norm/layer_norm_match.h"
#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

constexpr int kOpset = 17;  // the first that has the operator

// A scale of ones, where the graph has none. Undefined when the length is not known.
Result<Constant> Ones(Editor& editor, const LayerNormMatch& match) {
  const Dim& places = editor.graph().value(match.x).type.shape[match.axis];
  if (!places.known()) return Constant();
  WB_ASSIGN_OR_RETURN(Tensor one, Tensor::Allocate(DType::kF32, Shape(), editor.options().source,
                                                   MemoryTag::kFolded));
  one.span<float>()[0] = 1;
  return Constant::Splat(std::move(one), Shape({places.value()}));
}

// The operator without its inputs and outputs.
Node NewNorm(const Graph& graph, const LayerNormMatch& match) {
  const auto is_row = [&](ValueId value) {
    return value == kNoValue || graph.value(value).type.shape.rank() == 1;
  };
  const bool standard = match.axis + 1 == graph.value(match.x).type.shape.rank() &&
                        is_row(match.scale) && is_row(match.bias);
  Node norm;
  norm.name = graph.node(match.last).name;
  norm.op_type = "LayerNormalization";
  if (!standard) norm.domain = std::string(kInternalDomain);
  norm.since_version = norm.opset = standard ? kOpset : 1;
  norm.schema = schema::Find(norm.domain, norm.op_type, norm.opset);
  norm.attrs.Set("axis", standard ? int64_t{-1} : static_cast<int64_t>(match.axis));
  norm.attrs.Set("epsilon", match.epsilon);
  if (standard) norm.attrs.Set("stash_type", int64_t{1});
  return norm;
}

Status Fuse(Editor& editor, const LayerNormMatch& match) {
  const Graph& graph = editor.graph();
  Node norm = NewNorm(graph, match);
  norm.inputs = {match.x, match.scale, match.bias};
  if (match.bias == kNoValue) norm.inputs.pop_back();
  norm.outputs = {graph.node(match.last).outputs[0]};
  if (match.scale == kNoValue) {
    WB_ASSIGN_OR_RETURN(Constant ones, Ones(editor, match));
    if (!ones.defined()) return Status::Ok();
    norm.inputs[1] =
        editor.AddConstant(graph.value(norm.outputs[0]).name + "/scale", std::move(ones));
  }
  Patch patch("fuse-layer-norm", match.last,
              Format("'{}' is normalised over axis {}", graph.value(match.x).name, match.axis));
  patch.inserted.push_back(std::move(norm));
  patch.removed = match.nodes;
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status FuseLayerNorms(Editor& editor) {
  LayerNormMatcher matcher(editor);
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (!node.alive || !node.HasOutput(0)) continue;
    if (editor.graph().value(node.outputs[0]).type.dtype != DType::kF32) continue;
    if (const auto match = matcher.Find(id)) WB_RETURN_IF_ERROR(Fuse(editor, *match));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
