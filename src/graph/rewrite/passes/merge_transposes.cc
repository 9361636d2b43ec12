// Transpose, a Reshape that joins neighbouring axes, and Transpose again are one Transpose and one
// Reshape.
#include <optional>
#include <vector>

#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

// For each axis of `joined` the axes of `apart`, [begin, end), whose product it is; nothing when it
// is no joining of neighbours. An axis of one element joins the axis before it.
struct Group {
  size_t begin, end;
};
std::optional<std::vector<Group>> Groups(const Shape& apart, const Shape& joined) {
  std::vector<Group> groups;
  size_t at = 0;
  for (size_t i = 0; i < joined.rank(); ++i) {
    Group group{at, at};
    int64_t product = 1;
    while (group.end < apart.rank() && (group.end == group.begin || product < joined[i])) {
      product *= apart[group.end++];
    }
    const size_t left = joined.rank() - i - 1;
    while (group.end < apart.rank() && apart[group.end] == 1 && (left == 0 || joined[i + 1] != 1)) {
      ++group.end;
    }
    if (product != joined[i]) return std::nullopt;
    groups.push_back(group);
    at = group.end;
  }
  if (at != apart.rank()) return std::nullopt;
  return groups;
}

struct Chain {
  NodeId first = kNoNode, reshape = kNoNode;
  ValueId x = kNoValue;
  std::vector<int64_t> first_perm, second_perm;
  std::vector<Group> groups;
  Shape joined;
};

// The chain that ends in Transpose `id`; its inner values have no other reader.
std::optional<Chain> ChainTo(const Editor& editor, NodeId id) {
  const Graph& graph = editor.graph();
  const Node& second = graph.node(id);
  if (!second.Is("Transpose") || !second.attrs.Has("perm")) return std::nullopt;
  const ValueId between = second.inputs[0];
  Chain chain;
  chain.reshape = graph.value(between).producer;
  if (chain.reshape == kNoNode || !graph.node(chain.reshape).Is("Reshape") ||
      editor.SingleReader(between) != id) {
    return std::nullopt;
  }
  const ValueId turned = graph.node(chain.reshape).inputs[0];
  chain.first = graph.value(turned).producer;
  if (chain.first == kNoNode || !graph.node(chain.first).Is("Transpose") ||
      !graph.node(chain.first).attrs.Has("perm") || editor.SingleReader(turned) != chain.reshape) {
    return std::nullopt;
  }
  const auto apart = graph.value(turned).type.shape.Concrete();
  const auto joined = graph.value(between).type.shape.Concrete();
  if (!apart || !joined || apart->elems() == 0) return std::nullopt;
  auto groups = Groups(*apart, *joined);
  if (!groups) return std::nullopt;
  chain.groups = std::move(*groups);
  chain.joined = *joined;
  chain.x = graph.node(chain.first).inputs[0];
  chain.first_perm = graph.node(chain.first).attrs.Ints("perm");
  chain.second_perm = second.attrs.Ints("perm");
  if (chain.second_perm.size() != chain.groups.size()) return std::nullopt;
  return chain;
}

Status Rewrite(Editor& editor, NodeId id) {
  const auto chain = ChainTo(editor, id);
  if (!chain) return Status::Ok();
  std::vector<int64_t> perm, dims;
  for (const int64_t named : chain->second_perm) {
    const auto axis = NormalizeAxis(named, chain->groups.size());
    if (!axis) return Status::Ok();
    dims.push_back(chain->joined[*axis]);
    for (size_t i = chain->groups[*axis].begin; i < chain->groups[*axis].end; ++i) {
      perm.push_back(chain->first_perm[i]);
    }
  }
  WB_ASSIGN_OR_RETURN(Tensor target,
                      Tensor::Allocate(DType::kI64, Shape({static_cast<int64_t>(dims.size())}),
                                       editor.options().source, MemoryTag::kFolded));
  std::copy(dims.begin(), dims.end(), target.span<int64_t>().begin());
  Node transpose = editor.graph().node(id);
  Node reshape = editor.graph().node(chain->reshape);
  reshape.outputs = transpose.outputs;
  transpose.inputs = {chain->x};
  transpose.outputs = {editor.AddValue(transpose.name + "/apart")};
  transpose.attrs.Set("perm", std::move(perm));
  reshape.inputs = {transpose.outputs[0],
                    editor.AddConstant(transpose.name + "/shape", Constant(std::move(target)))};
  Patch patch(
      "merge-transposes", id,
      Format("{} follows {}", transpose.Describe(), editor.graph().node(chain->first).Describe()));
  patch.inserted = {std::move(transpose), std::move(reshape)};
  patch.removed = {id, chain->reshape, chain->first};
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status MergeTransposes(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (!node.alive || !node.HasOutput(0)) continue;
    WB_RETURN_IF_ERROR(Rewrite(editor, id));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
