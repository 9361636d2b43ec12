// Channel shuffle: [N, g * c, spatial] as [N, g, c, spatial], the two swapped, and back. In
// channels last the same happens on the last axis alone.
#include "graph/rewrite/passes/layout/layout.h"

namespace waybill::graph::rewrite {

namespace {

struct Shuffle {
  ValueId x = kNoValue;
  NodeId split = kNoNode, swap = kNoNode;
  int64_t groups = 0, size = 0;
};

// The shuffle that ends in the Reshape `id`.
std::optional<Shuffle> Match(const LayoutPass& pass, NodeId id) {
  const Graph& graph = pass.graph();
  const Node& merge = graph.node(id);
  Shuffle out;
  out.swap = graph.value(merge.inputs[0]).producer;
  if (out.swap == kNoNode || !graph.node(out.swap).Is("Transpose")) return std::nullopt;
  const ValueId divided = graph.node(out.swap).inputs[0];
  out.split = graph.value(divided).producer;
  if (out.split == kNoNode || !graph.node(out.split).Is("Reshape")) return std::nullopt;
  out.x = graph.node(out.split).inputs[0];
  const auto before = graph.value(out.x).type.shape.Concrete();
  const auto middle = graph.value(divided).type.shape.Concrete();
  const auto after = graph.value(merge.outputs[0]).type.shape.Concrete();
  if (!before || !middle || !after || *before != *after || before->rank() < 3) return std::nullopt;
  const size_t rank = before->rank();
  if (middle->rank() != rank + 1 || (*middle)[0] != (*before)[0]) return std::nullopt;
  for (size_t i = 2; i < rank; ++i) {
    if ((*middle)[i + 1] != (*before)[i]) return std::nullopt;
  }
  std::vector<int64_t> perm{0, 2, 1};
  for (size_t i = 3; i <= rank; ++i) perm.push_back(static_cast<int64_t>(i));
  if (graph.node(out.swap).attrs.Ints("perm") != perm) return std::nullopt;
  out.groups = (*middle)[1];
  out.size = (*middle)[2];
  return out;
}

Status Follow(LayoutPass& pass, NodeId id, const Shuffle& shuffle) {
  const Graph& graph = pass.graph();
  const Shape shape = *graph.value(shuffle.x).type.shape.Concrete();
  const size_t rank = shape.rank();
  std::vector<int64_t> whole{shape[0]}, divided, perm;
  for (size_t i = 2; i < rank; ++i) whole.push_back(shape[i]);
  divided = whole;
  divided.insert(divided.end(), {shuffle.groups, shuffle.size});
  whole.push_back(shape[1]);
  for (size_t i = 0; i + 1 < rank; ++i) perm.push_back(static_cast<int64_t>(i));
  perm.insert(perm.end(), {static_cast<int64_t>(rank), static_cast<int64_t>(rank) - 1});

  auto draft = pass.Begin(id, "a channel shuffle of a channels-last value");
  const std::string name = graph.value(graph.node(id).outputs[0]).name;
  Node split = graph.node(shuffle.split), swap = graph.node(shuffle.swap);
  WB_ASSIGN_OR_RETURN(split.inputs[0], pass.Twin(shuffle.x, draft.patch));
  if (split.inputs.size() < 2 || draft.node.inputs.size() < 2) return Status::Ok();  // version 1
  WB_ASSIGN_OR_RETURN(split.inputs[1], pass.editor().AddInts(name + "/divided", divided));
  split.outputs[0] = pass.editor().AddValue(name + "/divided");
  split.attrs.Remove("allowzero");  // which early versions do not know
  swap.inputs[0] = split.outputs[0];
  swap.outputs[0] = pass.editor().AddValue(name + "/swapped");
  swap.attrs.Set("perm", std::move(perm));
  draft.node.inputs[0] = swap.outputs[0];
  WB_ASSIGN_OR_RETURN(draft.node.inputs[1], pass.editor().AddInts(name + "/whole", whole));
  draft.node.attrs.Remove("allowzero");  // which early versions do not know
  draft.patch.inserted.push_back(std::move(split));
  draft.patch.inserted.push_back(std::move(swap));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

}  // namespace

Result<bool> FollowShuffle(LayoutPass& pass, NodeId id) {
  if (!pass.graph().node(id).Is("Reshape")) return false;
  const auto shuffle = Match(pass, id);
  if (shuffle && pass.HasTwin(shuffle->x)) WB_RETURN_IF_ERROR(Follow(pass, id, *shuffle));
  return true;
}

}  // namespace waybill::graph::rewrite
