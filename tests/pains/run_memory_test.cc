// What runs do to the memory of the process.
#include <algorithm>
#include <numeric>

#include "tests/pains/alone.h"
#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"
#include "waybill.h"

namespace waybill::pains {
namespace {

// About 17 MB of activations: more than any tolerance below.
constexpr int64_t kChannels = 4, kWidth = 32, kSide = 256;
constexpr size_t kElems = kChannels * kSide * kSide;

std::string BigModel() { return ConvModel(kChannels, kWidth, kSide); }

struct BigInput {
  std::vector<float> data = std::vector<float>(kElems, 0.5f);
  Owned<OrtValue> value = Wrap(data, kFloats, {1, kChannels, kSide, kSide});
};

// The big model, loaded, and an input for it.
struct Big : Loaded {
  Big() : Loaded(BigModel()) {}

  Owned<OrtValue> Run(const OrtRunOptions* options = nullptr) const {
    return Loaded::Run(x.value.get(), options);
  }
  size_t PlannedBytes() const {
    WaybillPlanReport report = {};
    EXPECT_OK(WaybillSessionGetPlanReport(session.get(), nullptr, nullptr, nullptr, 0, &report,
                                          sizeof report));
    EXPECT_GT(report.planned_bytes, 8 * kMiB);
    return report.planned_bytes;
  }

