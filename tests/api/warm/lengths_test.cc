// A model of text of any length: the plans of lengths that were seen are kept, runs of them take no
// heap memory, and neither many lengths nor long ones leave more behind than the largest needs.
#include <nlohmann/json.hpp>
#include <random>

#include "onnx/model/testing/text_encoder.h"
#include "tests/api/api_support.h"
#include "tests/api/warm/reports.h"
#include "tests/support/alloc/alloc_hook.h"
#include "tests/support/process.h"
#include "waybill.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloats = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr auto kInts = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
constexpr int64_t kWords = onnx::TextEncoder::kWords, kHidden = onnx::TextEncoder::kHidden;

// Buffers of one length, made once.
struct Sample {
  explicit Sample(int64_t length)
      : ids(static_cast<size_t>(length)),
        mask(ids.size(), 0.0f),
        y(ids.size() * kHidden),
        ids_value(Wrap(ids, kInts, {1, length})),
        mask_value(Wrap(mask, kFloats, {1, length})),
        y_value(Wrap(y, kFloats, {1, length, kHidden})) {
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i) * 5 % kWords;
  }
  OrtStatus* Run(OrtSession* session) {
    const char *inputs[] = {"ids", "mask"}, *output = "y";
    const OrtValue* given[] = {ids_value.get(), mask_value.get()};
    OrtValue* wanted = y_value.get();
    return Api().Run(session, nullptr, inputs, given, 2, &output, 1, &wanted);
  }

  std::vector<int64_t> ids;
  std::vector<float> mask, y;
  Owned<OrtValue> ids_value, mask_value, y_value;
};

class Lengths : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(Api().SetIntraOpNumThreads(options_.get(), 1));
    session_ = NewSession(env_.get(), onnx::TextEncoder().bytes(), options_.get());
  }
  WaybillPlanReport PlanOf(int64_t length) {
    const char* names[] = {"ids", "mask"};
    const int64_t shape[] = {1, length};
    const int64_t* shapes[] = {shape, shape};
    const size_t ranks[] = {2, 2};
    WaybillPlanReport report = {};
    EXPECT_OK(WaybillSessionGetPlanReport(session_.get(), names, shapes, ranks, 2, &report,
                                          sizeof(report)));
    return report;
  }
  nlohmann::json PlanCache() {
    char* text = nullptr;
    EXPECT_OK(WaybillSessionGetPlanJson(session_.get(), DefaultAllocator(), &text));
    return Json(text)["plan_cache"];
  }
  uint64_t SlabBytes() {
    uint64_t bytes = 0;
    const nlohmann::json memory = MemoryOf(env_.get());
    for (const auto& device : memory["devices"]) {
      bytes += device["by_tag"]["slab"]["bytes_in_use"].get<uint64_t>();
    }
    return bytes;
  }

  const Owned<OrtEnv> env_ = NewEnv();
  const Owned<OrtSessionOptions> options_ = NewOptions();
  Owned<OrtSession> session_{nullptr, Api().ReleaseSession};
};

TEST_F(Lengths, SeenOnesHitAndTakeNothing) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 40; ++i) lengths.push_back(8 + 6 * (i * 17 % 40));
  std::vector<std::unique_ptr<Sample>> samples;
  for (const int64_t length : lengths) samples.push_back(std::make_unique<Sample>(length));
  std::vector<std::vector<float>> first;
  for (const auto& sample : samples) {
    ASSERT_OK(sample->Run(session_.get()));
    first.push_back(sample->y);
  }
  size_t largest = 0;
  for (const int64_t length : lengths) largest = std::max(largest, PlanOf(length).planned_bytes);
  const auto before = PlanCache();
  EXPECT_EQ(before["misses"], 40);
  EXPECT_EQ(before["plans"], 40);

  uint64_t allocations = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    std::fill(samples[i]->y.begin(), samples[i]->y.end(), 0.0f);
    const testing::AllocCounter counter;
    OrtStatus* failed = samples[i]->Run(session_.get());
    allocations += counter.allocations();
    ASSERT_OK(failed);
    EXPECT_EQ(samples[i]->y, first[i]) << lengths[i];
  }
  EXPECT_EQ(allocations, 0u);
  const auto after = PlanCache();
  EXPECT_EQ(after["misses"], before["misses"]);
  EXPECT_EQ(after["evictions"], 0);
  EXPECT_EQ(after["hits"].get<int64_t>() - before["hits"].get<int64_t>(), 40);
  const double held = static_cast<double>(SlabBytes());
  EXPECT_LE(held, std::max(1.05 * static_cast<double>(largest),
                           static_cast<double>(largest) + 256 * 1024));
}

