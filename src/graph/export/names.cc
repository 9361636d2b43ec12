#include "graph/export/names.h"

#include "graph/export/types.h"
#include "graph/export/walk.h"

namespace waybill::graph::exporting {

namespace {

// Values that live nodes read, themselves or through the captures of their bodies.
std::vector<bool> ReadValues(const Graph& graph) {
  std::vector<bool> out(graph.num_values(), false);
  for (const NodeId id : graph.order()) {
    for (const ValueId input : graph.node(id).inputs) {
      if (input != kNoValue) out[input] = true;
    }
    ForEachBody(graph.node(id), [&](const Graph& body) {
      for (const Capture& capture : body.captures) out[capture.outer] = true;
    });
  }
  return out;
}

std::vector<bool> ComputedValues(const Graph& graph) {
  std::vector<bool> out(graph.num_values(), false);
  for (const NodeId id : graph.order()) {
    for (const ValueId output : graph.node(id).outputs) {
      if (output != kNoValue) out[output] = true;
    }
  }
  return out;
}

}  // namespace

Names::Names(const Graph& main) {
  NameMain(main);
  NameBodiesOf(main);
}

const std::string& Names::Of(const Graph& graph, ValueId id) const {
  static const std::string nothing;
  return id == kNoValue ? nothing : entries_.at(&graph).names[id];
}

bool Names::IsComputed(const Graph& graph, ValueId id) const {
  return entries_.at(&graph).computed[id];
}

const std::vector<ValueId>& Names::body_initializers(const Graph& body) const {
  return entries_.at(&body).initializers;
}

const std::vector<Names::Passed>& Names::passed(const Graph& body) const {
  return entries_.at(&body).passed;
}

const std::vector<std::string>& Names::outputs(const Graph& graph) const {
  return entries_.at(&graph).outputs;
}

std::string Names::Unique(std::string_view wanted) {
  std::string name(wanted.empty() ? std::string_view("value") : wanted);
  if (!wanted.empty() && taken_.insert(name).second) return name;
  size_t& number = next_[name];
  for (;;) {
    std::string numbered = name + "_" + std::to_string(++number);
    if (taken_.insert(numbered).second) return numbered;
  }
}

void Names::AddInitializer(const Constant& constant, const std::string& name) {
  initializers_.push_back({name, &constant});
  const auto dims = constant.shape().dims();
  by_content_.emplace(
      Content{
          AddressOf(constant), constant.dtype(), {dims.begin(), dims.end()}, constant.is_splat()},
      name);
}

const std::string& Names::Shared(const Constant& constant, std::string_view wanted) {
  const auto dims = constant.shape().dims();
  const Content content{
      AddressOf(constant), constant.dtype(), {dims.begin(), dims.end()}, constant.is_splat()};
  auto it = by_content_.find(content);
  if (it == by_content_.end()) {
    AddInitializer(constant, Unique(wanted));
    it = by_content_.find(content);
  }
  return it->second;
}

void Names::NameMain(const Graph& main) {
  Entry& entry = entries_[&main];
  entry.names.resize(main.num_values());
  entry.computed = ComputedValues(main);
  const auto keep = [&](ValueId id) {
    if (entry.names[id].empty()) entry.names[id] = Unique(main.value(id).name);
  };
  for (const ValueId id : main.inputs) keep(id);
  for (const ValueId id : main.outputs) keep(id);
  const std::vector<bool> read = ReadValues(main);
  for (ValueId id = 0; id < main.num_values(); ++id) {
    if (read[id] || entry.computed[id]) keep(id);
    const bool constant = main.value(id).constant.defined() && !entry.computed[id];
    if (constant && !entry.names[id].empty()) {
      AddInitializer(main.value(id).constant, entry.names[id]);
    }
  }
  for (const ValueId id : main.outputs) entry.outputs.push_back(entry.names[id]);
}

void Names::NameBodiesOf(const Graph& graph) {
  for (const NodeId id : graph.order()) {
    ForEachBody(graph.node(id), [&](const Graph& body) { NameBody(graph, body); });
  }
}

void Names::NameBody(const Graph& outer, const Graph& body) {
  Entry& entry = entries_[&body];  // stays where it is
  entry = Entry();
  entry.names.resize(body.num_values());
  entry.computed = ComputedValues(body);
  for (const Capture& capture : body.captures) {
    entry.names[capture.inner] = entries_.at(&outer).names[capture.outer];
  }
  for (const ValueId id : body.inputs) entry.names[id] = Unique(body.value(id).name);
  NameBodyOutputs(body, entry);
  const std::vector<bool> read = ReadValues(body);
  for (ValueId id = 0; id < body.num_values(); ++id) {
    if (!entry.names[id].empty() || (!read[id] && !entry.computed[id])) continue;
    const Value& value = body.value(id);
    entry.names[id] = value.constant.defined() && !entry.computed[id]
                          ? Shared(value.constant, value.name)
                          : Unique(value.name);
  }
  NameBodiesOf(body);
}

void Names::NameBodyOutputs(const Graph& body, Entry& entry) {
  std::unordered_set<ValueId> outside;
  for (const Capture& capture : body.captures) outside.insert(capture.inner);
  for (const ValueId id : body.outputs) {
    const std::string& wanted = body.value(id).name;
    if (outside.count(id) != 0) {
      entry.passed.push_back({Unique(wanted), id});
      entry.outputs.push_back(entry.passed.back().name);
      continue;
    }
    if (entry.names[id].empty()) {
      entry.names[id] = Unique(wanted);
      if (!entry.computed[id] && body.value(id).constant.defined()) {
        entry.initializers.push_back(id);
      }
    }
    entry.outputs.push_back(entry.names[id]);
  }
}

}  // namespace waybill::graph::exporting
