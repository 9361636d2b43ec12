// Every 8-bit operator against its reference kernel, as a session selects, prepares and runs both.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cpu/kernels/table.h"
#include "cpu/testing/odd_places.h"
#include "kernel/api/invoke.h"
#include "kernel/reference/reference.h"
#include "kernel/select/select.h"
#include "memory/source/system_source.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

std::shared_ptr<MemorySource> Source() {
  static const auto source = std::make_shared<SystemSource>();
  return source;
}

template <typename T>
Tensor Make(Shape shape, const std::vector<T>& values, DType dtype) {
  auto tensor = Tensor::Allocate(dtype, std::move(shape), Source(), MemoryTag::kUser);
  EXPECT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->template span<T>().size(), values.size());
  std::copy(values.begin(), values.end(), tensor->template span<T>().begin());
  return *tensor;
}
Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Make<float>(std::move(shape), values, DType::kF32);
}
Tensor Ints(Shape shape, const std::vector<int32_t>& values) {
  return Make<int32_t>(std::move(shape), values, DType::kI32);
}
Tensor Bytes(DType dtype, Shape shape, const std::vector<int>& values) {
  std::vector<uint8_t> bytes(values.begin(), values.end());
  auto tensor = Tensor::Allocate(dtype, std::move(shape), Source(), MemoryTag::kUser);
  EXPECT_EQ(tensor->view().bytes(), bytes.size());
  if (!bytes.empty()) std::memcpy(tensor->view().data, bytes.data(), bytes.size());
  return *tensor;
}

std::mt19937& Random() {
  static std::mt19937 random(7);
  return random;
}
Tensor RandomBytes(DType dtype, Shape shape) {
  std::vector<int> values(static_cast<size_t>(shape.elems()));
  for (int& v : values) v = static_cast<int>(Random()() % 256);
  return Bytes(dtype, std::move(shape), values);
}
Tensor Zero(DType dtype, int value) { return Bytes(dtype, {}, {value}); }

struct Case {
  std::string domain, op;
  std::vector<Tensor> inputs;  // undefined where omitted
  std::vector<size_t> variable = {0};
  graph::Attributes attrs = {};
  std::vector<DType> outputs = {};
  int version = 10;

