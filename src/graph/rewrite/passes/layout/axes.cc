// Operators that name axes: the same axes have other numbers in channels last.
#include <algorithm>
#include <array>

#include "graph/rewrite/passes/layout/layout.h"

namespace waybill::graph::rewrite {

namespace {

constexpr std::array kReductions = std::to_array<std::string_view>(
    {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
     "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"});

Status FollowConcat(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  const size_t rank = pass.RankOf(node.outputs[0]);
  size_t with = 0;
  for (const ValueId input : node.inputs) with += pass.HasTwin(input) ? 1 : 0;
  if (rank < 3 || 2 * with <= node.inputs.size() || !node.attrs.Has("axis")) return Status::Ok();
  auto draft =
      pass.Begin(id, Format("{} of its {} inputs are channels last", with, node.inputs.size()));
  for (ValueId& input : draft.node.inputs) {
    if (pass.RankOf(input) != rank) return Status::Ok();
    WB_ASSIGN_OR_RETURN(input, pass.Twin(input, draft.patch));
  }
  draft.node.attrs.Set("axis", AxisInChannelsLast(draft.node.attrs.Int("axis"), rank));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

// One data input, one axis attribute.
Status FollowAxis(LayoutPass& pass, NodeId id, int64_t default_axis) {
  const ValueId x = pass.graph().node(id).inputs[0];
  if (!pass.HasTwin(x)) return Status::Ok();
  auto draft = pass.Begin(id, "its input is channels last");
  const int64_t axis = draft.node.attrs.Int("axis", default_axis);
  draft.node.attrs.Set("axis", AxisInChannelsLast(axis, pass.RankOf(x)));
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(x, draft.patch));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

// Axes of a reduction as attribute or constant; empty when they are not known or none are given.
std::vector<int64_t> ReadAxes(LayoutPass& pass, const Node& node) {
  if (!node.HasInput(1)) return node.attrs.Ints("axes");
  return pass.editor().IntsOf(node.inputs[1]).value_or(std::vector<int64_t>());
}

Status FollowReduce(LayoutPass& pass, NodeId id) {
  const ValueId x = pass.graph().node(id).inputs[0];
  if (!pass.HasTwin(x)) return Status::Ok();
  const size_t rank = pass.RankOf(x);
  std::vector<int64_t> axes = ReadAxes(pass, pass.graph().node(id));
  if (axes.empty()) return Status::Ok();
  const bool keep = pass.graph().node(id).attrs.Int("keepdims", 1) != 0;
  std::vector<bool> reduced(rank, false);
  for (int64_t& axis : axes) {
    axis = AxisInChannelsLast(axis, rank);
    reduced[static_cast<size_t>(axis)] = true;
  }
  // Without the reduced axes the order must come out as before: the channels (last here, second
  // there) or all spatial axes are gone.
  const bool spatial_gone =
      std::all_of(reduced.begin() + 1, reduced.end() - 1, [](bool gone) { return gone; });
  if (!keep && !reduced[rank - 1] && !spatial_gone) return Status::Ok();
  std::sort(axes.begin(), axes.end());
  auto draft = pass.Begin(id, "its input is channels last");
  if (draft.node.HasInput(1)) {
    WB_ASSIGN_OR_RETURN(draft.node.inputs[1],
                        pass.editor().AddInts(pass.graph().value(x).name + "/axes", axes));
  } else {
    draft.node.attrs.Set("axes", std::move(axes));
  }
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(x, draft.patch));
  if (keep) {
    pass.Finish(std::move(draft), id);
  } else {
    pass.FinishAsIs(std::move(draft), id);
  }
  return Status::Ok();
}

}  // namespace

Result<bool> FollowAxes(LayoutPass& pass, NodeId id) {
  constexpr int kSoftmaxOfOneAxis = 13;
  const Node& node = pass.graph().node(id);
  Status status;
  if (node.domain == kInternalDomain && node.op_type == "LayerNormalization") {
    status = FollowAxis(pass, id, -1);
  } else if (!node.domain.empty()) {
    return false;
  } else if (node.Is("Concat")) {
    status = FollowConcat(pass, id);
  } else if (node.Is("Split")) {
    status = FollowAxis(pass, id, 0);
  } else if ((node.Is("Softmax") || node.Is("LogSoftmax")) &&
             node.since_version >= kSoftmaxOfOneAxis) {
    status = FollowAxis(pass, id, -1);
  } else if (std::find(kReductions.begin(), kReductions.end(), node.op_type) != kReductions.end()) {
    status = FollowReduce(pass, id);
  } else {
    return false;
  }
  WB_RETURN_IF_ERROR(std::move(status));
  return true;
}

}  // namespace waybill::graph::rewrite
