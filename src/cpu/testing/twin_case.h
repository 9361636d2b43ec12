// Runs one node with this provider's kernel and with the reference kernel, and compares. For tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cpu/kernels/table.h"
#include "cpu/testing/odd_places.h"
#include "graph/schema/schema.h"
#include "kernel/api/invoke.h"
#include "kernel/reference/reference.h"
#include "kernel/select/select.h"
#include "memory/source/system_source.h"
#include "parallel/pool/thread_pool.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {

inline std::shared_ptr<MemorySource> TestSource() {
  static const auto source = std::make_shared<SystemSource>();
  return source;
}

inline Tensor TestTensor(DType dtype, const Shape& shape) {
  auto tensor = Tensor::Allocate(dtype, shape, TestSource(), MemoryTag::kUser);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  return *tensor;
}

template <typename T>
Tensor TestTensorOf(const Shape& shape, const std::vector<T>& elements) {
  Tensor tensor = TestTensor(kDTypeOf<T>, shape);
  EXPECT_EQ(static_cast<size_t>(shape.elems()), elements.size());
  for (size_t i = 0; i < elements.size(); ++i) tensor.span<T>()[i] = elements[i];
  return tensor;
}

inline Tensor TestInts(const std::vector<int64_t>& elements) {
  return TestTensorOf<int64_t>({static_cast<int64_t>(elements.size())}, elements);
}

// Random bytes: any pattern that the type may have (0 and 1 for bool).
inline Tensor TestRandomBytes(DType dtype, const Shape& shape, uint32_t seed) {
  Tensor tensor = TestTensor(dtype, shape);
  std::mt19937 random(seed);
  for (size_t i = 0; i < tensor.view().bytes(); ++i) {
    const auto byte = static_cast<uint8_t>(random() >> 8);
    tensor.view().data[i] = static_cast<std::byte>(dtype == DType::kBool ? byte & 1 : byte);
  }
  return tensor;
}

// Numbers in [-2, 2].
inline Tensor TestRandomFloats(const Shape& shape, uint32_t seed) {
  Tensor tensor = TestTensor(DType::kF32, shape);
  std::mt19937 random(seed);
  for (float& v : tensor.span<float>()) v = static_cast<float>(random() % 2001) / 500.0f - 2.0f;
  return tensor;
}

struct TwinCase {
  std::string op;
  int version = 1;
  std::vector<Tensor> inputs;  // an undefined one is omitted
  std::vector<DType> outputs;  // kUndefined: omitted
  graph::Attributes attrs = {};
  std::vector<size_t> constants = {};
  std::string domain = {};

  TwinCase& Ints(std::string name, std::vector<int64_t> values) {
    attrs.Set(std::move(name), std::move(values));
    return *this;
  }
  TwinCase& Int(std::string name, int64_t value) {
    attrs.Set(std::move(name), value);
    return *this;
  }
  TwinCase& Text(std::string name, std::string value) {
    attrs.Set(std::move(name), std::move(value));
    return *this;
  }

  struct Outcome {
    Status status;
    std::string impl;
    std::vector<Value> outputs;
  };

  Outcome Run(kernel::KernelTable table, ThreadPool* pool = nullptr, size_t width = 1) const {
    kernel::Provider provider{"test", {table}};
    return RunOn(provider, pool, width);
  }
  Outcome RunFast(ThreadPool* pool = nullptr, size_t width = 1) const {
    return Run(Kernels(), pool, width);
  }
  Outcome RunReference() const {
    return RunOn(kernel::Provider{"reference", kernel::reference::AllTables()}, nullptr, 1);
  }

  // The kernel `impl` (whichever it is, when that is empty) must do as the reference does: the same
  // bytes (rtol and atol 0) or floats within rtol and atol, or both must refuse with the same code.
  // On every SIMD target; with 3 threads and with all tensors one element off the same bytes.
  void Expect(const std::string& impl, double rtol = 0, double atol = 0) const {
    const Outcome want = RunReference();
    OnEveryTarget([&] { ExpectLike(want, impl, rtol, atol); });
  }
  void ExpectLike(const Outcome& want, const std::string& impl, double rtol, double atol) const {
    const Outcome got = RunFast();
    const std::string what = Describe();
    if (!want.status.ok() || !got.status.ok()) {
      ASSERT_EQ(CodeName(got.status.code()), CodeName(want.status.code()))
          << what << "\nfast: " << got.status.ToString()
          << "\nreference: " << want.status.ToString();
      return;
    }
    if (!impl.empty()) {
      ASSERT_EQ(got.impl, impl) << what;
    }
    Compare(got, want, rtol, atol, what);
    static const auto pool = MakeThreadPool(3);
    const Outcome wide = RunFast(pool.get(), 3);
    ASSERT_TRUE(wide.status.ok()) << what << wide.status.ToString();
    Compare(wide, got, 0, 0, what + " on 3 threads");
    TwinCase odd = *this;
    for (Tensor& input : odd.inputs) input = OddCopy(input);
    const Outcome off = odd.RunOn({"test", {Kernels()}}, nullptr, 1, OddSourceFor(outputs));
    ASSERT_TRUE(off.status.ok()) << what << off.status.ToString();
    Compare(off, got, 0, 0, what + " one element off");
  }

