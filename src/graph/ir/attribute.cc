#include "graph/ir/attribute.h"

#include <algorithm>

namespace waybill::graph {

const AttributeValue* Attributes::Find(std::string_view name) const {
  for (const Attribute& item : items_) {
    if (item.name == name) return &item.value;
  }
  return nullptr;
}

void Attributes::Set(std::string name, AttributeValue value) {
  for (Attribute& item : items_) {
    if (item.name == name) {
      item.value = std::move(value);
      return;
    }
  }
  items_.push_back({std::move(name), std::move(value)});
}

void Attributes::Remove(std::string_view name) {
  std::erase_if(items_, [name](const Attribute& item) { return item.name == name; });
}

}  // namespace waybill::graph
