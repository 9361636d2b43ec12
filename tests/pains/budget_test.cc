// Limits of memory, and memory that goes back by itself.
#include <chrono>
#include <thread>

#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"
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

// Rows 6 and 17: a run that needs more than the limit fails before it takes anything, and says how
// much that was.
TEST(Row06, ARunAboveTheLimitIsRefusedWithItsNumbers) {
  BigRun big;
  const size_t planned = PlannedBytes(big.model.session.get());
  ASSERT_OK(WaybillEnvSetMemoryBudget(big.model.env.get(), planned / 2));
  const size_t before = test::kSanitized ? 0 : test::AnonymousBytes();
  const Outcome refused = big.Run();
  EXPECT_EQ(refused.code, ORT_RUNTIME_EXCEPTION) << refused;
  EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, std::to_string(planned / 2))) << refused;
  if (!test::kSanitized) {
    EXPECT_LE(test::AnonymousBytes(), before + kMiB);
  }
  ASSERT_OK(WaybillEnvSetMemoryBudget(big.model.env.get(), 2 * planned + 64 * kMiB));
  const Outcome served = big.Run();
  EXPECT_EQ(served.code, ORT_OK) << served;
}

// The limit is one of weights too.
TEST(Row06, ASessionAboveTheLimitIsRefused) {
  const std::string model = PerceptronModel(512, 4096);  // 16 MiB
  const Owned<OrtEnv> env = api_test::NewEnv();
  ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), 4 * kMiB));
  OrtSession* session = nullptr;
  const Outcome refused(
      Api().CreateSessionFromArray(env.get(), model.data(), model.size(), nullptr, &session));
  EXPECT_EQ(refused.code, ORT_RUNTIME_EXCEPTION) << refused;
  EXPECT_EQ(session, nullptr);
  ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), 0));
  EXPECT_NE(api_test::NewSession(env.get(), model), nullptr);
}

TEST(Row15, IdleMemoryGoesBackByItself) {
  WAYBILL_MEASURES_MEMORY();
  std::vector<float> data(kChannels * kSide * kSide, 0.5f);
  const Owned<OrtValue> x = Wrap(data, kFloats, {1, kChannels, kSide, kSide});
  const Loaded model(ConvModel(kChannels, 32, kSide), 1, {{kWaybillConfigIdleTrimMs, "200"}});
  const size_t loaded = test::AnonymousBytes();
  for (int i = 0; i < 3; ++i) model.Run(x.get());
  EXPECT_GT(test::AnonymousBytes(), loaded + 4 * kMiB);
  // What the first run touches of code, frames and heap stays: a part of 2 MiB.
  const size_t limit = loaded + std::max(loaded / 20, 2 * kMiB);
  // 200 ms are meant; a busy machine may take longer.
  for (int i = 0; i < 200 && test::AnonymousBytes() > limit; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LE(test::AnonymousBytes(), limit);
}

}  // namespace
}  // namespace waybill::pains
