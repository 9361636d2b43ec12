// Attributes of a node, typed. Import fills in the defaults of the bound schema version, so a
// reader never repeats them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status/result.h"
#include "tensor/tensor/tensor.h"
#include "tensor/value/type.h"
#include "tensor/value/value.h"

namespace waybill::graph {

class Graph;
using GraphPtr = std::shared_ptr<Graph>;

using AttributeValue =
    std::variant<int64_t, float, std::string, Tensor, GraphPtr, ValueType, SparseValue,
                 std::vector<int64_t>, std::vector<float>, std::vector<std::string>,
                 std::vector<Tensor>, std::vector<GraphPtr>, std::vector<ValueType>,
                 std::vector<SparseValue>>;

struct Attribute {
  std::string name;
  AttributeValue value;
};

// A node's few attributes in file order; linear search. Reads with a wrong type behave as "absent":
// import has refused such attributes against the schema before.
class Attributes {
 public:
  // Null when absent.
  const AttributeValue* Find(std::string_view name) const;
  template <typename T>
  const T* Get(std::string_view name) const {
    const AttributeValue* value = Find(name);
    return value ? std::get_if<T>(value) : nullptr;
  }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  int64_t Int(std::string_view name, int64_t fallback = 0) const {
    const auto* v = Get<int64_t>(name);
    return v ? *v : fallback;
  }
  float Float(std::string_view name, float fallback = 0.0f) const {
    const auto* v = Get<float>(name);
    return v ? *v : fallback;
  }
  std::string String(std::string_view name, std::string_view fallback = {}) const {
    const auto* v = Get<std::string>(name);
    return v ? *v : std::string(fallback);
  }
  // Empty when absent; use Has to tell absent from empty.
  std::vector<int64_t> Ints(std::string_view name) const {
    const auto* v = Get<std::vector<int64_t>>(name);
    return v ? *v : std::vector<int64_t>();
  }
  std::vector<float> Floats(std::string_view name) const {
    const auto* v = Get<std::vector<float>>(name);
    return v ? *v : std::vector<float>();
  }
  std::vector<std::string> Strings(std::string_view name) const {
    const auto* v = Get<std::vector<std::string>>(name);
    return v ? *v : std::vector<std::string>();
  }
  // Null when absent.
  GraphPtr Subgraph(std::string_view name) const {
    const auto* v = Get<GraphPtr>(name);
    return v ? *v : nullptr;
  }

  // Adds or replaces.
  void Set(std::string name, AttributeValue value);
  void Remove(std::string_view name);
  const std::vector<Attribute>& all() const { return items_; }
  std::vector<Attribute>& all() { return items_; }

 private:
  std::vector<Attribute> items_;
};

}  // namespace waybill::graph
