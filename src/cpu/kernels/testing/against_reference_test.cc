#include "cpu/kernels/testing/against_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include "cpu/kernels/table.h"
#include "cpu/testing/odd_places.h"
#include "graph/schema/schema.h"
#include "kernel/api/invoke.h"
#include "kernel/reference/reference.h"
#include "kernel/reference/testing/op_case.h"
#include "kernel/select/select.h"
#include "memory/source/system_source.h"
#include "parallel/pool/thread_pool.h"
#include "tensor/dtype/types.h"

namespace waybill::cpu {
namespace {

std::shared_ptr<MemorySource> Source() {
  static const auto source = std::make_shared<SystemSource>();
  return source;
}

Tensor Allocate(DType dtype, const Shape& shape) {
  auto tensor = Tensor::Allocate(dtype, shape, Source(), MemoryTag::kUser);
  EXPECT_TRUE(tensor.ok());
  return *tensor;
}

bool Close(float got, float want, double rtol, double atol) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (got == want) return true;
  const double a = static_cast<double>(got), b = static_cast<double>(want);
  return std::abs(a - b) <= atol + rtol * std::abs(b);
}

void ExpectClose(const Tensor& got, const Tensor& want, double rtol, double atol) {
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.shape(), want.shape());
  if (got.dtype() == DType::kF16 && rtol + atol > 0) {
    const auto a = got.span<Half>(), b = want.span<Half>();
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_TRUE(Close(a[i].ToFloat(), b[i].ToFloat(), rtol, atol)) << "element " << i;
    }
    return;
  }
  if (got.dtype() != DType::kF32) {
    ASSERT_EQ(got.view().bytes(), want.view().bytes());
    ASSERT_EQ(std::memcmp(got.view().data, want.view().data, got.view().bytes()), 0);
    return;
  }
  const auto a = got.span<float>(), b = want.span<float>();
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(Close(a[i], b[i], rtol, atol))
        << "element " << i << ": " << a[i] << ", not " << b[i];
  }
}

}  // namespace

Tensor MakeFloats(const Shape& shape, const std::vector<float>& values) {
  Tensor tensor = Allocate(DType::kF32, shape);
  EXPECT_EQ(tensor.span<float>().size(), values.size());
  std::copy(values.begin(), values.end(), tensor.span<float>().begin());
  return tensor;
}

Tensor MakeInts(const Shape& shape, const std::vector<int64_t>& values) {
  Tensor tensor = Allocate(DType::kI64, shape);
  std::copy(values.begin(), values.end(), tensor.span<int64_t>().begin());
  return tensor;
}

Tensor Random(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  Tensor tensor = Allocate(DType::kF32, shape);
  for (float& v : tensor.span<float>()) v = static_cast<float>(random() % 20001) / 5000.0f - 2.0f;
  return tensor;
}

Tensor RandomWithSpecials(const Shape& shape, uint32_t seed) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {0.0f, -0.0f, 1.0f, kInf, -kInf, 1e-42f, -3e38f, NAN};
  std::mt19937 random(seed);
  Tensor tensor = Random(shape, seed + 100);
  for (float& v : tensor.span<float>()) {
    if (random() % 9 == 0) v = kSpecial[random() % 8];
  }
  return tensor;
}

Tensor RandomOf(DType dtype, const Shape& shape, uint32_t seed) {
  if (dtype == DType::kF32) return Random(shape, seed);
  std::mt19937 random(seed);
  Tensor tensor = Allocate(dtype, shape);
  auto* bytes = reinterpret_cast<uint8_t*>(tensor.view().data);
  const bool truth = dtype == DType::kBool;
  for (size_t i = 0; i < tensor.view().bytes(); ++i) {
    bytes[i] = static_cast<uint8_t>(truth ? random() % 2 : random() % 256);
  }
  return tensor;
}

