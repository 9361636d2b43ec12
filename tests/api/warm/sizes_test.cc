// Sizes that contents decide: what follows is planned when a run has found them out, the plan is
// kept, and warm runs with the same sizes take no memory.
#include <cmath>
#include <nlohmann/json.hpp>

#include "onnx/model/writer/model_writer.h"
#include "tests/api/api_support.h"
#include "tests/api/warm/reports.h"
#include "tests/support/alloc/alloc_hook.h"
#include "waybill.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloats = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr auto kInts = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
constexpr int64_t kRows = 200, kWide = 64;
constexpr int kLayers = 6;

float Weight(int64_t i, int64_t j) { return i == j ? 1.0f : i == (j + 1) % kWide ? 0.25f : 0.0f; }

// Rows of `table` that `flags` or `count` choose, then layers: r = relu(r * w) + r.
std::string Model(const std::string& how) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("table", onnx::kFloat, {kRows, kWide});
  graph.Input("flags", onnx::kFloat, {kRows});
  graph.Input("count", onnx::kInt64, {1});
  graph.Output("y", onnx::kFloat, {"k", kWide});
  std::vector<float> weights;
  for (int64_t i = 0; i < kWide * kWide; ++i) weights.push_back(Weight(i / kWide, i % kWide));
  graph.Initializer(onnx::TensorWriter::Of<float>("w", {kWide, kWide}, weights));
  graph.Initializer(onnx::TensorWriter::Of<int64_t>("zero", {1}, {0}));
  graph.Initializer(onnx::TensorWriter::Scalar<float>("nought", 0.0f));
  graph.Node("Identity", {"table"}, {"rows"});
  if (how == "NonZero") {
    graph.Node("NonZero", {"flags"}, {"found"});
    graph.Node("Squeeze", {"found", "zero"}, {"chosen"});
    graph.Node("Gather", {"rows", "chosen"}, {"r0"});
  } else if (how == "Compress") {
    graph.Node("Greater", {"flags", "nought"}, {"chosen"});
    graph.Node("Compress", {"rows", "chosen"}, {"r0"}).Int("axis", 0);
  } else {
    graph.Node("TopK", {"flags", "count"}, {"best", "chosen"});
    graph.Node("Gather", {"rows", "chosen"}, {"r0"});
  }
  for (int i = 0; i < kLayers; ++i) {
    const std::string n = std::to_string(i), r = "r" + n;
    graph.Node("MatMul", {r, "w"}, {"m" + n});
    graph.Node("Relu", {"m" + n}, {"p" + n});
    graph.Node("Add", {"p" + n, r}, {"r" + std::to_string(i + 1)});
  }
  graph.Node("Identity", {"r" + std::to_string(kLayers)}, {"y"});
  return model.bytes();
}

std::vector<float> Layers(std::vector<float> row) {
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::vector<float> from = row;
    for (size_t j = 0; j < row.size(); ++j) {
      row[j] += std::max(0.0f, from[j] + 0.25f * from[(j + 1) % row.size()]);
    }
  }
  return row;
}

class FoundSizes : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  void SetUp() override {
    ASSERT_OK(Api().SetIntraOpNumThreads(options_.get(), 1));
    if (*Rule() != '\0') ASSERT_OK(Api().AddSessionConfigEntry(options_.get(), Rule(), "1"));
    session_ = NewSession(env_.get(), Model(How()), options_.get());
  }
  const char* How() const { return std::get<0>(GetParam()); }
  const char* Rule() const { return std::get<1>(GetParam()); }
  nlohmann::json Memory() {
    const char* names[] = {"table", "flags", "count"};
    const int64_t table[] = {kRows, kWide}, flags[] = {kRows}, count[] = {1};
    const int64_t* shapes[] = {table, flags, count};
    const size_t ranks[] = {2, 1, 1};
    char* text = nullptr;
    EXPECT_OK(WaybillSessionGetMemoryJson(session_.get(), names, shapes, ranks, 3,
                                          DefaultAllocator(), &text));
    return Json(text);
  }

  const Owned<OrtEnv> env_ = NewEnv();
  const Owned<OrtSessionOptions> options_ = NewOptions();
  Owned<OrtSession> session_{nullptr, Api().ReleaseSession};
};

TEST_P(FoundSizes, ArePlannedOnceAndTakeNothing) {
  std::vector<float> table(kRows * kWide), flags(kRows);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i * 7 % 31) - 15;
  std::vector<int64_t> count(1);
  const Owned<OrtValue> table_value = Wrap(table, kFloats, {kRows, kWide}),
                        flags_value = Wrap(flags, kFloats, {kRows}),
                        count_value = Wrap(count, kInts, {1});
  const char *inputs[] = {"table", "flags", "count"}, *output = "y";
  const OrtValue* given[] = {table_value.get(), flags_value.get(), count_value.get()};
  for (const int64_t k : {7, 150, 0, 7, 200, 1}) {
    count[0] = k;
    std::vector<float> y(static_cast<size_t>(k * kWide)), expected;
    for (int64_t i = 0; i < kRows; ++i) {
      // Rows from 3 on, ever less wanted.
      const int64_t rank = (i + kRows - 3) % kRows;
      flags[static_cast<size_t>(i)] = rank < k ? static_cast<float>(kRows - rank) : 0.0f;
    }
    const bool by_rank = How() == std::string("TopK");
    for (int64_t n = 0, i = by_rank ? 3 : 0; n < kRows; ++n, i = (i + 1) % kRows) {
      if (flags[static_cast<size_t>(i)] == 0) continue;
      const auto row = Layers({table.begin() + i * kWide, table.begin() + (i + 1) * kWide});
      expected.insert(expected.end(), row.begin(), row.end());
    }
    const Owned<OrtValue> y_value = Wrap(y, kFloats, {k, kWide});
    OrtValue* wanted = y_value.get();
    const auto run = [&] {
      return Api().Run(session_.get(), nullptr, inputs, given, 3, &output, 1, &wanted);
    };
    for (int i = 0; i < 2; ++i) ASSERT_OK(run());
    const auto before = Memory()["plan_cache"]["tails"];
    const uint64_t takes = Takes(env_.get());
    std::fill(y.begin(), y.end(), 0.0f);
    const testing::AllocCounter counter;
    OrtStatus* failed = nullptr;
    for (int i = 0; i < 5 && failed == nullptr; ++i) failed = run();
    EXPECT_EQ(counter.allocations(), 0u) << k;
    ASSERT_OK(failed);
    EXPECT_EQ(Takes(env_.get()), takes) << k;
    const auto memory = Memory();
    const auto after = memory["plan_cache"]["tails"];
    EXPECT_EQ(after["misses"], before["misses"]);
    EXPECT_GE(after["hits"].get<int64_t>(), before["hits"].get<int64_t>() + 5);
    ASSERT_EQ(y.size(), expected.size());
    for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-2f) << k << " " << i;

    const auto& tails = memory["plan"]["tails"];
    ASSERT_EQ(tails.size(), 1u);
    EXPECT_EQ(tails[0]["dynamic_values"], 0);
    if (*Rule() == '\0' && k > 1) {  // some of the chain shares bytes, whoever holds them
      EXPECT_LT(tails[0]["bound_bytes"], tails[0]["no_reuse_bytes"]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FoundSizes,
                         ::testing::Combine(::testing::Values("NonZero", "Compress", "TopK"),
                                            ::testing::Values("", "waybill.poison_freed",
                                                              "waybill.no_reuse")));

}  // namespace
}  // namespace waybill::api_test
