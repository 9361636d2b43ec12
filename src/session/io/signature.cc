#include "session/io/signature.h"

#include <map>

namespace waybill::session {

namespace {

constexpr std::string_view kAdvice = "Please fix either the inputs/outputs or the model.";

// An optional input takes a plain value of its element type too.
bool Accepts(const ValueType& expected, const ValueType& given) {
  if (expected.SameTypeAs(given)) return true;
  if (expected.kind == ValueKind::kUnknown) return true;
  return expected.kind == ValueKind::kOptional && expected.element != nullptr &&
         expected.element->SameTypeAs(given);
}

}  // namespace

Signature::Signature(const graph::Graph& graph) {
  std::map<std::string, int> symbols;
  for (const graph::ValueId id : graph.inputs) {
    const graph::Value& value = graph.value(id);
    Input input{value.name, value.type, {}};
    if (value.type.is_tensor() && value.type.shape.has_rank()) {
      for (const Dim& dim : value.type.shape.dims()) {
        int symbol = -1;
        if (dim.symbolic()) {
          symbol = symbols.emplace(dim.symbol(), static_cast<int>(symbols.size())).first->second;
        }
        input.symbols.push_back(symbol);
      }
    }
    inputs_.push_back(std::move(input));
  }
  for (const graph::ValueId id : graph.outputs) outputs_.push_back(graph.value(id).name);
  for (size_t i = 0; i < inputs_.size(); ++i) input_index_.emplace(inputs_[i].name, i);
  for (size_t i = 0; i < outputs_.size(); ++i) output_index_.emplace(outputs_[i], i);
  num_symbols_ = symbols.size();
}

Result<size_t> Signature::FindInput(std::string_view name) const {
  if (name.empty()) return Error(Code::kInvalidArgument, "input name cannot be empty");
  const auto found = input_index_.find(name);
  if (found == input_index_.end()) {
    return Error(Code::kInvalidArgument, "Invalid input name: {}", name);
  }
  return found->second;
}

Result<size_t> Signature::FindOutput(std::string_view name) const {
  if (name.empty()) return Error(Code::kInvalidArgument, "output name cannot be empty");
  const auto found = output_index_.find(name);
  if (found == output_index_.end()) {
    return Error(Code::kInvalidArgument, "Invalid output name: {}", name);
  }
  return found->second;
}

Status Signature::CheckInput(size_t i, const Value& value, std::span<int64_t> symbol_sizes) const {
  const Input& input = inputs_[i];
  if (const Tensor* tensor = value.tensor(); tensor != nullptr && input.type.is_tensor()) {
    if (tensor->dtype() == input.type.dtype) return CheckShape(i, tensor->shape(), symbol_sizes);
  } else if (Accepts(input.type, value.type())) {
    return Status::Ok();
  }
  return Error(Code::kInvalidArgument,
               "Unexpected input data type. Actual: ({}) , expected: ({}) for input: {}",
               value.type().TypeString(), input.type.TypeString(), input.name);
}

Status Signature::CheckShape(size_t i, const Shape& shape, std::span<int64_t> symbol_sizes) const {
  const Input& input = inputs_[i];
  const SymShape& expected = input.type.shape;
  if (!expected.has_rank()) return Status::Ok();
  if (shape.rank() != expected.rank()) {
    return Error(Code::kInvalidArgument, "Invalid rank for input: {} Got: {} Expected: {} {}",
                 input.name, shape.rank(), expected.rank(), kAdvice);
  }
  std::string wrong;
  for (size_t d = 0; d < shape.rank(); ++d) {
    int64_t want = -1;
    // Producers write 0 for "any size".
    if (expected[d].known() && expected[d].value() != 0) want = expected[d].value();
    if (const int symbol = input.symbols[d]; symbol >= 0) {
      int64_t& size = symbol_sizes[static_cast<size_t>(symbol)];
      if (size < 0) size = shape[d];
      want = size;
    }
    if (want < 0 || want == shape[d]) continue;
    wrong += Format("\n index: {} Got: {} Expected: {}", d, shape[d], want);
    if (expected[d].symbolic()) wrong += Format(" (as {} elsewhere)", expected[d].symbol());
  }
  if (wrong.empty()) return Status::Ok();
  return Error(Code::kInvalidArgument,
               "Got invalid dimensions for input: {} for the following indices{}\n {}", input.name,
               wrong, kAdvice);
}

Result<Shape> Signature::ResolveShape(size_t i, std::span<const int64_t> symbol_sizes) const {
  const Input& input = inputs_[i];
  if (!input.type.shape.has_rank()) {
    return Error(Code::kInvalidArgument, "input {} has no declared rank; give its shape",
                 input.name);
  }
  Shape shape;
  for (size_t d = 0; d < input.type.shape.rank(); ++d) {
    const Dim& dim = input.type.shape[d];
    int64_t size = dim.value();
    if (const int symbol = input.symbols[d]; symbol >= 0) {
      size = symbol_sizes[static_cast<size_t>(symbol)];
    }
    if (size < 0) {
      return Error(Code::kInvalidArgument, "dimension {} ({}) of input {} has no size; give it", d,
                   dim, input.name);
    }
    shape.PushBack(size);
  }
  return shape;
}

}  // namespace waybill::session
