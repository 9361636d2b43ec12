#include "graph/rewrite/editor.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "graph/infer/infer.h"
#include "graph/infer/types.h"

namespace waybill::graph::rewrite {

namespace {

// Nothing that is known of the two differs, and the types are the same.
bool SameValueType(const ValueType& a, const ValueType& b) {
  if (!a.SameTypeAs(b)) return false;
  if (!a.shape.has_rank() || !b.shape.has_rank()) return true;
  if (a.shape.rank() != b.shape.rank()) return false;
  for (size_t i = 0; i < a.shape.rank(); ++i) {
    if (a.shape[i].known() && b.shape[i].known() && !a.shape[i].SameAs(b.shape[i])) return false;
  }
  return true;
}

std::string Differ(const Value& old, const ValueType& now) {
  return Format("'{}' is {} and would be {}", old.name, old.type.ToString(), now.ToString());
}

}  // namespace

Editor::Editor(Graph& graph, RewriteState& state, std::string where)
    : graph_(graph),
      state_(state),
      where_(std::move(where)),
      order_(graph.order()),
      readers_(graph.Consumers()) {
  uses_.resize(readers_.size());
  is_output_.resize(readers_.size());
  for (size_t i = 0; i < readers_.size(); ++i) uses_[i] = readers_[i].size();
  for (const ValueId id : graph.outputs) is_output_[id] = true;
}

NodeId Editor::SingleReader(ValueId value) const {
  if (uses_[value] != 1 || is_output_[value]) return kNoNode;
  for (const NodeId id : readers_[value]) {
    const Node& node = graph_.node(id);
    if (node.alive && std::count(node.inputs.begin(), node.inputs.end(), value) == 1) return id;
  }
  return kNoNode;  // read by a body only
}

bool Editor::Reads(NodeId id, ValueId value) const {
  const Node& node = graph_.node(id);
  if (!node.alive) return false;
  bool reads = std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end();
  ForEachBody(node, [&](const GraphPtr& body) {
    for (const Capture& capture : body->captures) reads = reads || capture.outer == value;
  });
  return reads;
}

std::vector<NodeId> Editor::Readers(ValueId value) const {
  std::vector<NodeId> out;
  std::unordered_set<NodeId> seen;
  for (const NodeId id : readers_[value]) {
    if (Reads(id, value) && seen.insert(id).second) out.push_back(id);
  }
  return out;
}

bool Editor::ReadOnlyBy(ValueId value, const std::unordered_set<NodeId>& nodes) const {
  if (is_output_[value]) return false;
  for (const NodeId id : readers_[value]) {
    if (nodes.count(id) == 0 && Reads(id, value)) return false;
  }
  return true;
}

bool Editor::IsComputed(ValueId value) const {
  return graph_.value(value).producer != kNoNode && !graph_.value(value).constant.defined();
}

const Constant* Editor::ConstantOf(ValueId value) const {
  if (value == kNoValue) return nullptr;
  const Constant& constant = graph_.value(value).constant;
  return constant.defined() ? &constant : nullptr;
}

std::optional<std::vector<int64_t>> Editor::IntsOf(ValueId value) const {
  const Constant* constant = ConstantOf(value);
  if (constant == nullptr || constant->is_splat()) return std::nullopt;
  const std::byte* data = constant->tensor().view().data;
  std::vector<int64_t> out(static_cast<size_t>(constant->shape().elems()));
  for (size_t i = 0; i < out.size(); ++i) {  // the bytes may lie at an odd address of a file
    if (constant->dtype() == DType::kI64) {
      std::memcpy(&out[i], data + i * sizeof(int64_t), sizeof(int64_t));
    } else if (constant->dtype() == DType::kI32) {
      int32_t number;
      std::memcpy(&number, data + i * sizeof number, sizeof number);
      out[i] = number;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

Result<ValueId> Editor::AddInts(std::string name, const std::vector<int64_t>& numbers) {
  const Shape shape{static_cast<int64_t>(numbers.size())};
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Allocate(DType::kI64, shape, options().source, MemoryTag::kFolded));
  std::copy(numbers.begin(), numbers.end(), tensor.span<int64_t>().begin());
  return AddConstant(std::move(name), Constant(std::move(tensor)));
}

ValueId Editor::Add(Value value) {
  readers_.emplace_back();
  uses_.push_back(0);
  is_output_.push_back(false);
  return graph_.AddValue(std::move(value));
}

ValueId Editor::AddValue(std::string name) {
  Value value;
  value.name = std::move(name);
  return Add(std::move(value));
}

ValueId Editor::AddConstant(std::string name, Constant constant) {
  Value value;
  value.name = std::move(name);
  value.type = ValueType::Tensor(constant.dtype(), SymShape(constant.shape()));
  value.constant = std::move(constant);
  return Add(std::move(value));
}

bool Editor::CheckTypes(const Patch& patch, std::string& why) const {
  for (const auto& list : {patch.replacements, patch.renames}) {
    for (const Patch::Replacement& item : list) {
      const Value& old = graph_.value(item.value);
      const ValueType& now = graph_.value(item.by).type;
      if (!SameValueType(old.type, now)) why = Differ(old, now);
    }
  }
  for (const Patch::NewConstant& item : patch.constants) {
    const Value& old = graph_.value(item.value);
    const ValueType now = ValueType::Tensor(item.constant.dtype(), SymShape(item.constant.shape()));
    if (!SameValueType(old.type, now)) why = Differ(old, now);
  }
  return why.empty();
}

bool Editor::Apply(Patch patch) {
  if (state_.applied >= options().stop_after_patch) {
    state_.report.stopped = true;
    return false;
  }
  std::string why;
  if (!CheckTypes(patch, why) || !Insert(patch, why)) {
    Record(patch, true, why);
    return false;
  }
  ++state_.applied;
  Record(patch, false, {});
  for (Patch::NewConstant& item : patch.constants) {
    SetConstant(item.value, std::move(item.constant));
  }
  for (const Patch::Replacement& item : patch.replacements) Replace(item.value, item.by);
  for (const NodeId id : patch.removed) {
    Remove(id);
    if (!patch.constants.empty()) ForgetShortOfMemory(id);
  }
  for (const Patch::Replacement& item : patch.renames) Rename(item.value, item.by);
  return true;
}

// Adds the patch's nodes and infers them; takes everything back when a type would change.
bool Editor::Insert(Patch& patch, std::string& why) {
  if (patch.inserted.empty()) return true;
  struct Before {
    ValueId id;
    ValueType type;
    NodeId producer;
  };
  std::vector<Before> before;
  std::vector<NodeId> added;
  for (Node& node : patch.inserted) {
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) {
        before.push_back({id, graph_.value(id).type, graph_.value(id).producer});
      }
    }
    node.origin = patch.name;
    added.push_back(graph_.AddNode(std::move(node)));
    const Status status = infer::InferNode(graph_, added.back());
    if (!status.ok()) why = status.message();
  }
  for (const Before& old : before) {
    Value& value = graph_.value(old.id);
    const bool fresh = old.type.kind == ValueKind::kUnknown;
    if (why.empty() && !fresh && !SameValueType(old.type, value.type)) {
      why = Format("'{}' is {} and would be {}", value.name, old.type.ToString(),
                   value.type.ToString());
    }
  }
  if (!why.empty()) {
    for (const Before& old : before) {
      graph_.value(old.id).type = old.type;
      graph_.value(old.id).producer = old.producer;
    }
    for (const NodeId id : added) graph_.node(id).alive = false;
    return false;
  }
  auto& place = inserted_[patch.anchor];
  place.insert(place.end(), added.begin(), added.end());
  for (const NodeId id : added) CountUses(graph_.node(id), id, 1);
  return true;
}

void Editor::CountUses(const Node& node, NodeId id, int by) {
  const auto count = [&](ValueId value) {
    if (value == kNoValue) return;
    uses_[value] += static_cast<size_t>(by);
    if (by > 0) readers_[value].push_back(id);
  };
  for (const ValueId input : node.inputs) count(input);
  ForEachBody(node, [&](const GraphPtr& body) {
    for (const Capture& capture : body->captures) count(capture.outer);
  });
}

void Editor::Replace(ValueId value, ValueId by) {
  for (const NodeId id : std::exchange(readers_[value], {})) {
    Node& node = graph_.node(id);
    if (!node.alive) continue;
    const auto redirect = [&](ValueId& use) {
      if (use != value) return;
      use = by;
      --uses_[value];
      ++uses_[by];
      readers_[by].push_back(id);
    };
    for (ValueId& input : node.inputs) redirect(input);
    ForEachBody(node, [&](const GraphPtr& body) {
      for (Capture& capture : body->captures) redirect(capture.outer);
    });
  }
}

void Editor::Rename(ValueId value, ValueId by) {
  const NodeId producer = graph_.value(by).producer;
  for (ValueId& output : graph_.node(producer).outputs) {
    if (output == by) output = value;
  }
  graph_.value(value).producer = producer;
  graph_.value(by).producer = kNoNode;
  Replace(by, value);
}

void Editor::SetConstant(ValueId value, Constant constant) {
  graph_.value(value).constant = std::move(constant);
  graph_.value(value).contents.reset();
}

void Editor::Remove(NodeId id) {
  Node& node = graph_.node(id);
  if (!node.alive) return;
  CountUses(node, id, -1);
  for (const ValueId output : node.outputs) {
    if (output != kNoValue && graph_.value(output).producer == id) {
      graph_.value(output).producer = kNoNode;
    }
  }
  node.alive = false;
}

void Editor::Finish() {
  std::vector<NodeId> order;
  const auto add = [&](NodeId id) {
    if (graph_.node(id).alive) order.push_back(id);
  };
  for (const NodeId id : order_) {
    if (const auto it = inserted_.find(id); it != inserted_.end()) {
      for (const NodeId fresh : it->second) add(fresh);
    }
    add(id);
  }
  inserted_.clear();
  order_ = order;
  graph_.SetOrder(std::move(order));
}

size_t Editor::RemoveDead() {
  Finish();
  size_t removed = 0;
  const std::vector<NodeId> order = order_;
  std::vector<NodeId> kept;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    Node& node = graph_.node(*it);
    bool wanted = false;
    for (const ValueId output : node.outputs) {
      if (output == kNoValue || graph_.value(output).constant.defined()) continue;
      wanted = wanted || uses_[output] > 0 || is_output_[output];
    }
    if (wanted) {
      kept.push_back(*it);
      continue;
    }
    CountUses(node, *it, -1);
    ForgetShortOfMemory(*it);
    node.alive = false;
    for (const ValueId output : node.outputs) {
      if (output != kNoValue) graph_.value(output).producer = kNoNode;
    }
    ++removed;
  }
  std::reverse(kept.begin(), kept.end());
  order_ = kept;
  graph_.SetOrder(std::move(kept));
  for (ValueId id = 0; id < graph_.num_values(); ++id) {
    if (uses_[id] == 0 && !is_output_[id]) graph_.value(id).constant = Constant();
  }
  return removed;
}

void Editor::NoteShortOfMemory(const Patch& patch, const Status& status) {
  auto& noted = state_.short_of_memory;
  const auto same = [&](const RewriteState::Short& note) {
    return note.graph == &graph_ && note.node == patch.anchor;
  };
  if (std::any_of(noted.begin(), noted.end(), same)) return;
  const std::string node = where_ + graph_.node(patch.anchor).Describe();
  noted.push_back({&graph_, patch.anchor, Format("{}: {}", node, status.ToString())});
  Record(patch, true, status.message());
}

void Editor::ForgetShortOfMemory(NodeId id) {
  std::erase_if(state_.short_of_memory, [&](const RewriteState::Short& note) {
    return note.graph == &graph_ && note.node == id;
  });
}

void Editor::Record(const Patch& patch, bool refused, std::string_view why) {
  PatchRecord record;
  record.number = refused ? 0 : state_.applied;
  record.patch = std::string(patch.name);
  record.node = where_ + graph_.node(patch.anchor).Describe();
  record.what = patch.what;
  record.refused = refused;
  if (refused) record.what += Format(" (refused: {})", why);
  state_.report.patches.push_back(std::move(record));
}

}  // namespace waybill::graph::rewrite
