// Operators of com.microsoft, which no conformance case has: a small model of each.
#include <span>

#include "onnx/model/writer/model_writer.h"
#include "tensor/dtype/types.h"
#include "tests/oom/kernel_failures.h"
#include "tests/support/session_fixture.h"

namespace waybill {
namespace {

class ContribOom : public testing::KernelOom {};

using Dims = std::vector<int64_t>;

template <typename T>
std::vector<T> Filled(const Dims& dims, T value) {
  size_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return std::vector<T>(count, value);
}

// A model of one node, what it is fed, and the constants among its inputs.
struct OneNode {
  explicit OneNode(const char* name) : op(name) {}

  template <typename T>
  OneNode& In(const Dims& dims, T value) {
    const std::string name = Next();
    graph.Input(name, onnx::DataTypeOf<T>(), onnx::ShapeWriter(dims.begin(), dims.end()));
    fed.push_back(session::MakeTensor<T>(kDTypeOf<T>, Shape(std::span<const int64_t>(dims)),
                                         Filled(dims, value)));
    return *this;
  }
  template <typename T>
  OneNode& Weight(const Dims& dims, T value) {
    graph.Initializer(onnx::TensorWriter::Of<T>(Next(), dims, Filled(dims, value)));
    return *this;
  }
  OneNode& With(std::function<void(onnx::NodeWriter&)> attributes) {
    with = std::move(attributes);
    return *this;
  }

  std::string Bytes() const {
    onnx::ModelWriter model;
    model.Opset("", 17).Opset("com.microsoft", 1);
    model.graph() = graph;
    onnx::NodeWriter& node = model.graph().Node(op, inputs, {"y"}).Domain("com.microsoft");
    if (with) with(node);
    model.graph().Output("y", onnx::TypeWriter::TensorOfAnyRank(onnx::kFloat));
    return model.bytes();
  }

  std::string Next() { return inputs.emplace_back("x" + std::to_string(inputs.size())); }

  std::string op;
  onnx::GraphWriter graph;
  std::vector<std::string> inputs;
  std::vector<Value> fed;
  std::function<void(onnx::NodeWriter&)> with;
};

std::vector<OneNode> Nodes() {
  const auto node = [](const char* op) { return OneNode(op); };
  const Dims image = {1, 2, 5, 5}, rows = {2, 3, 8}, bytes = {2, 4};
  return {
      node("FusedMatMul").In(rows, 1.f).Weight<float>({8, 5}, 2).With([](onnx::NodeWriter& n) {
        n.Float("alpha", 0.5f);
      }),
      node("MultiHeadAttention").In(rows, 1.f).In(rows, 2.f).In(rows, 3.f).With([](auto& n) {
        n.Int("num_heads", 2);
      }),
      node("RotaryEmbedding")
          .In(rows, 1.f)
          .In<int64_t>({2, 3}, 1)
          .Weight<float>({4, 4}, 0)
          .Weight<float>({4, 4}, 1),
      node("SkipLayerNormalization")
          .In(rows, 1.f)
          .In(rows, 2.f)
          .Weight<float>({8}, 1)
          .Weight<float>({8}, 2),
      node("SkipSimplifiedLayerNormalization").In(rows, 1.f).In(rows, 2.f).Weight<float>({8}, 1),
      node("Gelu").In(rows, 1.f),
      node("BiasGelu").In(rows, 1.f).Weight<float>({8}, 1),
      node("FastGelu").In(rows, 1.f).Weight<float>({8}, 1),
      node("QuickGelu").In(rows, 1.f),
      node("FusedConv").In(image, 1.f).Weight<float>({3, 2, 3, 3}, 1).With([](auto& n) {
        n.String("activation", "Relu");
      }),
      node("MatMulIntegerToFloat")
          .In<uint8_t>(bytes, 130)
          .Weight<int8_t>({4, 3}, 2)
          .Weight<float>({}, 0.5f)
          .Weight<float>({1}, 2)
          .Weight<uint8_t>({}, 128),
      node("DynamicQuantizeMatMul").In(bytes, 1.f).Weight<int8_t>({4, 3}, 2).Weight<float>({1}, 2),
  };
}

TEST_P(ContribOom, FailuresAreCleanInEachOperator) {
  ASSERT_NE(failing_.env, nullptr);
  size_t done = 0;
  for (const OneNode& node : Nodes()) {
    SCOPED_TRACE(node.op);
    const std::string bytes = node.Bytes();
    const auto load = [&] {
      return session::Session::LoadBytes(failing_.env, std::as_bytes(std::span(bytes)), false,
                                         testing::OptionsOf(GetParam()));
    };
    {
      const auto loaded = load();
      if (!loaded.ok()) {
        // Kernels may come before the schema that lets a model have the operator.
        const std::string text = loaded.status().ToString();
        ASSERT_NE(text.find("unknown operator"), std::string::npos) << text;
        continue;
      }
      const Status status = testing::RunOnce(**loaded, node.fed);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    ++done;
    FailEverywhere(node.op, load, node.fed);
    if (HasFailure()) return;
  }
  EXPECT_GE(done, 4u);
}

TEST(ContribOomCases, EveryOperatorWithAKernelHasOne) {
  std::set<std::string> here;
  for (const OneNode& node : Nodes()) here.insert(node.op);
  for (const kernel::OpKernels& op : kernel::reference::ContribKernels()) {
    EXPECT_TRUE(here.contains(std::string(op.op_type))) << op.op_type;
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, ContribOom, testing::kKernelSettings,
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace waybill
