#include "graph/import/scope.h"

#include "graph/import/tensor_import.h"

namespace waybill::graph::importing {

std::optional<ValueId> Scope::Resolve(std::string_view name) {
  if (const auto it = names.find(name); it != names.end()) return it->second.value;
  Scope* const outside = written_in != nullptr ? written_in : parent;
  if (outside == nullptr) return std::nullopt;
  std::optional<ValueId> value = outside->Resolve(name);
  if (value && *value != kNoValue) value = Capture(*outside, *value);
  if (value) names.emplace(name, Definition{*value, kBeforeNodes});
  return value;
}

std::optional<ValueId> Scope::Capture(const Scope& from, ValueId value) {
  if (graph == from.graph) return value;
  Scope* const around = parent != nullptr ? parent : caller;
  if (around == nullptr) return std::nullopt;
  const std::optional<ValueId> outer = around->Capture(from, value);
  if (!outer || around->graph == graph) return outer;
  Value copy = around->graph->value(*outer);
  copy.producer = kNoNode;
  const bool constant = copy.constant.defined();
  const ValueId inner = graph->AddValue(std::move(copy));
  if (!constant) graph->captures.push_back({*outer, inner});
  return inner;
}

bool Scope::IsAmbiguous(std::string_view name) const {
  const auto here = names.find(name);
  if (here == names.end() || here->second.node <= position) return false;
  const auto outside = [](const Scope* scope) {
    return scope->written_in != nullptr ? scope->written_in : scope->parent;
  };
  for (const Scope* scope = outside(this); scope != nullptr; scope = outside(scope)) {
    const auto it = scope->names.find(name);
    if (it != scope->names.end() && it->second.node < scope->position) return true;
  }
  return false;
}

ValueId Scope::NewValue(std::string_view name) {
  Value value;
  value.name = prefix + std::string(name);
  if (const auto it = declared.find(name); it != declared.end()) {
    value.declared = std::make_shared<const ValueType>(ImportType(*it->second));
  }
  return graph->AddValue(std::move(value));
}

}  // namespace waybill::graph::importing
