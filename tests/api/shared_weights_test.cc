// Sessions that share weights, and weights that callers bring.
#include <thread>

#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "waybill.hpp"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr int64_t kRows = 1024, kColumns = 16384;  // 64 MiB
constexpr size_t kWeightBytes = size_t{kRows} * kColumns * sizeof(float);

// y = x w over [1, kRows]; every element of w is 0.5.
std::string MatMulModel(bool external) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, kRows});
  onnx::TensorWriter w("w", onnx::kFloat, {kRows, kColumns});
  if (external) {
    w.External("w.bin", 0, kWeightBytes);
  } else {
    const std::vector<float> halves(static_cast<size_t>(kRows * kColumns), 0.5f);
    w.Raw(std::as_bytes(std::span(halves)));
  }
  graph.Initializer(w);
  graph.Node("MatMul", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {1, kColumns});
  return model.bytes();
}

float RunOnes(OrtSession* session, int64_t elems = kRows, const std::vector<int64_t>& shape = {}) {
  std::vector<float> ones(static_cast<size_t>(elems), 1.0f);
  const Owned<OrtValue> x =
      Wrap(ones, kFloat, shape.empty() ? std::vector<int64_t>{1, elems} : shape);
  const char *input = "x", *output = "y";
  const OrtValue* given = x.get();
  OrtValue* y = nullptr;
  EXPECT_OK(Api().Run(session, nullptr, &input, &given, 1, &output, 1, &y));
  const Owned<OrtValue> owner(y, Api().ReleaseValue);
  return y != nullptr ? Data<float>(y)[0] : -1;
}

Owned<OrtSession> SessionOf(const OrtEnv* env, const std::string& path,
                            const OrtSessionOptions* options = nullptr) {
  OrtSession* session = nullptr;
  EXPECT_OK(Api().CreateSession(env, path.c_str(), options, &session));
  return {session, Api().ReleaseSession};
}

// Rows 25 and 28 of the pains of users, case A13.
TEST(SharedWeights, EightSessionsOnOneFileHoldItsWeightsOnce) {
  for (const bool external : {false, true}) {
    const test::TempDir dir;
    if (external) {
      const std::vector<float> halves(static_cast<size_t>(kRows * kColumns), 0.5f);
      dir.Write("w.bin", {reinterpret_cast<const char*>(halves.data()), kWeightBytes});
    }
    const std::string path = dir.Write("m.onnx", MatMulModel(external));
    const Owned<OrtEnv> env = NewEnv();
    const size_t before = test::AnonymousBytes();
    std::vector<Owned<OrtSession>> sessions;
    size_t first = 0;
    for (int i = 0; i < 8; ++i) {
      sessions.push_back(SessionOf(env.get(), path));
      if (i == 0) first = test::AnonymousBytes();
    }
    const size_t after = test::AnonymousBytes();
    EXPECT_LE(after, before + kWeightBytes * 11 / 10) << external;
    EXPECT_LE(after, first + (size_t{2} << 20)) << external;
    for (const auto& session : sessions) EXPECT_EQ(RunOnes(session.get()), kRows * 0.5f);
    sessions.erase(sessions.begin());
    EXPECT_EQ(RunOnes(sessions.back().get()), kRows * 0.5f);
    sessions.clear();
    EXPECT_LE(test::AnonymousBytes(), before + (size_t{4} << 20)) << external;
  }
}

// What decides loading parts sessions, but packed weights are told by where they come from.
TEST(SharedWeights, SessionsWithOtherOptionsAndModelsWithTheSameDataSharePackedWeights) {
  const test::TempDir dir;
  {
    const std::vector<float> halves(static_cast<size_t>(kRows * kColumns), 0.5f);
    dir.Write("w.bin", {reinterpret_cast<const char*>(halves.data()), kWeightBytes});
  }
  // Of a file that changed a moment ago the contents count, which is another test's matter.
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  const std::string path = dir.Write("m.onnx", MatMulModel(true));
  const std::string other_path = dir.Write("n.onnx", MatMulModel(true));
  const Owned<OrtEnv> env = NewEnv();
  const size_t before = test::AnonymousBytes();
  const Owned<OrtSession> first = SessionOf(env.get(), path);
  const Owned<OrtSessionOptions> options = NewOptions();
  EXPECT_OK(Api().SetSessionGraphOptimizationLevel(options.get(), ORT_ENABLE_BASIC));
  const Owned<OrtSession> second = SessionOf(env.get(), path, options.get());
  const Owned<OrtSession> third = SessionOf(env.get(), other_path);
  EXPECT_LE(test::AnonymousBytes(), before + kWeightBytes * 11 / 10);
  for (const auto* session : {&first, &second, &third}) {
    EXPECT_EQ(RunOnes(session->get()), kRows * 0.5f);
  }
}

