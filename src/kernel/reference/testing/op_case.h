// One operator, one case, for unit tests of kernels: inputs, attributes and what must come out.
//
//   OpCase("Add", 14).In<float>({2, 1}, {1, 2}).In<float>({2}, {10, 20})
//       .Expect<float>({2, 2}, {11, 21, 12, 22}).Run();
//   OpCase("Div", 14).In<int32_t>({1}, {1}).In<int32_t>({1}, {0})
//       .Out(DType::kI32).Fails(Code::kInvalidArgument, "division by zero");
//
// Run selects, prepares, plans and runs the reference kernel as a session does, in memory of 0xFF
// and in memory of zeros, with the same bits but for operators that are random. It fails when a
// packed output has padding that is not zero, or when what the inference rule knows of the outputs
// without shapes, with shapes and with values contradicts the actual ones.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/ir/graph.h"
#include "kernel/reference/testing/op_case_values.h"
#include "kernel/select/select.h"

namespace waybill::kernel {

// Nothing but Attr is defined here: each of the many tests would compile it again.
class OpCase {
 public:
  // `since_version` is that of the operator's schema, not the model's opset.
  explicit OpCase(std::string op_type, int since_version, std::string domain = "");
  OpCase(const OpCase&) = delete;
  OpCase& operator=(const OpCase&) = delete;
  ~OpCase();  // fails the test when the case was never run

  // Appends an input. Elements are given as plain numbers (see OpCaseElement).
  template <typename T>
  OpCase& In(const Shape& shape, const std::vector<OpCaseElement<T>>& elements);
  OpCase& InValue(Value value);
  OpCase& Omit();
  // Makes the last input a constant of the graph, so that the kernel may prepare it.
  OpCase& Constant();

  // Attribute values are int64_t, float, std::string, Tensor and vectors of these; plain int,
  // double, string literals and braced lists of int64_t or float do as well.
  template <typename A>
  OpCase& Attr(std::string name, A value) {
    if constexpr (std::is_integral_v<A>) {
      Set(std::move(name), static_cast<int64_t>(value));
    } else if constexpr (std::is_floating_point_v<A>) {
      Set(std::move(name), static_cast<float>(value));
    } else if constexpr (std::is_convertible_v<A, const char*>) {
      Set(std::move(name), std::string(value));
    } else {
      Set(std::move(name), std::move(value));
    }
    return *this;
  }
  OpCase& Ints(std::string name, std::vector<int64_t> values);
  OpCase& Floats(std::string name, std::vector<float> values);

  // Appends an output with what it must contain.
  template <typename T>
  OpCase& Expect(const Shape& shape, const std::vector<OpCaseElement<T>>& elements);
  OpCase& ExpectValue(Value value);
  // Appends an output whose contents the caller looks at, or one of a case that fails.
  OpCase& Out(ValueType type);
  OpCase& Out(DType dtype);
  // Appends an omitted output.
  OpCase& NoOut();

  // Allowed difference of float outputs: |a - b| <= atol + rtol * |b|.
  OpCase& Near(double rtol, double atol = 1e-7) {
    rtol_ = rtol;
    atol_ = atol;
    return *this;
  }

  // Runs the case and compares.
  void Run();
  // The same; returns the outputs, none after a failure.
  std::vector<Value> Outputs();
  // The case must fail with this code and a message that contains `words`.
  void Fails(Code code, std::string_view words = {});

 private:
  void Set(std::string name, int64_t value);
  void Set(std::string name, float value);
  void Set(std::string name, std::string value);
  void Set(std::string name, std::vector<int64_t> value);
  void Set(std::string name, std::vector<float> value);
  void Set(std::string name, std::vector<std::string> value);
  void Set(std::string name, graph::AttributeValue value);
  graph::Graph Build() const;
  Result<std::vector<Value>> Invoke(const graph::NodeRef& node, int fill) const;
  void CheckInference(const graph::Node& node, std::span<const Value> outputs) const;

  std::string op_type_, domain_;
  int since_version_;
  graph::Attributes attrs_;
  std::vector<Value> inputs_;
  std::vector<size_t> constants_;
  std::vector<ValueType> output_types_;
  std::vector<Value> expected_;
  double rtol_ = 1e-5, atol_ = 1e-7;
  bool ran_ = false;
};

namespace op_case_internal {
// Sets the attributes that the node omits to the defaults of its schema, as import does.
void FillDefaults(const graph::schema::OpSchema& schema, graph::Attributes& attrs);
}  // namespace op_case_internal

}  // namespace waybill::kernel
