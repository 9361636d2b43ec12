#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "cpu/kernels/broadcast.h"
#include "cpu/kernels/table.h"
#include "kernel/api/invoke.h"
#include "kernel/select/select.h"
#include "memory/source/system_source.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

using kernel::InvokeOptions;

std::shared_ptr<MemorySource> Source() {
  static const auto source = std::make_shared<SystemSource>();
  return source;
}

Tensor Make(Shape shape, const std::vector<float>& values) {
  auto tensor = Tensor::Allocate(DType::kF32, std::move(shape), Source(), MemoryTag::kUser);
  EXPECT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->span<float>().size(), values.size());
  std::copy(values.begin(), values.end(), tensor->span<float>().begin());
  return *tensor;
}

Tensor Random(Shape shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(shape.elems()));
  for (float& v : values) v = static_cast<float>(random() % 2001) / 500.0f - 2.0f;
  return Make(std::move(shape), values);
}

// One node with its inputs; runs the first implementation of this provider that accepts it.
struct Case {
  std::string op;
  int version = 7;
  std::vector<Tensor> inputs;
  std::vector<size_t> constants = {};
  graph::Attributes attrs = {};

  struct Outcome {
    Status status;
    std::string impl;
    Tensor out;
  };

  Outcome Run(ThreadPool* pool = nullptr, size_t width = 1) const {
    graph::Graph graph;
    graph::Node node;
    node.op_type = op;
    node.since_version = version;
    node.attrs = attrs;
    std::vector<Value> values;
    for (size_t i = 0; i < inputs.size(); ++i) {
      graph::Value value;
      value.type = ValueType::Tensor(inputs[i].dtype(), SymShape(inputs[i].shape()));
      for (const size_t constant : constants) {
        if (constant == i) value.constant = graph::Constant(inputs[i]);
      }
      node.inputs.push_back(graph.AddValue(std::move(value)));
      values.emplace_back(inputs[i]);
    }
    graph::Value out;
    out.type = ValueType::Tensor(DType::kF32);
    node.outputs.push_back(graph.AddValue(std::move(out)));
    const graph::NodeRef ref(graph, graph.node(graph.AddNode(std::move(node))));

    const kernel::Provider provider{"cpu", {Kernels()}};
    auto selection = kernel::Select(ref, {&provider, 1});
    if (!selection.ok()) return {selection.status(), "", {}};
    Outcome outcome;
    outcome.impl = selection->impl;
    kernel::PrepareContext prepare(ref, Source());
    outcome.status = selection->kernel->Prepare(prepare);
    if (!outcome.status.ok()) return outcome;
    // What the kernel has replaced must not be read any more.
    for (const size_t replaced : prepare.replaced()) {
      const Tensor nothing = Random(inputs[replaced].shape(), 9999);
      values[replaced] = Value(nothing);
    }
    InvokeOptions options;
    options.source = Source();
    options.pool = pool;
    options.width = width;
    auto results = kernel::Invoke(*selection->kernel, ref, values, options);
    outcome.status = results.ok() ? Status() : results.status();
    if (results.ok()) outcome.out = *results->at(0).tensor();
    return outcome;
  }

  void Expect(std::string_view impl, const Shape& shape, const std::vector<float>& want) const {
    const Outcome outcome = Run();
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    EXPECT_EQ(outcome.impl, impl);
    EXPECT_EQ(outcome.out.shape(), shape);
    const auto got = outcome.out.span<float>();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-4) << i;
  }

  void Fails(std::string_view words) const {
    const Outcome outcome = Run();
    ASSERT_FALSE(outcome.status.ok());
    EXPECT_NE(outcome.status.ToString().find(words), std::string::npos)
        << outcome.status.ToString();
  }
};

// Element of a broadcast input at output index `i`.
float At(const Tensor& t, const Shape& out, size_t i) {
  size_t offset = 0;
  for (size_t axis = out.rank(); axis > 0; --axis) {
    const size_t position = i % static_cast<size_t>(out[axis - 1]);
    i /= static_cast<size_t>(out[axis - 1]);
    const size_t skip = out.rank() - t.shape().rank();
    if (axis <= skip) continue;
    const size_t own = axis - 1 - skip;
    if (t.shape()[own] != 1) offset += position * static_cast<size_t>(t.shape().Stride(own));
  }
  return t.span<float>()[offset];
}

