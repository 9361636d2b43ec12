#include "graph/rewrite/passes/layout/layout.h"

#include <cstring>
#include <numeric>

#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

constexpr int kTransposeOpset = 13;

bool IsIdentity(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

Shape Permuted(const Shape& shape, const std::vector<int64_t>& perm) {
  Shape out;
  for (const int64_t axis : perm) out.PushBack(shape[static_cast<size_t>(axis)]);
  return out;
}

// The constant with its axes in the order of `perm`.
Result<Constant> Permute(Editor& editor, const Constant& constant,
                         const std::vector<int64_t>& perm) {
  const Shape shape = Permuted(constant.shape(), perm);
  if (constant.is_splat()) return Constant::Splat(constant.tensor(), shape);
  const auto& source = editor.options().source;
  WB_ASSIGN_OR_RETURN(Tensor to,
                      Tensor::Allocate(constant.dtype(), shape, source, MemoryTag::kFolded));
  const size_t rank = shape.rank(), size = DTypeBits(constant.dtype()) / 8;
  std::vector<int64_t> strides(rank, 1);  // of the old axes
  for (size_t i = rank - 1; i > 0; --i) strides[i - 1] = strides[i] * constant.shape()[i];
  const std::byte* from = constant.tensor().view().data;
  std::vector<int64_t> index(rank, 0);
  for (size_t i = 0, elems = static_cast<size_t>(shape.elems()); i < elems; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < rank; ++d) at += index[d] * strides[static_cast<size_t>(perm[d])];
    std::memcpy(to.view().data + i * size, from + static_cast<size_t>(at) * size, size);
    for (size_t d = rank; d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return Constant(std::move(to));
}

// A constant whose elements have a byte size and can be moved by it.
bool CanPermute(const Constant& constant) {
  return constant.dtype() != DType::kString && DTypeBits(constant.dtype()) >= 8;
}

}  // namespace

std::vector<int64_t> ToChannelsLast(size_t rank) {
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin() + 1, perm.end(), 2);
  perm[rank - 1] = 1;
  return perm;
}

std::vector<int64_t> ToChannelsFirst(size_t rank) {
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin() + 2, perm.end(), 1);
  perm[1] = static_cast<int64_t>(rank) - 1;
  return perm;
}

int64_t AxisInChannelsLast(int64_t axis, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  if (axis < 0) axis += count;
  if (axis == 0) return 0;
  return axis == 1 ? count - 1 : axis - 1;
}

size_t LayoutPass::RankOf(ValueId value) const {
  const ValueType& type = graph().value(value).type;
  return type.is_tensor() && type.shape.has_rank() ? type.shape.rank() : 0;
}

void LayoutPass::AddTranspose(Patch& patch, ValueId from, ValueId to,
                              std::vector<int64_t> perm) const {
  Node node;
  node.name = graph().value(to).name + "/layout";
  node.op_type = "Transpose";
  node.since_version = node.opset = kTransposeOpset;
  node.schema = schema::Find("", "Transpose", kTransposeOpset);
  node.inputs = {from};
  node.outputs = {to};
  node.attrs.Set("perm", std::move(perm));
  patch.inserted.push_back(std::move(node));
}

Result<ValueId> LayoutPass::Twin(ValueId value, Patch& patch) {
  if (const auto it = twins_.find(value); it != twins_.end()) return it->second;
  const std::string name = graph().value(value).name + "/channels_last";
  std::vector<int64_t> perm = ToChannelsLast(RankOf(value));
  if (const Constant* constant = editor_.ConstantOf(value)) {
    WB_ASSIGN_OR_RETURN(Constant permuted, Permute(editor_, *constant, perm));
    return editor_.AddConstant(name, std::move(permuted));
  }
  ValueId from = value;
  const NodeId producer = graph().value(value).producer;
  if (producer != kNoNode && graph().node(producer).Is("Transpose")) {
    const std::vector<int64_t> inner = graph().node(producer).attrs.Ints("perm");
    if (inner.size() == perm.size()) {
      for (int64_t& axis : perm) axis = inner[static_cast<size_t>(axis)];
      from = graph().node(producer).inputs[0];
      if (IsIdentity(perm)) return from;
    }
  }
  const ValueId twin = editor_.AddValue(name);
  AddTranspose(patch, from, twin, std::move(perm));
  return twin;
}

