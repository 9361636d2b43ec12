// Limits of memory, and memory that goes back by itself.
#include <chrono>
#include <thread>

#include "tests/pains/alone.h"
#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "waybill.h"

namespace waybill::pains {
namespace {

constexpr int64_t kChannels = 4, kSide = 256;

size_t PlannedBytes(OrtSession* session) {
  WaybillPlanReport report = {};
  EXPECT_OK(
      WaybillSessionGetPlanReport(session, nullptr, nullptr, nullptr, 0, &report, sizeof report));
  return report.planned_bytes;
}

struct BigRun {
  BigRun() : model(ConvModel(kChannels, 32, kSide)), data(kChannels * kSide * kSide, 0.5f) {
    x = Wrap(data, kFloats, {1, kChannels, kSide, kSide});
  }
  Outcome Run() {
    const char *in = "x", *out = "y";
    const OrtValue* given = x.get();
    OrtValue* y = nullptr;
    Outcome outcome(Api().Run(model.session.get(), nullptr, &in, &given, 1, &out, 1, &y));
    Api().ReleaseValue(y);
    return outcome;
  }

  Loaded model;
  std::vector<float> data;
  Owned<OrtValue> x{nullptr, Api().ReleaseValue};
};

// The "node" of the peak in the session's memory report.
std::string PeakNode(OrtSession* session) {
  char* json = nullptr;
  OrtAllocator* allocator = api_test::DefaultAllocator();
  EXPECT_OK(WaybillSessionGetMemoryJson(session, nullptr, nullptr, nullptr, 0, allocator, &json));
  const std::string text(json == nullptr ? "" : json);
  EXPECT_OK(Api().AllocatorFree(allocator, json));
  const std::string key = "\"node\":\"";
  const size_t begin = text.find(key, text.find("\"peak\":{")) + key.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

// Rows 6 and 17: a run that needs more than the limit fails before it takes anything, and says how
// much that was and which node needs most.
TEST(Row06, ARunAboveTheLimitIsRefusedWithItsNumbers) {
  BigRun big;
  const std::string node = PeakNode(big.model.session.get());
  EXPECT_EQ(node.rfind("/widen (", 0), 0u) << node;
  const size_t planned = PlannedBytes(big.model.session.get());
  ASSERT_OK(WaybillEnvSetMemoryBudget(big.model.env.get(), planned / 2));
  const size_t before = test::kSanitized ? 0 : test::AnonymousBytes();
  const Outcome refused = big.Run();
  EXPECT_EQ(refused.code, ORT_RUNTIME_EXCEPTION) << refused;
  EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, std::to_string(planned / 2))) << refused;
  EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, "node " + node + ", with ")) << refused;
  if (!test::kSanitized) {
    EXPECT_LE(test::AnonymousBytes(), before + kMiB);
  }
  ASSERT_OK(WaybillEnvSetMemoryBudget(big.model.env.get(), 2 * planned + 64 * kMiB));
  const Outcome served = big.Run();
  EXPECT_EQ(served.code, ORT_OK) << served;
}

WaybillMemoryAccount AccountOf(const OrtEnv* env) {
  WaybillMemoryAccount account = {};
  EXPECT_OK(WaybillEnvGetMemoryAccount(env, &account, sizeof account));
  return account;
}

// The limit is one of weights too.
TEST(Row06, ASessionAboveTheLimitIsRefusedBeforeItsFirstByte) {
  const std::string model = PerceptronModel(512, 4096);  // 16 MiB and a bias
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", model);
  for (const bool mapped : {true, false}) {
    const Owned<OrtEnv> env = api_test::NewEnv();
    ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), 16 * kMiB));
    OrtSession* session = nullptr;
    const Outcome refused(mapped ? Api().CreateSession(env.get(), path.c_str(), nullptr, &session)
                                 : Api().CreateSessionFromArray(env.get(), model.data(),
                                                                model.size(), nullptr, &session));
    EXPECT_EQ(session, nullptr);
    for (const char* part : {"bytes for weights (", " packed, ", " folded or copied, ",
                             " are mapped", "the memory budget is 16777216 bytes"}) {
      EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, part)) << refused;
    }
    EXPECT_LE(AccountOf(env.get()).peak_held_bytes, 64 * 1024u);
    ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), 0));
    EXPECT_NE(api_test::NewSession(env.get(), model), nullptr);
  }
}