Owned<OrtSession> EncoderWith(const OrtEnv* env, const char* key, const char* value) {
  const Owned<OrtSessionOptions> options = NewOptions();
  EXPECT_OK(Api().SetIntraOpNumThreads(options.get(), 1));
  EXPECT_OK(Api().AddSessionConfigEntry(options.get(), key, value));
  return NewSession(env, onnx::TextEncoder().bytes(), options.get());
}

// Most new lengths are placed as others were, as well as by a search, and nobody sees a difference.
TEST_F(Lengths, NewOnesAreMostlyPlacedByTemplates) {
  const auto searched = EncoderWith(env_.get(), kWaybillConfigPlanTemplates, "0");
  const auto poisoned = EncoderWith(env_.get(), kWaybillConfigPoisonFreed, "1");
  for (int64_t i = 0; i < 40; ++i) {
    const int64_t length = 8 + 6 * (i * 17 % 40);
    Sample sample(length);
    ASSERT_OK(sample.Run(searched.get()));
    const std::vector<float>& expected = sample.y;
    Sample other(length);
    ASSERT_OK(other.Run(session_.get()));
    EXPECT_EQ(other.y, expected) << length;
    std::fill(other.y.begin(), other.y.end(), 0.0f);
    ASSERT_OK(other.Run(poisoned.get()));
    EXPECT_EQ(other.y, expected) << length;
    const WaybillPlanReport report = PlanOf(length);
    EXPECT_LE(static_cast<double>(report.planned_bytes),
              1.02 * static_cast<double>(report.bound_bytes));
  }
  const auto templates = PlanCache()["templates"];
  EXPECT_GE(templates["accepts"], 35);
  EXPECT_GE(templates["templates"], 1);
  EXPECT_GT(templates["bytes"], 0);
  ASSERT_OK(WaybillEnvTrim(env_.get()));
  PlanOf(8);
  EXPECT_EQ(PlanCache()["templates"]["accepts"], templates["accepts"]);  // none was left
}

// Plans are dropped as new ones come; what they held goes with them.
TEST_F(Lengths, TenThousandLeaveMemoryFlat) {
  WAYBILL_MEASURES_MEMORY();
  std::mt19937 random(5);
  std::uniform_int_distribution<int64_t> any(1, 100000);
  Sample sample(32);
  const auto plan = [&](int count) {
    for (int i = 0; i < count; ++i) {
      PlanOf(any(random));
      if (i % 100 == 0) ASSERT_OK(sample.Run(session_.get()));
    }
  };
  const auto live = [] {
    const testing::AllocCounts counts = testing::ReadAllocCounts();
    return static_cast<double>(counts.allocations - counts.frees);
  };
  plan(2500);
  const double live_before = live();
  const size_t resident_before = test::ResidentBytes();
  plan(7500);
  const auto cache = PlanCache();
  EXPECT_GT(cache["evictions"].get<int64_t>(), 8000);
  EXPECT_LE(cache["bytes"].get<int64_t>(), 32 << 20);
  EXPECT_LE(cache["free_frames"].get<int64_t>(), 1);
  EXPECT_LE(live(), 1.02 * live_before);
  EXPECT_LE(test::ResidentBytes(), resident_before + (1 << 20));
}

}  // namespace
}  // namespace waybill::api_test