TEST(CpuBinary, BroadcastsEveryWay) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{}, {}},
      {{5}, {5}},
      {{5}, {}},
      {{}, {2, 3}},
      {{2, 3}, {3}},
      {{3}, {2, 3}},
      {{2, 1}, {1, 3}},
      {{2, 3, 4}, {3, 1}},
      {{1, 3, 1, 1}, {2, 3, 4, 5}},
      {{2, 3, 4, 5}, {2, 1, 4, 1}},
      {{0}, {1}},
      {{2, 0, 3}, {3}},
      {{1, 1}, {1}},
      {{4, 1, 6}, {4, 5, 6}},
      {{2, 1, 2, 1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 1, 2, 1}}};
  using Plain = float (*)(float, float);
  const std::vector<std::pair<std::string, Plain>> ops = {
      {"Add", [](float x, float y) { return x + y; }},
      {"Sub", [](float x, float y) { return x - y; }},
      {"Mul", [](float x, float y) { return x * y; }},
      {"Div", [](float x, float y) { return x / y; }}};
  const auto pool = MakeThreadPool(3);
  for (const auto& [op, plain] : ops) {
    for (const auto& [a, b] : shapes) {
      const Case c{op, 14, {Random(a, 1), Random(b, 2)}};
      const Case::Outcome outcome = c.Run(pool.get(), 3);
      ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
      const Shape out = *BroadcastShapes(a, b);
      ASSERT_EQ(outcome.out.shape(), out);
      const auto got = outcome.out.span<float>();
      for (size_t i = 0; i < got.size(); ++i) {
        const float want = plain(At(c.inputs[0], out, i), At(c.inputs[1], out, i));
        ASSERT_TRUE(got[i] == want || (std::isnan(got[i]) && std::isnan(want))) << op << i;
      }
    }
  }
  Case{"Add", 14, {Random({2}, 1), Random({3}, 2)}}.Fails("do not broadcast");
}

TEST(CpuBinary, LargeInputsOnSeveralThreads) {
  const auto pool = MakeThreadPool(3);
  const Shape shape{3, 50000};
  for (const Shape& other : {shape, Shape({3, 1}), Shape({50000}), Shape()}) {
    const Case c{"Mul", 7, {Random(shape, 1), Random(other, 2)}};
    const auto got = c.Run(pool.get(), 3).out;
    for (size_t i = 0; i < 150000; i += 37) {
      ASSERT_EQ(got.span<float>()[i], At(c.inputs[0], shape, i) * At(c.inputs[1], shape, i));
    }
  }
}

TEST(CpuUnary, Relu) {
  Case{"Relu", 14, {Make({2, 2}, {-1, 0, 2, -3})}}.Expect("elementwise.tile", {2, 2}, {0, 0, 2, 0});
  Case{"Relu", 14, {Make({0}, {})}}.Expect("elementwise.tile", {0}, {});
  const auto pool = MakeThreadPool(3);
  const Tensor x = Random({100001}, 3);
  const auto got = Case{"Relu", 14, {x}}.Run(pool.get(), 3).out;
  for (size_t i = 0; i < 100001; ++i) {
    ASSERT_EQ(got.span<float>()[i], std::max(x.span<float>()[i], 0.0f));
  }
}

// [batch...] products of [m x k] and [k x n] by definition.
std::vector<float> Product(const Tensor& a, const Tensor& b, size_t m, size_t k, size_t n,
                           const Shape& batch_a, const Shape& batch_b) {
  const Shape batch = *BroadcastShapes(batch_a, batch_b);
  const BroadcastLoops loops = MakeBroadcastLoops(batch_a, batch_b, batch);
  std::vector<float> out;
  for (size_t i = 0; i < static_cast<size_t>(batch.elems()); ++i) {
    BroadcastOffsets at = OffsetsAt(loops, i / loops.inner.dim);
    at.a += i % loops.inner.dim * loops.inner.a_stride;
    at.b += i % loops.inner.dim * loops.inner.b_stride;
    for (size_t row = 0; row < m; ++row) {
      for (size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (size_t j = 0; j < k; ++j) {
          sum += double{a.span<float>()[(at.a * m + row) * k + j]} *
                 b.span<float>()[(at.b * k + j) * n + column];
        }
        out.push_back(static_cast<float>(sum));
      }
    }
  }
  return out;
}