// What a session holds is enough for it, and for another one with other options on the same file.
TEST(Row06, ASessionIsAdmittedByWhatItWillHold) {
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", PerceptronModel(512, 4096));
  const Owned<OrtEnv> env = api_test::NewEnv();
  OpenSession(env.get(), path);
  const uint64_t before = AccountOf(env.get()).held_bytes;
  uint64_t holds = 0;
  {
    const Owned<OrtSession> alone = OpenSession(env.get(), path);
    holds = AccountOf(env.get()).held_bytes - before;
  }
  EXPECT_GE(holds, 16 * kMiB);
  ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), before + holds - 1));
  OrtSession* refused = nullptr;
  EXPECT_FAILS(ORT_RUNTIME_EXCEPTION, "packed",
               Api().CreateSession(env.get(), path.c_str(), nullptr, &refused));
  ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), before + holds + 64 * 1024));
  const Owned<OrtSession> first = OpenSession(env.get(), path);
  ASSERT_NE(first, nullptr);
  const Owned<OrtSessionOptions> options = OptionsWith(1);
  EXPECT_OK(Api().SetSessionGraphOptimizationLevel(options.get(), ORT_ENABLE_BASIC));
  EXPECT_NE(OpenSession(env.get(), path, options.get()), nullptr);
}

// One that has no room now waits until another one is gone.
TEST(Row06, ASessionWaitsForRoom) {
  const test::TempDir dir;
  const std::string first = dir.Write("1.onnx", PerceptronModel(512, 4096));
  const std::string second = dir.Write("2.onnx", PerceptronModel(1024, 2048));
  const Owned<OrtEnv> env = api_test::NewEnv();
  ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), 17 * kMiB));
  void* block = nullptr;
  ASSERT_OK(Api().AllocatorAlloc(api_test::DefaultAllocator(), 2 * kMiB, &block));
  std::thread owner([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_OK(Api().AllocatorFree(api_test::DefaultAllocator(), block));
  });
  EXPECT_NE(OpenSession(env.get(), first), nullptr);
  owner.join();
  EXPECT_NE(OpenSession(env.get(), second), nullptr);
  EXPECT_LE(AccountOf(env.get()).peak_held_bytes, 17 * kMiB);
  // Where there is plenty nobody counts so closely.
  ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), 1024 * kMiB));
  EXPECT_NE(OpenSession(env.get(), first), nullptr);
}

// Also of outputs that a caller kept, and dropped later.
TEST(Row15, IdleMemoryGoesBackByItself) {
  WAYBILL_MEASURES_ALONE();
  const std::string bytes = ConvModel(kChannels, 8, kSide);
  std::vector<float> data(kChannels * kSide * kSide, 0.5f);  // 1 MiB, as each output
  const Owned<OrtValue> x = Wrap(data, kFloats, {1, kChannels, kSide, kSide});
  WarmUp(bytes, {x.get()});
  const Loaded model(bytes, 1, {{kWaybillConfigIdleTrimMs, "200"}});
  const size_t loaded = test::AnonymousBytes();
  const size_t limit = loaded + std::max(loaded / 20, kMiB / 4);
  for (int round = 0; round < 2; ++round) {
    {
      std::vector<Owned<OrtValue>> kept;
      for (int i = 0; i < 100; ++i) kept.push_back(model.Run(x.get()));
      EXPECT_GT(test::AnonymousBytes(), loaded + 100 * kMiB);
    }
    // 200 ms are meant; a busy machine may take longer.
    for (int i = 0; i < 100 && test::AnonymousBytes() > limit; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_LE(test::AnonymousBytes(), limit) << "round " << round;
  }
}

}  // namespace
}  // namespace waybill::pains