  std::string Describe() const {
    std::string text = op;
    for (const Tensor& input : inputs) {
      text += input.defined() ? " " + input.view().Describe() : " -";
    }
    return text;
  }

 private:
  Outcome RunOn(const kernel::Provider& provider, ThreadPool* pool, size_t width,
                std::shared_ptr<MemorySource> source = TestSource()) const {
    graph::Graph graph;
    graph::Node node;
    node.op_type = op;
    node.domain = domain;
    node.since_version = node.opset = version;
    node.attrs = attrs;
    node.schema = graph::schema::Find(domain, op, version);
    std::vector<Value> values;
    for (size_t i = 0; i < inputs.size(); ++i) {
      values.push_back(inputs[i].defined() ? Value(inputs[i]) : Value());
      if (!inputs[i].defined()) {
        node.inputs.push_back(graph::kNoValue);
        continue;
      }
      graph::Value value;
      value.type = ValueType::Tensor(inputs[i].dtype(), SymShape(inputs[i].shape()));
      for (const size_t constant : constants) {
        if (constant == i) value.constant = graph::Constant(inputs[i]);
      }
      node.inputs.push_back(graph.AddValue(std::move(value)));
    }
    for (const DType dtype : outputs) {
      if (dtype == DType::kUndefined) {
        node.outputs.push_back(graph::kNoValue);
        continue;
      }
      graph::Value out;
      out.type = ValueType::Tensor(dtype);
      node.outputs.push_back(graph.AddValue(std::move(out)));
    }
    const graph::NodeRef ref(graph, graph.node(graph.AddNode(std::move(node))));
    auto selection = kernel::Select(ref, {&provider, 1});
    if (!selection.ok()) return {selection.status(), "", {}};
    Outcome outcome;
    outcome.impl = selection->impl;
    kernel::PrepareContext prepare(ref, TestSource());
    outcome.status = selection->kernel->Prepare(prepare);
    if (!outcome.status.ok()) return outcome;
    kernel::InvokeOptions options;
    options.source = std::move(source);
    options.tag = MemoryTag::kOutput;
    options.pool = pool;
    options.width = width;
    auto results = kernel::Invoke(*selection->kernel, ref, values, options);
    outcome.status = results.ok() ? Status() : results.status();
    if (results.ok()) outcome.outputs = std::move(results).value();
    return outcome;
  }

  void Compare(const Outcome& got, const Outcome& want, double rtol, double atol,
               const std::string& what) const {
    ASSERT_EQ(got.outputs.size(), want.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == DType::kUndefined) continue;
      const TensorView& a = got.outputs[i].tensor()->view();
      const TensorView& b = want.outputs[i].tensor()->view();
      ASSERT_EQ(a.Describe(), b.Describe()) << what;
      if (a.dtype == DType::kString) {
        for (int64_t k = 0; k < a.elems(); ++k) {
          ASSERT_EQ(a.as<std::string>()[k], b.as<std::string>()[k]) << what;
        }
        continue;
      }
      if (a.bytes() == 0 || std::memcmp(a.data, b.data, a.bytes()) == 0) continue;
      ASSERT_GT(rtol + atol, 0) << what << ": output " << i << " has other bytes, first at "
                                << FirstDifference(a, b);
      ASSERT_EQ(a.dtype, DType::kF32);
      for (int64_t k = 0; k < a.elems(); ++k) {
        const double x = a.as<float>()[k], y = b.as<float>()[k];
        if (std::isnan(y) ? std::isnan(x) : x == y) continue;
        ASSERT_LE(std::abs(x - y), atol + rtol * std::abs(y)) << what << " element " << k;
      }
    }
  }

  static size_t FirstDifference(const TensorView& a, const TensorView& b) {
    size_t i = 0;
    while (i < a.bytes() && a.data[i] == b.data[i]) ++i;
    return i / (a.bytes() / static_cast<size_t>(a.elems()));
  }
};

}  // namespace waybill::cpu
