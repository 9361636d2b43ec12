// Sessions that come and go, and limits of memory.
#include "tests/pains/alone.h"
#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"
#include "waybill.h"

namespace waybill::pains {
namespace {

TEST(Row14, FiveHundredSessionsOneAfterTheOther) {
  WAYBILL_MEASURES_MEMORY();
  const std::string model = ConvModel(4, 16, 48);
  std::vector<float> data(4 * 48 * 48, 0.5f);
  const Owned<OrtValue> x = Wrap(data, kFloats, {1, 4, 48, 48});
  const Owned<OrtEnv> env = api_test::NewEnv();
  const auto cycle = [&] {
    const Owned<OrtSession> session = api_test::NewSession(env.get(), model);
    ASSERT_NE(RunOne(session.get(), "x", x.get(), "y"), nullptr);
  };
  cycle();
  const size_t before = test::ResidentBytes();
  for (int i = 0; i < 500; ++i) cycle();
  EXPECT_LE(test::ResidentBytes(), before + 2 * kMiB);
}

// The same with an environment of its own for each.
TEST(Row14, FiveHundredEnvironmentsOneAfterTheOther) {
  WAYBILL_MEASURES_MEMORY();
  const std::string model = PerceptronModel(16, 32);
  std::vector<float> data(16 * 16, 0.5f);
  const Owned<OrtValue> x = Wrap(data, kFloats, {1, 16, 16});
  const auto cycle = [&] { ASSERT_NE(Loaded(model).Run(x.get()), nullptr); };
  cycle();
  const size_t before = test::ResidentBytes();
  for (int i = 0; i < 500; ++i) cycle();
  EXPECT_LE(test::ResidentBytes(), before + 2 * kMiB);
}

TEST(Row06, UnknownNamesOfOptionsAreErrors) {
  const std::string model = PerceptronModel(4, 4);
  const Owned<OrtEnv> env = api_test::NewEnv();
  for (const char* key : {"waybill.memory_limitt", "waybill.", "waybill.Max_Inflight"}) {
    const Owned<OrtSessionOptions> options = OptionsWith(1, {{key, "1"}});
    OrtSession* session = nullptr;
    EXPECT_FAILS(ORT_INVALID_ARGUMENT, key,
                 Api().CreateSessionFromArray(env.get(), model.data(), model.size(), options.get(),
                                              &session));
  }
}

// What a run of PerceptronModel(32, 64) takes of a length, as told before it.
WaybillPlanReport Told(OrtSession* session, int64_t length) {
  const char* name = "x";
  const int64_t shape[] = {1, length, 32};
  const int64_t* shapes[] = {shape};
  const size_t rank = 3;
  WaybillPlanReport report = {};
  EXPECT_OK(WaybillSessionGetPlanReport(session, &name, shapes, &rank, 1, &report, sizeof report));
  EXPECT_GE(report.planned_bytes, report.bound_bytes);
  return report;
}

TEST(Row17, ThePeakIsToldBeforeTheRun) {
  const Loaded model(PerceptronModel(32, 64));
  const auto planned = [&](int64_t length) {
    return Told(model.session.get(), length).planned_bytes;
  };
  const size_t short_audio = planned(1000), long_audio = planned(60000);
  EXPECT_GE(short_audio, 1000 * 64 * sizeof(float));
  EXPECT_GE(long_audio, 60 * 1000 * 64 * sizeof(float));
  EXPECT_LE(long_audio, 61 * short_audio) << "it grows as the input does";
}

// And so it is: neither more nor much less.
TEST(Row17, ARunTakesWhatWasTold) {
  WAYBILL_MEASURES_ALONE();
  const std::string bytes = PerceptronModel(32, 64);
  for (const int64_t length : {20000, 60000}) {
    std::vector<float> data(static_cast<size_t>(length) * 32, 0.5f);
    const Owned<OrtValue> x = Wrap(data, kFloats, {1, length, 32});
    WarmUp(bytes, {x.get()});
    const Loaded model(bytes);
    const WaybillPlanReport report = Told(model.session.get(), length);
    const size_t told = report.planned_bytes + report.output_bytes;
    test::ResetPeak();
    const size_t before = test::ResidentBytes();
    const Owned<OrtValue> y = model.Run(x.get());
    ASSERT_NE(y, nullptr);
    const size_t took = test::PeakResidentBytes() - before;
    EXPECT_LE(took, told + told / 20) << length;
    EXPECT_GE(took, told - told / 10) << length;
  }
}

}  // namespace
}  // namespace waybill::pains
