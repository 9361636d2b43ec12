// Sessions of one model share its weights without being asked to.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace waybill::pains {
namespace {

constexpr int64_t kRows = 4096, kColumns = 4096;
constexpr size_t kWeightBytes = kRows * kColumns * sizeof(float);  // 64 MiB

// y = x w, with w in the model's own file or beside it.
void WriteModel(const test::TempDir& dir, bool external) {
  const std::vector<float> weights = Weights(kRows * kColumns);
  if (external) {
    dir.Write("model.onnx", ExternalProductModel(kRows, kColumns, "w.bin"));
    dir.Write("w.bin",
              std::string_view(reinterpret_cast<const char*>(weights.data()), kWeightBytes));
    return;
  }
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n", kRows});
  graph.Initializer(
      onnx::TensorWriter("w", onnx::kFloat, {kRows, kColumns})
          .Raw(std::string_view(reinterpret_cast<const char*>(weights.data()), kWeightBytes)));
  graph.Node("MatMul", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {"n", kColumns});
  dir.Write("model.onnx", model.bytes());
}

class Sharing : public ::testing::TestWithParam<bool> {};

// Row 25 with the numbers of its case: eight sessions of one file, opened one after the other.
TEST_P(Sharing, Row25_CaseA13_EightSessionsHoldOneCopy) {
  WAYBILL_MEASURES_MEMORY();
  const test::TempDir dir;
  WriteModel(dir, GetParam());
  // As files are that were not written this very moment: those are told by their contents.
  for (const auto& file : std::filesystem::directory_iterator(dir.path())) {
    std::filesystem::last_write_time(
        file.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  const test::ChildResult child = test::InChild([&] {
    const Owned<OrtEnv> env = api_test::NewEnv();
    const Owned<OrtSessionOptions> options = OptionsWith(1);
    std::vector<float> data(kRows, 0.01f);
    const Owned<OrtValue> x = Wrap(data, kFloats, {1, kRows});
    std::vector<Owned<OrtSession>> sessions;
    std::vector<float> first;
    const size_t before = test::AnonymousBytes();
    size_t with_one = 0;
    double first_load = 0, second_load = 0;
    for (int i = 0; i < 8; ++i) {
      const double start = test::CpuSeconds();
      sessions.push_back(OpenSession(env.get(), dir / "model.onnx", options.get()));
      const double took = test::CpuSeconds() - start;
      if (sessions.back() == nullptr) return 2;
      const Owned<OrtValue> y = RunOne(sessions.back().get(), "x", x.get(), "y");
      const float* out = Data<float>(y.get());
      if (i == 0) {
        first.assign(out, out + kColumns);
        first_load = took;
        with_one = test::AnonymousBytes();
      } else {
        if (i == 1) second_load = took;
        if (!std::equal(first.begin(), first.end(), out)) return 3;
      }
    }
    const size_t all = test::AnonymousBytes();
    EXPECT_LE(all - before, kWeightBytes * 11 / 10);
    EXPECT_LE(all - std::min(all, with_one), 7 * kWeightBytes / 100);
    EXPECT_GE(first_load, 10 * second_load);
    return 0;
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

INSTANTIATE_TEST_SUITE_P(Weights, Sharing, ::testing::Values(false, true), [](const auto& place) {
  return place.param ? "beside_the_model" : "in_the_model";
});

}  // namespace
}  // namespace waybill::pains