// Row 44.
TEST(SharedWeights, SixteenThreadsMakeSessionsAtOnce) {
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", MatMulModel(false));
  const Owned<OrtEnv> env = NewEnv();
  const size_t before = test::AnonymousBytes();
  std::vector<Owned<OrtSession>> sessions;
  for (int i = 0; i < 16; ++i) sessions.emplace_back(nullptr, Api().ReleaseSession);
  std::vector<std::thread> threads;
  for (auto& session : sessions) {
    threads.emplace_back([&] { session = SessionOf(env.get(), path); });
  }
  for (std::thread& thread : threads) thread.join();
  // Stacks and heaps of threads come on top.
  EXPECT_LE(test::AnonymousBytes(), before + kWeightBytes * 11 / 10 + (size_t{8} << 20));
  EXPECT_EQ(RunOnes(sessions[15].get()), kRows * 0.5f);
}

// Row 27.
TEST(CallersWeights, TheHandleMayBeReleasedBeforeTheSessionIsMade) {
  const Owned<OrtEnv> env = NewEnv();
  Owned<OrtSessionOptions> options = NewOptions();
  {
    const Owned<OrtValue> weight = NewTensor(kFloat, {});
    void* data = nullptr;
    ASSERT_OK(Api().GetTensorMutableData(weight.get(), &data));
    *static_cast<float*>(data) = 10;
    ASSERT_OK(Api().AddInitializer(options.get(), "one", weight.get()));
  }
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel(), options.get());
  options.reset();
  EXPECT_EQ(RunOnes(session.get(), 2), 11);
}

// Row 31: the buffer may go when the session exists.
TEST(CallersWeights, FilesInMemoryMayGoAfterTheLoad) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSessionOptions> options = NewOptions();
  std::vector<float> weights = {3, 4};
  char* buffer = reinterpret_cast<char*>(weights.data());
  const char* name = "w.bin";
  const size_t bytes = 8;
  ASSERT_OK(
      Api().AddExternalInitializersFromFilesInMemory(options.get(), &name, &buffer, &bytes, 1));
  const Owned<OrtSession> session = NewSession(env.get(), ExternalModel(), options.get());
  ASSERT_NE(session, nullptr);
  weights = {7, 8};
  EXPECT_EQ(RunOnes(session.get(), 2, {2}), 4);
  // Another session sees what is there now.
  const Owned<OrtSession> other = NewSession(env.get(), ExternalModel(), options.get());
  EXPECT_EQ(RunOnes(other.get(), 2, {2}), 8);
}

// A caller's 64 MiB: packed once for all sessions, and not at all where that is not wanted.
TEST(CallersWeights, ArePackedOnceOrNotAtAll) {
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", MatMulModel(false));
  std::vector<float> mine(static_cast<size_t>(kRows * kColumns), 0.25f);
  const Owned<OrtValue> value = Wrap(mine, kFloat, {kRows, kColumns});
  for (const bool pack : {true, false}) {
    const Owned<OrtEnv> env = NewEnv();
    const Owned<OrtSessionOptions> options = NewOptions();
    ASSERT_OK(Api().AddInitializer(options.get(), "w", value.get()));
    if (!pack) {
      ASSERT_OK(Api().AddSessionConfigEntry(options.get(), "session.disable_prepacking", "1"));
    }
    const size_t before = test::AnonymousBytes();
    std::vector<Owned<OrtSession>> sessions;
    for (int i = 0; i < 3; ++i) sessions.push_back(SessionOf(env.get(), path, options.get()));
    ASSERT_OK(Api().SetSessionGraphOptimizationLevel(options.get(), ORT_DISABLE_ALL));
    sessions.push_back(SessionOf(env.get(), path, options.get()));
    const size_t allowed = (pack ? kWeightBytes : 0) + (size_t{4} << 20);
    EXPECT_LE(test::AnonymousBytes(), before + allowed) << pack;
    for (const auto& session : sessions) EXPECT_EQ(RunOnes(session.get()), kRows * 0.25f);
  }
}