  graph::Graph Build() const {
    graph::Graph graph;
    graph::Node node;
    node.domain = domain;
    node.op_type = op;
    node.since_version = domain.empty() ? version : 1;
    node.attrs = attrs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined()) {
        node.inputs.push_back(graph::kNoValue);
        continue;
      }
      graph::Value value;
      value.type = ValueType::Tensor(inputs[i].dtype(), SymShape(inputs[i].shape()));
      if (std::find(variable.begin(), variable.end(), i) == variable.end()) {
        value.constant = graph::Constant(inputs[i]);
      }
      node.inputs.push_back(graph.AddValue(std::move(value)));
    }
    for (const DType dtype : outputs) {
      graph::Value out;
      out.type = ValueType::Tensor(dtype);
      node.outputs.push_back(graph.AddValue(std::move(out)));
    }
    graph.AddNode(std::move(node));
    return graph;
  }

  std::vector<Tensor> Run(const kernel::Provider& provider, std::string* impl, size_t width,
                          std::shared_ptr<MemorySource> source = Source()) const {
    const graph::Graph graph = Build();
    const graph::NodeRef ref(graph, graph.node(0));
    auto selection = kernel::Select(ref, {&provider, 1});
    EXPECT_TRUE(selection.ok()) << selection.status().ToString();
    if (!selection.ok()) return {};
    *impl = std::string(selection->impl);
    kernel::PrepareContext prepare(ref, Source());
    EXPECT_TRUE(selection->kernel->Prepare(prepare).ok());
    std::vector<Value> values;
    for (const Tensor& input : inputs) values.push_back(input.defined() ? Value(input) : Value());
    // What the kernel has replaced must not be read any more.
    for (const size_t i : prepare.replaced()) {
      const bool wide = inputs[i].dtype() == DType::kI32;
      const Shape shape = wide ? Shape({0}) : inputs[i].shape();
      const std::vector<int> other(static_cast<size_t>(shape.elems()), 0xA5);
      values[i] = Value(Bytes(wide ? DType::kU8 : inputs[i].dtype(), shape, other));
    }
    kernel::InvokeOptions options;
    options.source = std::move(source);
    options.tag = MemoryTag::kOutput;
    const auto pool = MakeThreadPool(width);
    options.pool = pool.get();
    options.width = width;
    auto results = kernel::Invoke(*selection->kernel, ref, values, options);
    EXPECT_TRUE(results.ok()) << results.status().ToString();
    std::vector<Tensor> out;
    if (!results.ok()) return out;
    for (const Value& value : *results) out.push_back(*value.tensor());
    return out;
  }

  // Bytes may differ by one where float and double round a tie apart: in few of a hundred, as the
  // scales have it.
  void Compare(std::string_view impl) const {
    std::string used;
    const auto want = Run({"reference", kernel::reference::AllTables()}, &used, 1);
    OnEveryTarget([&] {
      for (const size_t width : {1, 2}) CompareAll(Run({"cpu", {Kernels()}}, &used, width), want);
      EXPECT_EQ(used, impl);
      Case odd = *this;
      for (Tensor& input : odd.inputs) input = OddCopy(input);
      CompareAll(odd.Run({"cpu", {Kernels()}}, &used, 1, OddSourceFor(outputs)), want);
    });
  }

  void CompareAll(const std::vector<Tensor>& got, const std::vector<Tensor>& want) const {
    ASSERT_EQ(got.size(), want.size());
    for (size_t o = 0; o < got.size(); ++o) CompareTensors(got[o], want[o]);
  }

  void CompareTensors(const Tensor& got, const Tensor& want) const {
    ASSERT_EQ(got.dtype(), want.dtype());
    ASSERT_EQ(got.shape(), want.shape());
    const size_t count = static_cast<size_t>(got.shape().elems());
    size_t off = 0;
    for (size_t i = 0; i < count; ++i) {
      if (got.dtype() == DType::kF32) {
        ASSERT_FLOAT_EQ(got.span<float>()[i], want.span<float>()[i]) << i;
      } else if (got.dtype() == DType::kI32) {
        ASSERT_EQ(got.span<int32_t>()[i], want.span<int32_t>()[i]) << i;
      } else {
        const bool is_signed = got.dtype() == DType::kI8;
        const int a = is_signed ? got.span<int8_t>()[i] : got.span<uint8_t>()[i];
        const int b = is_signed ? want.span<int8_t>()[i] : want.span<uint8_t>()[i];
        ASSERT_LE(std::abs(a - b), 1) << i;
        off += a != b ? 1 : 0;
      }
    }
    EXPECT_LE(off * 20, count);
  }
};

constexpr DType kTypes[] = {DType::kU8, DType::kI8};

Case QLinearConv(DType x, DType w, DType y, Shape x_shape, Shape w_shape, bool per_channel,
                 bool bias) {
  const int64_t m = w_shape[0];
  std::vector<float> scales(static_cast<size_t>(per_channel ? m : 1));
  for (float& s : scales) s = 0.001f * static_cast<float>(1 + Random()() % 50);
  std::vector<int32_t> biases(static_cast<size_t>(m));
  for (int32_t& b : biases) b = static_cast<int32_t>(Random()() % 2000) - 1000;
  Case c;
  c.op = "QLinearConv";
  const Shape lines = per_channel ? Shape({m}) : Shape();
  c.inputs = {
      RandomBytes(x, x_shape), Floats({}, {0.02f}),   Zero(x, 37),         RandomBytes(w, w_shape),
      Floats(lines, scales),   RandomBytes(w, lines), Floats({1}, {0.5f}), Zero(y, 90)};
  if (bias) c.inputs.push_back(Ints({m}, biases));
  c.outputs = {y};
  return c;
}