Result<std::optional<ValueId>> LayoutPass::TwinOperand(ValueId value, size_t rank, Patch& patch) {
  std::optional<ValueId> out;
  const Constant* constant = editor_.ConstantOf(value);
  const auto shape = graph().value(value).type.shape.Concrete();
  if (shape && shape->elems() == 1 && shape->rank() <= rank) {
    out = value;
    return out;
  }
  if (RankOf(value) == rank) {
    if (constant != nullptr && !CanPermute(*constant)) return out;
    WB_ASSIGN_OR_RETURN(out, Twin(value, patch));
    return out;
  }
  if (constant == nullptr || !shape || shape->rank() > rank || !CanPermute(*constant)) return out;
  Shape wide;
  for (size_t i = shape->rank(); i < rank; ++i) wide.PushBack(1);
  for (const int64_t dim : shape->dims()) wide.PushBack(dim);
  Constant widened;
  if (constant->is_splat()) {
    widened = Constant::Splat(constant->tensor(), wide);
  } else {
    WB_ASSIGN_OR_RETURN(Tensor reshaped, constant->tensor().Reshaped(wide));
    widened = Constant(std::move(reshaped));
  }
  WB_ASSIGN_OR_RETURN(Constant permuted, Permute(editor_, widened, ToChannelsLast(rank)));
  out = editor_.AddConstant(graph().value(value).name + "/channels_last", std::move(permuted));
  return out;
}

LayoutPass::Draft LayoutPass::Begin(NodeId id, std::string_view why) const {
  const Node& node = graph().node(id);
  return Draft(Patch("channels-last", id, Format("{}: {}", node.Describe(), why)), node);
}

void LayoutPass::Finish(Draft draft, NodeId id) {
  std::vector<std::pair<ValueId, ValueId>> made;
  for (ValueId& output : draft.node.outputs) {
    if (output == kNoValue) continue;
    const ValueId twin = editor_.AddValue(graph().value(output).name + "/channels_last");
    made.push_back({output, twin});
    output = twin;
  }
  std::unordered_map<ValueId, ValueId> fresh;
  for (const Node& node : draft.patch.inserted) {
    // A Transpose of this patch serves later readers of its input too.
    const size_t rank = RankOf(node.inputs[0]);  // 0 for values that the patch makes
    if (node.Is("Transpose") && rank > 1 && node.attrs.Ints("perm") == ToChannelsLast(rank)) {
      fresh[node.inputs[0]] = node.outputs[0];
    }
  }
  draft.patch.inserted.push_back(std::move(draft.node));
  for (const auto& [old, twin] : made) {
    AddTranspose(draft.patch, twin, old, ToChannelsFirst(RankOf(old)));
  }
  draft.patch.removed.push_back(id);
  if (!editor_.Apply(std::move(draft.patch))) return;
  twins_.insert(fresh.begin(), fresh.end());
  twins_.insert(made.begin(), made.end());
}

void LayoutPass::FinishAsIs(Draft draft, NodeId id) {
  draft.patch.inserted.push_back(std::move(draft.node));
  draft.patch.removed.push_back(id);
  editor_.Apply(std::move(draft.patch));
}

Status LayoutPass::Run() {
  for (const NodeId id : std::vector<NodeId>(editor_.order())) {
    if (!graph().node(id).alive || !graph().node(id).HasOutput(0)) continue;
    for (const auto rule :
         {FollowWindow, FollowElementwise, FollowAxes, FollowGeometry, FollowShuffle}) {
      WB_ASSIGN_OR_RETURN(const bool done, rule(*this, id));
      if (done) break;
    }
  }
  return Status::Ok();
}

Status ChooseLayout(Editor& editor) { return LayoutPass(editor).Run(); }

}  // namespace waybill::graph::rewrite
