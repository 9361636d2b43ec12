// What an inference rule sees and sets. One rule per operator serves twice: over symbolic shapes
// when a model is loaded, and over concrete shapes (and values) when a run is planned, so that the
// two can never disagree.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::graph::infer {

struct InputFact {
  const ValueType* type = nullptr;             // null: omitted
  const TensorView* values = nullptr;          // contents on the host, when known
  const std::vector<Dim>* contents = nullptr;  // contents in symbols (flattened), when known
};

class InferContext {
 public:
  // `outputs` come with the element types that the schema's type letters determine.
  InferContext(const Node& node, std::span<const InputFact> inputs, std::vector<ValueType> outputs)
      : node_(node), inputs_(inputs), outputs_(std::move(outputs)), contents_(outputs_.size()) {}

  const Node& node() const { return node_; }
  const Attributes& attrs() const { return node_.attrs; }
  int since_version() const { return node_.since_version; }
  size_t num_inputs() const { return inputs_.size(); }
  size_t num_outputs() const { return outputs_.size(); }

  bool has_input(size_t i) const { return i < inputs_.size() && inputs_[i].type != nullptr; }
  bool has_output(size_t i) const { return node_.HasOutput(i); }
  // Only where has_input(i).
  const ValueType& input_type(size_t i) const { return *inputs_[i].type; }
  // Unknown-rank shape when omitted.
  const SymShape& input_shape(size_t i) const;
  DType input_dtype(size_t i) const {
    return has_input(i) ? inputs_[i].type->dtype : DType::kUndefined;
  }
  // Null when omitted or unknown.
  const TensorView* input_values(size_t i) const {
    return has_input(i) ? inputs_[i].values : nullptr;
  }

  // Contents of an int32/int64 tensor input as plain numbers, when all are known.
  std::optional<std::vector<int64_t>> IntValues(size_t i) const;
  // Contents in symbols: known numbers or symbols or unknown dims, one per element; from values or
  // from shape arithmetic. Nothing when not even the count is known.
  // Negative numbers are not representable as Dims: nothing is returned then (use IntValues).
  std::optional<std::vector<Dim>> SymbolicValues(size_t i) const;

  ValueType& output(size_t i) { return outputs_[i]; }
  const ValueType& output(size_t i) const { return outputs_[i]; }
  void SetShape(size_t i, SymShape shape) {
    if (i < outputs_.size()) outputs_[i].shape = std::move(shape);
  }
  // Sets a tensor type: kind, element type and shape.
  void SetTensor(size_t i, DType dtype, SymShape shape) {
    if (i < outputs_.size()) outputs_[i] = ValueType::Tensor(dtype, std::move(shape));
  }
  // Tells what a small integer output contains, for shape arithmetic.
  void SetContents(size_t i, std::vector<Dim> contents) {
    if (i < contents_.size()) contents_[i] = std::move(contents);
  }

  std::vector<ValueType>& outputs() { return outputs_; }
  std::vector<std::optional<std::vector<Dim>>>& contents() { return contents_; }

 private:
  const Node& node_;
  std::span<const InputFact> inputs_;
  std::vector<ValueType> outputs_;
  std::vector<std::optional<std::vector<Dim>>> contents_;
};

// Sets output shapes (and types that letters do not determine). Unknown inputs lead to unknown
// dimensions, never to errors; a certain contradiction is kInvalidArgument naming shapes.
// With concrete inputs and values the outputs must come out concrete, unless their size depends on
// values that only the kernel computes (NonZero, Unique, ...).
using InferFn = Status (*)(InferContext&);

struct InferRule {
  std::string_view domain;  // "" is ai.onnx
  std::string_view op_type;
  InferFn fn;
};

// Common to many rules.
// numpy broadcast of symbolic shapes: a dim is known when it must be; equal symbols stay.
// Errors: kInvalidArgument when two known dims differ and neither is 1.
Result<SymShape> BroadcastSym(std::span<const SymShape* const> shapes);
// Output 0 has the shape of input 0.
Status SameShapeAsFirst(InferContext& ctx);
// Output 0 is the broadcast of all inputs.
Status BroadcastAll(InferContext& ctx);
// `axis` in [-rank, rank) to [0, rank). Errors: kInvalidArgument naming both.
Result<size_t> Axis(int64_t axis, size_t rank);

// The rule of an operator; null when there is none (outputs keep unknown shapes).
InferFn FindInferRule(std::string_view domain, std::string_view op_type);

// Tables by family, one file (or a few) each under infer/rules/.
std::span<const InferRule> MathRules();      // elementwise, compare, logic, reduce, cast, random
std::span<const InferRule> NnRules();        // conv, pool, norm, matmul, recurrent, attention
std::span<const InferRule> TensorRules();    // shape, layout, index, sequence, optional, string
std::span<const InferRule> QuantRules();     // quantize, integer matmul / conv
std::span<const InferRule> MlRules();        // ai.onnx.ml
std::span<const InferRule> ContribRules();   // com.microsoft
std::span<const InferRule> InternalRules();  // fused operators of rewrites

}  // namespace waybill::graph::infer