TEST(ByteKernels, QLinearConv) {
  for (const DType x : kTypes) {
    for (const DType w : kTypes) {
      for (const DType y : kTypes) {
        Case plain = QLinearConv(x, w, y, {2, 5, 6, 7}, {9, 5, 3, 3}, true, true);
        plain.attrs.Set("pads", std::vector<int64_t>{1, 0, 2, 1});
        plain.Compare("qlinear_conv.packed");
        QLinearConv(x, w, y, {2, 5, 6, 7}, {4, 5, 1, 1}, false, false)
            .Compare("qlinear_conv.packed");
        Case depthwise = QLinearConv(x, w, y, {1, 9, 8, 6}, {9, 1, 3, 3}, true, true);
        depthwise.attrs.Set("group", int64_t{9});
        depthwise.attrs.Set("auto_pad", std::string("SAME_LOWER"));
        depthwise.attrs.Set("strides", std::vector<int64_t>{2, 1});
        depthwise.Compare("qlinear_conv.packed");
      }
    }
  }
}

TEST(ByteKernels, QLinearConvShapes) {
  Case line = QLinearConv(DType::kU8, DType::kI8, DType::kU8, {1, 6, 20}, {7, 6, 3}, true, true);
  line.attrs.Set("dilations", std::vector<int64_t>{2});
  line.Compare("qlinear_conv.packed");
  Case grouped =
      QLinearConv(DType::kU8, DType::kI8, DType::kI8, {1, 6, 9, 9}, {4, 3, 2, 3}, true, false);
  grouped.attrs.Set("group", int64_t{2});
  grouped.Compare("qlinear_conv.packed");
  QLinearConv(DType::kU8, DType::kI8, DType::kU8, {0, 6, 9, 9}, {4, 6, 2, 3}, true, false)
      .Compare("qlinear_conv.packed");
  QLinearConv(DType::kU8, DType::kI8, DType::kU8, {1, 3, 1, 1}, {2, 3, 1, 1}, true, false)
      .Compare("qlinear_conv.packed");
  for (const int64_t group : {1, 6}) {
    Case last = QLinearConv(DType::kU8, DType::kI8, DType::kU8, {2, 9, 8, 6}, {6, 6 / group, 3, 3},
                            true, true);
    last.domain = "waybill";
    last.attrs.Set("channels_last", int64_t{1});
    last.attrs.Set("group", group);
    last.Compare("qlinear_conv.packed");
  }
}

TEST(ByteKernels, QLinearConvRefusals) {
  Case c = QLinearConv(DType::kU8, DType::kI8, DType::kU8, {1, 3, 2, 2}, {2, 3, 1, 1}, true, false);
  c.variable = {0, 3};
  std::string used;
  const kernel::Provider providers[] = {{"cpu", {Kernels()}},
                                        {"reference", kernel::reference::AllTables()}};
  const graph::Graph graph = c.Build();
  const auto selection = kernel::Select({graph, graph.node(0)}, providers);
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->impl, "qlinear_conv.reference");
  ASSERT_EQ(selection->refusals.size(), 1u);
  EXPECT_EQ(selection->refusals[0].reason, "the weights are not constant");
}

TEST(ByteKernels, ConvInteger) {
  for (const DType x : kTypes) {
    for (const DType w : kTypes) {
      for (const bool zeros : {false, true}) {
        Case c;
        c.op = "ConvInteger";
        c.inputs = {RandomBytes(x, {2, 4, 7, 5}), RandomBytes(w, {6, 4, 3, 2})};
        if (zeros) c.inputs.push_back(Zero(x, 200));
        if (zeros) c.inputs.push_back(RandomBytes(w, {6}));
        c.variable = {0, 2};  // the zero point of x comes from the run
        c.outputs = {DType::kI32};
        c.Compare("conv_integer.packed");
      }
    }
  }
}

TEST(ByteKernels, MatMul) {
  for (const DType a : kTypes) {
    for (const DType b : kTypes) {
      for (const Shape& shape : {Shape({7, 33}), Shape({2, 3, 33}), Shape({33}), Shape({0, 33})}) {
        Case integer;
        integer.op = "MatMulInteger";
        integer.inputs = {RandomBytes(a, shape), RandomBytes(b, {33, 21}), Zero(a, 77),
                          RandomBytes(b, {21})};
        integer.variable = {0, 2};
        integer.outputs = {DType::kI32};
        integer.Compare("matmul_integer.packed");
        Case linear;
        linear.op = "QLinearMatMul";
        linear.inputs = {RandomBytes(a, shape),    Floats({}, {0.01f}),  Zero(a, 99),
                         RandomBytes(b, {33, 21}), Floats({1}, {0.02f}), Zero(b, 3),
                         Floats({}, {0.3f}),       Zero(a, 128)};
        linear.outputs = {a};
        linear.Compare("qlinear_matmul.packed");
        Case gemm = linear;
        gemm.domain = "waybill";
        gemm.op = "QLinearGemm";
        gemm.attrs.Set("transB", int64_t{1});
        gemm.inputs[3] = RandomBytes(b, {21, 33});
        std::vector<int32_t> bias(21);
        for (int32_t& v : bias) v = static_cast<int32_t>(Random()() % 5000) - 2500;
        gemm.inputs.push_back(Ints({21}, bias));
        gemm.Compare("qlinear_gemm.packed");
      }
    }
  }
}

