// The names, types and shapes that a session's callers must respect, and the checks of what they
// give. Texts follow ONNX Runtime's, since programs look for parts of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "tensor/value/type.h"
#include "tensor/value/value.h"

namespace waybill::session {

class Signature {
 public:
  // `graph` is the graph after rewrites; its inputs and outputs are in the model's order.
  explicit Signature(const graph::Graph& graph);

  size_t num_inputs() const { return inputs_.size(); }
  size_t num_outputs() const { return outputs_.size(); }
  size_t num_symbols() const { return num_symbols_; }
  const std::string& input_name(size_t i) const { return inputs_[i].name; }
  const ValueType& input_type(size_t i) const { return inputs_[i].type; }
  const std::string& output_name(size_t i) const { return outputs_[i]; }
  // Whether input i may be left out although it has no default: its type is optional.
  bool is_optional(size_t i) const { return inputs_[i].type.kind == ValueKind::kOptional; }

  // Errors: kInvalidArgument "Invalid input name: n" and its like.
  Result<size_t> FindInput(std::string_view name) const;
  Result<size_t> FindOutput(std::string_view name) const;

  // Checks type, rank and dimensions of a value for input i. `symbol_sizes` has num_symbols()
  // entries, -1 where a symbol has no size yet; equal symbols must have equal sizes.
  // Errors: kInvalidArgument naming what was given and what is expected.
  Status CheckInput(size_t i, const Value& value, std::span<int64_t> symbol_sizes) const;
  Status CheckShape(size_t i, const Shape& shape, std::span<int64_t> symbol_sizes) const;
  // The declared shape of input i with symbols replaced by their sizes.
  // Errors: kInvalidArgument naming the input and a dimension that stays open.
  Result<Shape> ResolveShape(size_t i, std::span<const int64_t> symbol_sizes) const;

 private:
  struct Input {
    std::string name;
    ValueType type;
    std::vector<int> symbols;  // per dimension; -1: none
  };
  using Index = std::unordered_map<std::string_view, size_t>;

  std::vector<Input> inputs_;
  std::vector<std::string> outputs_;
  Index input_index_, output_index_;  // keys point into the vectors above
  size_t num_symbols_ = 0;
};

}  // namespace waybill::session
