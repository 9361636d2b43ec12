// Convolutions start the channels-last layout; pools follow it.
#include "graph/rewrite/passes/elementwise/producer.h"
#include "graph/rewrite/passes/layout/layout.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

bool IsF32(const Graph& graph, const Node& node) {
  return graph.value(node.inputs[0]).type.dtype == DType::kF32;
}

// One or two spatial axes.
bool IsImage(size_t rank) { return rank == 3 || rank == 4; }

Status FollowConv(LayoutPass& pass, NodeId id) {
  const ValueId x = pass.graph().node(id).inputs[0];
  const size_t rank = pass.RankOf(x);
  if (!IsImage(rank) || !IsF32(pass.graph(), pass.graph().node(id))) return Status::Ok();
  if (pass.graph().node(id).attrs.Int("channels_last") != 0) return Status::Ok();
  auto draft = pass.Begin(id, pass.HasTwin(x) ? "its input is channels last already"
                                              : "a convolution is fastest over channels last");
  draft.node = AsInternal(draft.node);
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(x, draft.patch));
  for (size_t i = 3; i < draft.node.inputs.size(); ++i) {  // operands of the epilogue
    WB_ASSIGN_OR_RETURN(const auto twin, pass.TwinOperand(draft.node.inputs[i], rank, draft.patch));
    if (!twin) return Status::Ok();
    draft.node.inputs[i] = *twin;
  }
  draft.node.attrs.Set("channels_last", int64_t{1});
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

Status FollowPool(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  if (!pass.HasTwin(node.inputs[0]) || node.outputs.size() != 1) return Status::Ok();
  if (!IsImage(pass.RankOf(node.inputs[0])) || !IsF32(pass.graph(), node)) return Status::Ok();
  if (node.attrs.Int("storage_order") != 0) return Status::Ok();
  auto draft = pass.Begin(id, "its input is channels last");
  draft.node = AsInternal(draft.node);
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(draft.node.inputs[0], draft.patch));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

// The mean or maximum over all spatial axes.
Status FollowGlobalPool(LayoutPass& pass, NodeId id, const char* reduce) {
  constexpr int kReduceOpset = 13;
  const ValueId x = pass.graph().node(id).inputs[0];
  const size_t rank = pass.RankOf(x);
  if (!pass.HasTwin(x) || rank < 3) return Status::Ok();
  auto draft = pass.Begin(id, "its input is channels last");
  draft.node.op_type = reduce;
  draft.node.since_version = draft.node.opset = kReduceOpset;
  draft.node.schema = schema::Find("", reduce, kReduceOpset);
  draft.node.attrs = Attributes();
  std::vector<int64_t> axes;
  for (size_t i = 1; i + 1 < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  draft.node.attrs.Set("axes", std::move(axes));
  draft.node.attrs.Set("keepdims", int64_t{1});
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(x, draft.patch));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

}  // namespace

Result<bool> FollowWindow(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  if (!node.domain.empty() && node.domain != kInternalDomain) return false;
  Status status;
  if (node.op_type == "Conv" || node.op_type == "ConvTranspose") {
    status = FollowConv(pass, id);
  } else if (node.Is("MaxPool") || node.Is("AveragePool") || node.Is("LRN")) {
    status = FollowPool(pass, id);
  } else if (node.Is("GlobalAveragePool")) {
    status = FollowGlobalPool(pass, id, "ReduceMean");
  } else if (node.Is("GlobalMaxPool")) {
    status = FollowGlobalPool(pass, id, "ReduceMax");
  } else {
    return false;
  }
  WB_RETURN_IF_ERROR(std::move(status));
  return true;
}

}  // namespace waybill::graph::rewrite