TEST(CpuMatMul, ConstantRightHandSideIsPacked) {
  const Tensor b = Random({7, 5}, 1);
  const Tensor matrix = Random({3, 7}, 2);
  Case{"MatMul", 13, {matrix, b}, {1}}.Expect("matmul.packed", {3, 5},
                                              Product(matrix, b, 3, 7, 5, {}, {}));
  const Tensor vector = Random({7}, 3);
  Case{"MatMul", 13, {vector, b}, {1}}.Expect("matmul.packed", {5},
                                              Product(vector, b, 1, 7, 5, {}, {}));
  const Tensor batch = Random({2, 4, 3, 7}, 4);
  Case{"MatMul", 13, {batch, b}, {1}}.Expect("matmul.packed", {2, 4, 3, 5},
                                             Product(batch, b, 24, 7, 5, {}, {}));
  Case{"MatMul", 13, {Random({0, 7}, 1), b}, {1}}.Expect("matmul.packed", {0, 5}, {});
  Case{"MatMul", 13, {Random({2, 0}, 1), Random({0, 3}, 1)}, {1}}.Expect(
      "matmul.packed", {2, 3}, std::vector<float>(6, 0.0f));
  Case{"MatMul", 13, {Random({3, 6}, 2), b}, {1}}.Fails("can not be multiplied");
}

TEST(CpuMatMul, RightHandSidePackedAtRun) {
  const auto check = [](const Shape& a_batch, const Shape& b_batch, size_t m, size_t k, size_t n) {
    Shape a_shape = a_batch;
    a_shape.PushBack(static_cast<int64_t>(m));
    a_shape.PushBack(static_cast<int64_t>(k));
    Shape b_shape = b_batch;
    b_shape.PushBack(static_cast<int64_t>(k));
    b_shape.PushBack(static_cast<int64_t>(n));
    const Tensor a = Random(a_shape, 5);
    const Tensor b = Random(b_shape, 6);
    Shape out = *BroadcastShapes(a_batch, b_batch);
    out.PushBack(static_cast<int64_t>(m));
    out.PushBack(static_cast<int64_t>(n));
    const Case c{"MatMul", 13, {a, b}};
    c.Expect("matmul.pack_at_run", out, Product(a, b, m, k, n, a_batch, b_batch));
    const auto pool = MakeThreadPool(3);
    const Tensor alone = c.Run().out;
    const Tensor together = c.Run(pool.get(), 3).out;
    EXPECT_EQ(std::memcmp(alone.view().data, together.view().data, alone.view().bytes()), 0);
  };
  check({}, {}, 3, 4, 5);
  check({2, 3}, {2, 3}, 3, 4, 5);
  check({2, 1}, {3}, 2, 9, 17);
  check({12}, {}, 5, 6, 33);
  check({0}, {1}, 2, 3, 4);
  check({2}, {2}, 2, 0, 4);
  const Tensor vector = Random({4}, 7);
  const Tensor other = Random({4}, 8);
  Case{"MatMul", 13, {vector, other}}.Expect("matmul.pack_at_run", {},
                                             Product(vector, other, 1, 4, 1, {}, {}));
  const Tensor matrix = Random({3, 4}, 9);
  Case{"MatMul", 13, {matrix, vector}}.Expect("matmul.pack_at_run", {3},
                                              Product(matrix, vector, 3, 4, 1, {}, {}));
  Case{"MatMul", 13, {Random({}, 1), vector}}.Fails("can not be multiplied");
  Case{"MatMul", 13, {Random({2, 3, 4}, 1), Random({3, 4, 2}, 1)}}.Fails("can not be multiplied");
}

TEST(CpuGemm, PackedWithRowBias) {
  Case c{"Gemm", 13, {Make({2, 2}, {1, 2, 3, 4}), Make({2, 3}, {1, 0, 2, 0, 1, 3})}, {1}};
  c.Expect("gemm.packed", {2, 3}, {1, 2, 8, 3, 4, 18});
  c.inputs.push_back(Make({3}, {10, 20, 30}));
  c.Expect("gemm.packed", {2, 3}, {11, 22, 38, 13, 24, 48});
  c.inputs[2] = Make({1, 3}, {10, 20, 30});
  c.Expect("gemm.packed", {2, 3}, {11, 22, 38, 13, 24, 48});
  c.attrs.Set("transB", int64_t{1});
  c.inputs[1] = Make({3, 2}, {1, 0, 0, 1, 2, 3});
  c.Expect("gemm.packed", {2, 3}, {11, 22, 38, 13, 24, 48});
  c.inputs[2] = Make({3, 1}, {1, 2, 3});
  c.Fails("does not broadcast");
}

