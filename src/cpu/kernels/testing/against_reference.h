// Runs one node with the fast kernels and with the reference kernels and compares the outputs.
//
//   NodeCase("Softmax", 13).In(Random({2, 3}, 1)).Attr("axis", int64_t{-1}).Agrees("softmax.axis");
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/ir/graph.h"
#include "kernel/api/kernel.h"
#include "tensor/value/value.h"

namespace waybill::cpu {

// f32 of ordinary size, of all kinds of values, and integers or bools of any kind.
Tensor Random(const Shape& shape, uint32_t seed);
Tensor RandomWithSpecials(const Shape& shape, uint32_t seed);
Tensor RandomOf(DType dtype, const Shape& shape, uint32_t seed);
Tensor MakeFloats(const Shape& shape, const std::vector<float>& values);
Tensor MakeInts(const Shape& shape, const std::vector<int64_t>& values);

class NodeCase {
 public:
  explicit NodeCase(std::string op_type, int since_version, std::string domain = "")
      : op_(std::move(op_type)), version_(since_version), domain_(std::move(domain)) {}

  NodeCase& In(Tensor tensor) {
    inputs_.emplace_back(std::move(tensor));
    return *this;
  }
  NodeCase& Omit() {
    inputs_.emplace_back();
    return *this;
  }
  // Makes the last input a constant of the graph.
  NodeCase& Constant() {
    constants_.push_back(inputs_.size() - 1);
    return *this;
  }
  template <typename A>
  NodeCase& Attr(std::string name, A value) {
    attrs_.Set(std::move(name), graph::AttributeValue(std::move(value)));
    return *this;
  }
  // Types of the outputs; undefined ones are not asked for. Without a call: one of f32.
  NodeCase& Outputs(std::vector<DType> types) {
    output_types_ = std::move(types);
    return *this;
  }
  // Allowed difference of f32: |a - b| <= atol + rtol * |b|.
  NodeCase& Near(double rtol, double atol) {
    rtol_ = rtol;
    atol_ = atol;
    return *this;
  }

  // The implementation called `impl` takes the node and agrees with the reference on every SIMD
  // target. It gives the same bits on three threads as on one, and with all tensors one element
  // off.
  void Agrees(const std::string& impl) const;
  // The fast kernels do not take the node, for a reason that contains `words`.
  void Refused(const std::string& words) const;
  // The fast kernel fails, when it is made, planned or run, with these words.
  void Fails(const std::string& words) const;

 private:
  struct Outcome {
    Status status;
    std::string impl;
    std::vector<Value> outputs;
  };
  Outcome Run(kernel::KernelTable table, size_t width, bool odd = false) const;
  void AgreesWith(const Outcome& want, const std::string& impl) const;

  std::string op_;
  int version_;
  std::string domain_;
  std::vector<Value> inputs_;
  std::vector<size_t> constants_;
  graph::Attributes attrs_;
  std::vector<DType> output_types_ = {DType::kF32};
  double rtol_ = 2e-6, atol_ = 1e-6;
};

}  // namespace waybill::cpu
