// Operators with one number per axis (Resize, Pad), lists of axes (Slice), and Transpose.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "graph/rewrite/passes/layout/layout.h"

namespace waybill::graph::rewrite {

namespace {

// A constant vector of `count` elements with element i taken from place order[i].
Result<std::optional<ValueId>> Reorder(LayoutPass& pass, ValueId value,
                                       const std::vector<size_t>& order) {
  std::optional<ValueId> out;
  const Constant& constant = pass.graph().value(value).constant;
  if (!constant.defined() || constant.shape() != Shape({static_cast<int64_t>(order.size())})) {
    return out;
  }
  if (constant.is_splat()) {
    out = value;
    return out;
  }
  const size_t size = DTypeBits(constant.dtype()) / 8;
  WB_ASSIGN_OR_RETURN(Tensor to,
                      Tensor::Allocate(constant.dtype(), constant.shape(),
                                       pass.editor().options().source, MemoryTag::kFolded));
  for (size_t i = 0; i < order.size(); ++i) {
    std::memcpy(to.view().data + i * size, constant.tensor().view().data + order[i] * size, size);
  }
  out = pass.editor().AddConstant(pass.graph().value(value).name + "/channels_last",
                                  Constant(std::move(to)));
  return out;
}

// Places of a vector with `parts` numbers per axis (begin and end of pads: 2).
std::vector<size_t> Places(size_t rank, size_t parts) {
  std::vector<size_t> out;
  for (size_t part = 0; part < parts; ++part) {
    for (const int64_t axis : ToChannelsLast(rank)) {
      out.push_back(part * rank + static_cast<size_t>(axis));
    }
  }
  return out;
}

bool IsEmptyConstant(const LayoutPass& pass, const Node& node, size_t input) {
  if (!node.HasInput(input)) return true;
  const Constant& constant = pass.graph().value(node.inputs[input]).constant;
  return constant.defined() && constant.shape().elems() == 0;
}

Status FollowResize(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  const ValueId x = node.inputs[0];
  if (node.since_version < 11 || node.attrs.Has("axes")) return Status::Ok();
  if (node.attrs.String("coordinate_transformation_mode") == "tf_crop_and_resize") {
    return Status::Ok();
  }
  const size_t rank = pass.RankOf(x);
  auto draft = pass.Begin(id, "its input is channels last");
  for (size_t i = 2; i < node.inputs.size(); ++i) {  // scales, sizes
    if (IsEmptyConstant(pass, pass.graph().node(id), i)) continue;
    WB_ASSIGN_OR_RETURN(const auto moved, Reorder(pass, draft.node.inputs[i], Places(rank, 1)));
    if (!moved) return Status::Ok();
    draft.node.inputs[i] = *moved;
  }
  // The region is not read, but version 11 wants one.
  if (draft.node.HasInput(1) && draft.node.since_version >= 13) draft.node.inputs[1] = kNoValue;
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(x, draft.patch));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

Status FollowPad(LayoutPass& pass, NodeId id) {
  const ValueId x = pass.graph().node(id).inputs[0];
  const size_t rank = pass.RankOf(x);
  auto draft = pass.Begin(id, "its input is channels last");
  if (draft.node.HasInput(3)) return Status::Ok();  // pads of some axes only
  if (draft.node.HasInput(1)) {
    WB_ASSIGN_OR_RETURN(const auto moved, Reorder(pass, draft.node.inputs[1], Places(rank, 2)));
    if (!moved) return Status::Ok();
    draft.node.inputs[1] = *moved;
  } else {
    const std::vector<int64_t> pads = draft.node.attrs.Ints("pads");
    if (pads.size() != 2 * rank) return Status::Ok();
    std::vector<int64_t> moved;
    for (const size_t place : Places(rank, 2)) moved.push_back(pads[place]);
    draft.node.attrs.Set("pads", std::move(moved));
  }
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(x, draft.patch));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

// Axes that a Slice cuts; without a list, the first ones.
std::optional<std::vector<int64_t>> SliceAxes(LayoutPass& pass, const Node& node) {
  if (node.HasInput(3)) return pass.editor().IntsOf(node.inputs[3]);
  const SymShape& starts = pass.graph().value(node.inputs[1]).type.shape;
  if (!starts.has_rank() || starts.rank() != 1 || !starts[0].known()) return std::nullopt;
  std::vector<int64_t> axes(static_cast<size_t>(starts[0].value()));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Status FollowSlice(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  const ValueId x = node.inputs[0];
  const size_t rank = pass.RankOf(x);
  if (node.since_version < 10) return Status::Ok();
  auto axes = SliceAxes(pass, node);
  if (!axes) return Status::Ok();
  const DType index_type = pass.graph().value(node.inputs[1]).type.dtype;
  if (index_type != DType::kI64) return Status::Ok();
  for (int64_t& axis : *axes) axis = AxisInChannelsLast(axis, rank);
  auto draft = pass.Begin(id, "its input is channels last");
  if (draft.node.inputs.size() < 4) draft.node.inputs.resize(4, kNoValue);
  WB_ASSIGN_OR_RETURN(draft.node.inputs[3],
                      pass.editor().AddInts(pass.graph().value(x).name + "/axes", *axes));
  WB_ASSIGN_OR_RETURN(draft.node.inputs[0], pass.Twin(x, draft.patch));
  pass.Finish(std::move(draft), id);
  return Status::Ok();
}

// A Transpose of a value with a twin reads the twin; when it undoes the layout, nothing is left.
Status FollowTranspose(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  const ValueId x = node.inputs[0];
  const size_t rank = pass.RankOf(x);
  std::vector<int64_t> perm = node.attrs.Ints("perm");
  if (perm.empty()) {
    for (size_t i = rank; i > 0; --i) perm.push_back(static_cast<int64_t>(i) - 1);
  }
  if (perm.size() != rank) return Status::Ok();
  const std::vector<int64_t> first = ToChannelsFirst(rank);
  bool identity = true;
  for (size_t i = 0; i < rank; ++i) {
    perm[i] = first[static_cast<size_t>(perm[i])];
    identity = identity && perm[i] == static_cast<int64_t>(i);
  }
  auto draft = pass.Begin(id, "its input is channels last");
  WB_ASSIGN_OR_RETURN(const ValueId twin, pass.Twin(x, draft.patch));
  const ValueId y = draft.node.outputs[0];
  if (identity && !pass.editor().is_output(y)) {
    draft.patch.replacements.push_back({y, twin});
    draft.patch.removed.push_back(id);
    pass.editor().Apply(std::move(draft.patch));
    return Status::Ok();
  }
  draft.node.inputs[0] = twin;
  draft.node.attrs.Set("perm", std::move(perm));
  pass.FinishAsIs(std::move(draft), id);
  return Status::Ok();
}

}  // namespace

Result<bool> FollowGeometry(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  if (!node.domain.empty() || node.inputs.empty()) return false;
  Status (*follow)(LayoutPass&, NodeId) = nullptr;
  if (node.Is("Resize")) follow = FollowResize;
  if (node.Is("Pad")) follow = FollowPad;
  if (node.Is("Slice")) follow = FollowSlice;
  if (node.Is("Transpose")) follow = FollowTranspose;
  if (follow == nullptr) return false;
  if (pass.HasTwin(node.inputs[0])) WB_RETURN_IF_ERROR(follow(pass, id));
  return true;
}

}  // namespace waybill::graph::rewrite