// `odd`: inputs, constants and outputs are one element off.
NodeCase::Outcome NodeCase::Run(kernel::KernelTable table, size_t width, bool odd) const {
  std::vector<Value> inputs = inputs_;
  if (odd) {
    for (Value& input : inputs) input = OddCopy(input);
  }
  graph::Graph graph;
  graph::Node node;
  node.op_type = op_;
  node.domain = domain_;
  node.since_version = version_;
  node.opset = version_;
  node.attrs = attrs_;
  node.schema = graph::schema::Find(domain_, op_, version_);
  if (node.schema != nullptr) kernel::op_case_internal::FillDefaults(*node.schema, node.attrs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) {
      node.inputs.push_back(graph::kNoValue);
      continue;
    }
    graph::Value value;
    value.type = inputs[i].type();
    if (std::find(constants_.begin(), constants_.end(), i) != constants_.end()) {
      value.constant = graph::Constant(*inputs[i].tensor());
    }
    node.inputs.push_back(graph.AddValue(std::move(value)));
  }
  for (const DType type : output_types_) {
    graph::Value value;
    value.type = ValueType::Tensor(type);
    node.outputs.push_back(type == DType::kUndefined ? graph::kNoValue
                                                     : graph.AddValue(std::move(value)));
  }
  const graph::NodeRef ref(graph, graph.node(graph.AddNode(std::move(node))));
  const kernel::Provider provider{"cpu", {table}};
  Outcome outcome;
  auto selection = kernel::Select(ref, {&provider, 1});
  if (!selection.ok()) {
    outcome.status = selection.status();
    return outcome;
  }
  outcome.impl = selection->impl;
  kernel::PrepareContext prepare(ref, Source());
  outcome.status = selection->kernel->Prepare(prepare);
  if (!outcome.status.ok()) return outcome;
  const auto pool = MakeThreadPool(width);
  kernel::InvokeOptions options;
  options.source = odd ? OddSourceFor(output_types_) : Source();
  options.tag = MemoryTag::kOutput;
  options.pool = pool.get();
  options.width = width;
  auto results = kernel::Invoke(*selection->kernel, ref, inputs, options);
  outcome.status = results.ok() ? Status() : results.status();
  if (results.ok()) outcome.outputs = std::move(*results);
  return outcome;
}

void NodeCase::Agrees(const std::string& impl) const {
  std::vector<kernel::OpKernels> reference;
  for (const kernel::KernelTable table : kernel::reference::AllTables()) {
    reference.insert(reference.end(), table.begin(), table.end());
  }
  const Outcome want = Run(reference, 1);
  ASSERT_TRUE(want.status.ok()) << op_ << ": " << want.status.ToString();
  OnEveryTarget([&] { AgreesWith(want, impl); });
}

void NodeCase::AgreesWith(const Outcome& want, const std::string& impl) const {
  const Outcome got = Run(Kernels(), 1), wide = Run(Kernels(), 3), odd = Run(Kernels(), 1, true);
  for (const Outcome* outcome : {&got, &wide, &odd}) {
    ASSERT_TRUE(outcome->status.ok()) << op_ << ": " << outcome->status.ToString();
  }
  EXPECT_EQ(got.impl, impl) << op_;
  for (size_t i = 0; i < output_types_.size(); ++i) {
    if (output_types_[i] == DType::kUndefined) continue;
    SCOPED_TRACE(op_ + " output " + std::to_string(i));
    const TensorView& a = got.outputs[i].tensor()->view();
    ExpectClose(*got.outputs[i].tensor(), *want.outputs[i].tensor(), rtol_, atol_);
    const auto same = [&](const Outcome& other) {
      const TensorView& b = other.outputs[i].tensor()->view();
      return a.bytes() == 0 || std::memcmp(a.data, b.data, a.bytes()) == 0;
    };
    EXPECT_TRUE(same(wide)) << "three threads give other bits than one";
    EXPECT_TRUE(same(odd)) << "tensors one element off give other bits";
    if (testing::Test::HasFailure()) return;
  }
}

void NodeCase::Refused(const std::string& words) const {
  const Outcome got = Run(Kernels(), 1);
  ASSERT_FALSE(got.status.ok());
  EXPECT_NE(got.status.ToString().find(words), std::string::npos) << got.status.ToString();
  EXPECT_EQ(got.impl, "");
}

void NodeCase::Fails(const std::string& words) const {
  const Outcome got = Run(Kernels(), 1);
  ASSERT_FALSE(got.status.ok());
  EXPECT_NE(got.status.ToString().find(words), std::string::npos) << got.status.ToString();
}

}  // namespace waybill::cpu
