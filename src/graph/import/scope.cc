#include "graph/import/scope.h"

#include "graph/import/tensor_import.h"

namespace waybill::graph::importing {

std::optional<ValueId> Scope::Resolve(std::string_view name) {
  if (const auto it = names.find(name); it != names.end()) return it->second.value;
  if (parent == nullptr) return std::nullopt;
  const std::optional<ValueId> outer = parent->Resolve(name);
  if (!outer) return std::nullopt;
  ValueId inner = kNoValue;
  if (*outer != kNoValue) {
    Value copy = parent->graph->value(*outer);
    copy.producer = kNoNode;
    const bool constant = copy.constant.defined();
    inner = graph->AddValue(std::move(copy));
    if (!constant) graph->captures.push_back({*outer, inner});
  }
  names.emplace(name, Definition{inner, kBeforeNodes});
  return inner;
}

bool Scope::IsAmbiguous(std::string_view name) const {
  const auto here = names.find(name);
  if (here == names.end() || here->second.node <= position) return false;
  for (const Scope* scope = parent; scope != nullptr; scope = scope->parent) {
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