TEST(ByteKernels, QuantizeAndBack) {
  for (const DType type : kTypes) {
    for (const int64_t count : {0, 1, 3, 8, 31}) {
      std::vector<float> x(static_cast<size_t>(2 * 3 * count));
      for (float& v : x) v = static_cast<float>(Random()() % 4001) / 8.0f - 250.0f;
      for (size_t i = 0; i < x.size(); i += 5) x[i] = i % 2 == 0 ? 1e30f : -1e30f;
      for (size_t i = 1; i < x.size(); i += 7) x[i] = std::nanf("");
      for (const bool per_axis : {false, true}) {
        const Shape lines = per_axis ? Shape({3}) : Shape();
        const Tensor scale = per_axis ? Floats(lines, {0.5f, 1.0f, 3.0f}) : Floats(lines, {0.25f});
        const Tensor zero = RandomBytes(type, lines);
        Case quantize;
        quantize.op = "QuantizeLinear";
        quantize.version = 13;
        quantize.inputs = {Floats({2, 3, count}, x), scale, zero};
        quantize.variable = {0, 1, 2};
        quantize.outputs = {type};
        quantize.Compare("quantize_linear.simd");
        Case back;
        back.op = "DequantizeLinear";
        back.version = 13;
        back.inputs = {RandomBytes(type, {2, 3, count}), scale, zero};
        back.variable = {0, 1, 2};
        back.outputs = {DType::kF32};
        back.Compare("dequantize_linear.simd");
      }
    }
  }
}

TEST(ByteKernels, DynamicQuantize) {
  for (const int64_t count : {0, 1, 7, 8, 9, 100}) {
    std::vector<float> x(static_cast<size_t>(count));
    for (float& v : x) v = static_cast<float>(Random()() % 4001) / 8.0f - 100.0f;
    Case c;
    c.op = "DynamicQuantizeLinear";
    c.version = 11;
    c.inputs = {Floats({count}, x)};
    c.outputs = {DType::kU8, DType::kF32, DType::kU8};
    c.Compare("dynamic_quantize_linear.simd");
  }
}

TEST(ByteKernels, Add) {
  for (const DType type : kTypes) {
    for (const int64_t count : {0, 1, 7, 8, 9, 100}) {
      Case c;
      c.domain = "waybill";
      c.op = "QLinearAdd";
      c.inputs = {RandomBytes(type, {2, count}),
                  Floats({}, {0.21f}),
                  Zero(type, 50),
                  RandomBytes(type, {2, count}),
                  Floats({}, {0.13f}),
                  Zero(type, 80),
                  Floats({}, {0.3f}),
                  Zero(type, 99)};
      c.variable = {0, 3};
      c.outputs = {type};
      c.Compare("qlinear_add.simd");
    }
  }
}

TEST(ByteKernels, GlobalAveragePool) {
  for (const DType type : kTypes) {
    for (const bool last : {false, true}) {
      Case c;
      c.domain = "waybill";
      c.op = "QLinearGlobalAveragePool";
      if (last) c.attrs.Set("channels_last", int64_t{1});
      c.inputs = {RandomBytes(type, last ? Shape({2, 3, 4, 11}) : Shape({2, 11, 3, 4})),
                  Floats({}, {0.21f}), Zero(type, 50), Floats({}, {0.1f}), Zero(type, 99)};
      c.outputs = {type};
      c.Compare("qlinear_global_average_pool.simd");
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