// Weights of 4 KiB and more that are transposed first: where nothing is packed they are read as
// they are too, by a fast kernel.
TEST(CallersWeights, TransposedOnesThatAreNotPackedAreReadFast) {
  constexpr int64_t kIn = 96, kOut = 80;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, kIn});
  std::vector<float> weights(static_cast<size_t>(kIn * kOut));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 17) - 8;
  graph.Initializer(onnx::TensorWriter::Of<float>("w", {kOut, kIn}, weights));
  graph.Node("Transpose", {"w"}, {"turned"});
  graph.Node("MatMul", {"x", "turned"}, {"y"});
  graph.Output("y", onnx::kFloat, {1, kOut});
  const std::string bytes = model.bytes();
  for (const bool pack : {true, false}) {
    const Owned<OrtEnv> env = NewEnv();
    const Owned<OrtSessionOptions> options = NewOptions();
    ASSERT_OK(Api().AddSessionConfigEntry(options.get(), "waybill.stream_bytes", "1"));
    ASSERT_OK(
        Api().AddSessionConfigEntry(options.get(), "session.disable_prepacking", pack ? "0" : "1"));
    const Owned<OrtSession> session = NewSession(env.get(), bytes, options.get());
    ASSERT_NE(session, nullptr);
    const std::string kernels = KernelsJson(session.get());
    const char* kernel = pack ? "fused_matmul.packed" : "fused_matmul.pack_at_run";
    EXPECT_NE(kernels.find(kernel), std::string::npos) << kernels;
    EXPECT_EQ(kernels.find("Transpose"), std::string::npos) << kernels;
    std::vector<float> ones(kIn, 1.0f);
    const Owned<OrtValue> x = Wrap(ones, kFloat, {1, kIn});
    const char *input = "x", *output = "y";
    const OrtValue* value = x.get();
    OrtValue* made = nullptr;
    ASSERT_OK(Api().Run(session.get(), nullptr, &input, &value, 1, &output, 1, &made));
    const Owned<OrtValue> y(made, Api().ReleaseValue);
    for (size_t row = 0; row < static_cast<size_t>(kOut); ++row) {
      float sum = 0;
      for (size_t i = 0; i < static_cast<size_t>(kIn); ++i) {
        sum += weights[row * static_cast<size_t>(kIn) + i];
      }
      EXPECT_EQ(Data<float>(y.get())[row], sum) << row;
    }
  }
}

TEST(PrepackedWeightsContainer, IsAcceptedAndNeedsNothing) {
  const Owned<OrtEnv> env = NewEnv();
  OrtPrepackedWeightsContainer* container = nullptr;
  ASSERT_OK(Api().CreatePrepackedWeightsContainer(&container));
  const std::string model = AddOneModel();
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", model);
  OrtSession *from_file = nullptr, *from_bytes = nullptr;
  ASSERT_OK(Api().CreateSessionWithPrepackedWeightsContainer(env.get(), path.c_str(), nullptr,
                                                             container, &from_file));
  ASSERT_OK(Api().CreateSessionFromArrayWithPrepackedWeightsContainer(
      env.get(), model.data(), model.size(), nullptr, container, &from_bytes));
  EXPECT_EQ(RunOnes(from_file, 2), 2);
  EXPECT_EQ(RunOnes(from_bytes, 2), 2);
  Api().ReleaseSession(from_file);
  Api().ReleaseSession(from_bytes);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "",
               Api().CreateSessionWithPrepackedWeightsContainer(env.get(), path.c_str(), nullptr,
                                                                nullptr, &from_file));
  Api().ReleasePrepackedWeightsContainer(container);
}

}  // namespace
}  // namespace waybill::api_test