TEST(CpuConv, AttributesAndShapes) {
  const Tensor x = Make({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor w = Make({1, 1, 2, 2}, {1, 1, 1, 1});
  Case c{"Conv", 11, {x, w}};
  c.Expect("conv.panel", {1, 1, 2, 2}, {12, 16, 24, 28});
  c.attrs.Set("pads", std::vector<int64_t>{1, 0, 0, 1});
  c.Expect("conv.panel", {1, 1, 3, 3}, {3, 5, 3, 12, 16, 9, 24, 28, 15});
  c.attrs.Set("strides", std::vector<int64_t>{2, 1});
  c.Expect("conv.panel", {1, 1, 2, 3}, {3, 5, 3, 24, 28, 15});
  c.attrs = {};
  c.attrs.Set("auto_pad", std::string("SAME_UPPER"));
  c.Expect("conv.panel", {1, 1, 3, 3}, {12, 16, 9, 24, 28, 15, 15, 17, 9});
  c.attrs.Set("auto_pad", std::string("SAME_LOWER"));
  c.Expect("conv.panel", {1, 1, 3, 3}, {1, 3, 5, 5, 12, 16, 11, 24, 28});
  c.inputs.push_back(Make({1}, {100}));
  c.Expect("conv.panel", {1, 1, 3, 3}, {101, 103, 105, 105, 112, 116, 111, 124, 128});
  c.inputs[2] = Make({2}, {1, 2});
  c.Fails("bias [2]");
  const Tensor line = Make({1, 1, 4}, {1, 2, 3, 4});
  const Tensor taps = Make({1, 1, 2}, {1, -1});
  Case{"Conv", 22, {line, taps}}.Expect("conv.panel", {1, 1, 3}, {-1, -1, -1});
  Case{"Conv", 22, {Make({0, 1, 4}, {}), taps}}.Expect("conv.panel", {0, 1, 3}, {});
}

TEST(CpuConv, BadShapesAndAttributesAreNamed) {
  const Tensor x = Random({1, 4, 5, 5}, 1);
  Case{"Conv", 11, {x, Random({2, 3, 1, 1}, 1)}}.Fails("do not fit with 1 groups");
  Case{"Conv", 11, {x, Random({2, 4, 6, 1}, 1)}}.Fails("a kernel of 6 does not fit");
  Case{"Conv", 11, {x, Random({2, 4, 1}, 1)}}.Fails("not of rank 3");
  Case c{"Conv", 11, {x, Random({2, 4, 1, 1}, 1)}};
  c.attrs.Set("group", int64_t{0});
  c.Fails("group is 0");
  c.attrs.Set("group", int64_t{3});
  c.Fails("do not fit with 3 groups");
  c.attrs = {};
  c.attrs.Set("strides", std::vector<int64_t>{0, 1});
  c.Fails("strides holds 0");
  c.attrs.Set("strides", std::vector<int64_t>{1});
  c.Fails("1 numbers instead of 2");
  c.attrs = {};
  c.attrs.Set("pads", std::vector<int64_t>{INT64_MAX, 0, 0, 0});
  c.Fails("pads holds");
  Case{"Conv", 11, {Random({1, 1, 2, 2, 2}, 1), Random({1, 1, 1, 1, 1}, 1)}}.Fails(
      "3 spatial axes");
}

TEST(CpuTable, OtherTypesAreRefusedWithAReason) {
  auto doubles = Tensor::Allocate(DType::kF64, {2}, Source(), MemoryTag::kUser);
  ASSERT_TRUE(doubles.ok());
  for (const char* op : {"Add", "Relu", "MatMul", "Gemm", "Conv"}) {
    Case{op, 14, {*doubles, *doubles}}.Fails("element type double is not float");
  }
}

}  // namespace
}  // namespace waybill::cpu
