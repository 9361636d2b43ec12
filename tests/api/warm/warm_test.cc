// A warm run through the C interface, into outputs that the caller gives, takes no memory: neither
// from the heap nor from the sources of tensor memory. With the library's own fast kernels.
#include <nlohmann/json.hpp>

#include "onnx/model/writer/model_writer.h"
#include "tests/api/api_support.h"
#include "tests/api/warm/reports.h"
#include "tests/support/alloc/alloc_hook.h"
#include "waybill.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloats = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr int64_t kChannels = 16, kSide = 32, kClasses = 64;
constexpr int64_t kElems = kChannels * kSide * kSide;

std::vector<float> Values(int64_t count) {
  std::vector<float> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) out[i] = 0.01f * static_cast<float>(i * 7 % 23) - 0.1f;
  return out;
}

// Convolution, a Swish and a residual in its epilogue or beside it, a matrix product, a softmax.
std::string Model() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n", kChannels, kSide, kSide});
  graph.Output("y", onnx::kFloat, {"n", kClasses});
  graph.Initializer(onnx::TensorWriter::Of<float>("k", {kChannels, kChannels, 3, 3},
                                                  Values(kChannels * kChannels * 9)));
  graph.Initializer(
      onnx::TensorWriter::Of<float>("w", {kElems, kClasses}, Values(kElems * kClasses)));
  graph.Initializer(onnx::TensorWriter::Of<float>("b", {kClasses}, Values(kClasses)));
  graph.Node("Conv", {"x", "k"}, {"c"}).Ints("pads", {1, 1, 1, 1});
  graph.Node("Sigmoid", {"c"}, {"s"});
  graph.Node("Mul", {"c", "s"}, {"m"});
  graph.Node("Add", {"m", "x"}, {"a"});
  graph.Node("Flatten", {"a"}, {"f"});
  graph.Node("MatMul", {"f", "w"}, {"p"});
  graph.Node("Add", {"p", "b"}, {"l"});
  graph.Node("Softmax", {"l"}, {"y"});
  return model.bytes();
}

class Warm : public ::testing::TestWithParam<int> {};

TEST_P(Warm, RunsTakeNoMemory) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSessionOptions> options = NewOptions();
  ASSERT_OK(Api().SetIntraOpNumThreads(options.get(), GetParam()));
  const std::string model = Model();
  OrtSession* loaded = nullptr;
  const testing::AllocCounter loading;
  ASSERT_OK(
      Api().CreateSessionFromArray(env.get(), model.data(), model.size(), options.get(), &loaded));
  ASSERT_GT(loading.allocations(), 0u);  // the counter sees what the library takes
  const Owned<OrtSession> session(loaded, Api().ReleaseSession);

  char* kernels = nullptr;
  ASSERT_OK(WaybillSessionGetKernelsJson(session.get(), DefaultAllocator(), &kernels));
  const nlohmann::json nodes = Json(kernels)["nodes"];
  ASSERT_GE(nodes.size(), 3u);
  for (const auto& node : nodes) EXPECT_NE(node["kernel"], "reference") << node;

  const char *in = "x", *out = "y";
  for (const int64_t batch : {1, 2}) {
    std::vector<float> x = Values(batch * kElems), y(static_cast<size_t>(batch * kClasses));
    const Owned<OrtValue> input = Wrap(x, kFloats, {batch, kChannels, kSide, kSide});
    const Owned<OrtValue> output = Wrap(y, kFloats, {batch, kClasses});
    const OrtValue* const given[] = {input.get()};
    OrtValue* wanted[] = {output.get()};
    const auto run = [&] {
      return Api().Run(session.get(), nullptr, &in, given, 1, &out, 1, wanted);
    };
    for (int i = 0; i < 3; ++i) ASSERT_OK(run());
    const std::vector<float> expected = y;
    const uint64_t takes = Takes(env.get());
    const testing::AllocCounter counter;
    OrtStatus* failed = nullptr;
    for (int i = 0; i < 5 && failed == nullptr; ++i) failed = run();
    EXPECT_EQ(counter.allocations(), 0u) << "batch " << batch;
    EXPECT_OK(failed);
    EXPECT_EQ(Takes(env.get()), takes) << "batch " << batch;
    EXPECT_EQ(y, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Warm, ::testing::Values(1, 2));

}  // namespace
}  // namespace waybill::api_test