  BigInput x;
};

// `bytes` and 5 %, or one MiB where that is more: the heap and the counters come in pages.
size_t Within5Percent(size_t bytes) { return bytes + std::max(bytes / 20, kMiB); }

TEST(Row01, TheFirstRunTakesWhatWasPlanned) {
  WAYBILL_MEASURES_ALONE();
  WarmUp(BigModel(), {BigInput().value.get()});
  const Big model;
  ASSERT_NE(model.session, nullptr);
  const size_t planned = model.PlannedBytes() + kElems * sizeof(float);
  const size_t before = test::AnonymousBytes();
  test::ResetPeak();
  const size_t resident = test::ResidentBytes();
  const Owned<OrtValue> y = model.Run();
  EXPECT_LE(test::AnonymousBytes(), before + planned * 5 / 4);
  EXPECT_LE(test::PeakResidentBytes(), resident + planned * 5 / 4);
}

TEST(Row02, ShrinkingBringsBackWhatWasThereAfterLoading) {
  WAYBILL_MEASURES_MEMORY();
  const Big model;
  ASSERT_NE(model.session, nullptr);
  const size_t loaded = test::AnonymousBytes();
  OrtRunOptions* options = nullptr;
  ASSERT_OK(Api().CreateRunOptions(&options));
  EXPECT_OK(Api().AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", "cpu:0"));
  for (int i = 0; i < 3; ++i) model.Run(options);
  EXPECT_LE(test::AnonymousBytes(), std::max(Within5Percent(loaded), loaded + 2 * kMiB));
  Api().ReleaseRunOptions(options);
}

TEST(Row03, TrimmingWithoutOutputsBringsBackWhatWasThereAfterLoading) {
  WAYBILL_MEASURES_MEMORY();
  const Big model;
  ASSERT_NE(model.session, nullptr);
  const size_t loaded = test::AnonymousBytes();
  {
    std::vector<Owned<OrtValue>> outputs;
    for (int i = 0; i < 4; ++i) outputs.push_back(model.Run());
    EXPECT_GT(test::AnonymousBytes(), loaded + 8 * kMiB);  // otherwise this test shows nothing
  }
  ASSERT_OK(WaybillEnvTrim(model.env.get()));
  EXPECT_LE(test::AnonymousBytes(), Within5Percent(loaded));
}

// Switching arena and memory pattern off, which others do to save memory, saves nothing.
TEST(Row04, TheDefaultHoldsNoMoreThanWithoutAnArena) {
  WAYBILL_MEASURES_MEMORY();
  const auto idle = [](bool arena) {
    const test::ChildResult child = test::InChild([&] {
      const BigInput x;
      const Owned<OrtEnv> env = api_test::NewEnv();
      const Owned<OrtSessionOptions> options = OptionsWith(1);
      if (!arena) {
        EXPECT_OK(Api().DisableCpuMemArena(options.get()));
        EXPECT_OK(Api().DisableMemPattern(options.get()));
      }
      const size_t before = test::AnonymousBytes();
      const Owned<OrtSession> session = api_test::NewSession(env.get(), BigModel(), options.get());
      for (int i = 0; i < 4; ++i) RunOne(session.get(), "x", x.value.get(), "y");
      std::printf("%zu", test::AnonymousBytes() - before);
      return 0;
    });
    EXPECT_EQ(child.exit_code, 0) << child.output;
    return std::stoull(child.output);
  };
  const size_t with = idle(true), without = idle(false);
  EXPECT_LE(with, Within5Percent(without));
}

TEST(Row08, LaterRunsNeedNoMoreThanTheFirst) {
  WAYBILL_MEASURES_MEMORY();
  const Big model;
  ASSERT_NE(model.session, nullptr);
  model.Run();
  const size_t after_first = test::AnonymousBytes();
  test::ResetPeak();
  const size_t resident = test::ResidentBytes();
  for (int i = 0; i < 10; ++i) {
    const Owned<OrtValue> y = model.Run();
    EXPECT_LE(test::AnonymousBytes(), after_first + kElems * sizeof(float) + kMiB)
        << "run " << i + 2;
  }
  EXPECT_LE(test::AnonymousBytes(), after_first + kMiB);
  EXPECT_LE(test::PeakResidentBytes(), resident + kElems * sizeof(float) + kMiB);
}

// A binding whose outputs the runs make holds those of one run.
TEST(Row08, LaterRunsWithABindingNeedNoMoreThanTheFirst) {
  WAYBILL_MEASURES_MEMORY();
  const Big model;
  ASSERT_NE(model.session, nullptr);
  const Owned<OrtMemoryInfo> cpu = api_test::CpuInfo();
  OrtIoBinding* made = nullptr;
  ASSERT_OK(Api().CreateIoBinding(model.session.get(), &made));
  const Owned<OrtIoBinding> binding(made, Api().ReleaseIoBinding);
  ASSERT_OK(Api().BindInput(made, "x", model.x.value.get()));
  ASSERT_OK(Api().BindOutputToDevice(made, "y", cpu.get()));
  ASSERT_OK(Api().RunWithBinding(model.session.get(), nullptr, made));
  test::ResetPeak();
  const size_t resident = test::ResidentBytes();
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(Api().RunWithBinding(model.session.get(), nullptr, made));
  }
  // Less than one more output.
  EXPECT_LE(test::PeakResidentBytes(), resident + kElems * sizeof(float) / 2);
}

// Runs of all lengths in 1..longest, in an order without order, after one of the longest.
void RunEveryLength(size_t longest, size_t runs) {
  constexpr int64_t kFeatures = 16;
  std::vector<float> data(longest * kFeatures, 0.25f);
  std::vector<Owned<OrtValue>> some;
  std::vector<const OrtValue*> inputs;
  for (size_t length = 1; length < 400; length += length / 4 + 1) {  // kernels differ by size
    some.push_back(Wrap(data, kFloats, {1, static_cast<int64_t>(length), kFeatures}));
    inputs.push_back(some.back().get());
  }
  WarmUp(PerceptronModel(kFeatures, kFeatures), inputs);
  const Loaded model(PerceptronModel(kFeatures, kFeatures));
  ASSERT_NE(model.session, nullptr);
  const auto run = [&](size_t length) {
    const int64_t shape[] = {1, static_cast<int64_t>(length), kFeatures};
    const Owned<OrtMemoryInfo> cpu = api_test::CpuInfo();
    OrtValue* x = nullptr;
    ASSERT_OK(Api().CreateTensorWithDataAsOrtValue(
        cpu.get(), data.data(), length * kFeatures * sizeof(float), shape, 3, kFloats, &x));
    const Owned<OrtValue> owner(x, Api().ReleaseValue);
    ASSERT_NE(model.Run(x), nullptr);
  };
  run(longest);
  const size_t before = test::ResidentBytes();
  for (size_t i = 0; i < runs; ++i) run(1 + (i * 7919) % longest);  // 7919 is prime
  EXPECT_LE(test::ResidentBytes(), before + before / 20);
}

TEST(Row09, TenThousandLengthsInTenThousandRuns) {
  WAYBILL_MEASURES_ALONE();
  RunEveryLength(10000, 10000);
}

TEST(CaseA9, FiveThousandRunsOfLengthsUpTo512) {
  WAYBILL_MEASURES_ALONE();
  RunEveryLength(512, 5000);
}

void RunFreshData(const std::string& model, std::vector<int64_t> shape, int runs) {
  const Loaded loaded(model);
  ASSERT_NE(loaded.session, nullptr);
  const int64_t elems = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies{});
  std::vector<float> data(static_cast<size_t>(elems));
  FreshNumbers numbers;
  numbers.Fill(data);
  const Owned<OrtValue> x = Wrap(data, kFloats, std::move(shape));
  for (int i = 0; i < 3; ++i) loaded.Run(x.get());
  const size_t before = test::AnonymousBytes();
  for (int i = 0; i < runs; ++i) {
    numbers.Fill(data);
    ASSERT_NE(loaded.Run(x.get()), nullptr);
  }
  EXPECT_LE(test::AnonymousBytes(), before + kMiB);
}

TEST(Row12, AThousandRunsOfFreshDataTakeNothing) {
  WAYBILL_MEASURES_MEMORY();
  RunFreshData(ConvModel(3, 8, 24), {1, 3, 24, 24}, 1000);
}

TEST(CaseA7, ConvolutionsOfFreshImagesTakeNothing) {
  WAYBILL_MEASURES_MEMORY();
  RunFreshData(ConvModel(3, 4, 640), {1, 3, 640, 640}, 500);
}

}  // namespace
}  // namespace waybill::pains
