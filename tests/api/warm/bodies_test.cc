// If, Loop and Scan whose shapes are known before the run: their bodies are part of the run's plan,
// so that warm runs take no memory.
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
constexpr auto kBools = ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;

// h = yes ? x + x : -x; then `trips` times h = h / 2 + x; then sums of rows from the first on. And
// five powers of two.
std::string Model() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {3, 4});
  graph.Input("yes", onnx::kBool, {});
  graph.Input("trips", onnx::kInt64, {});
  graph.Output("last", onnx::kFloat, {4});
  graph.Output("sums", onnx::kFloat, {3, 4});
  graph.Output("powers", onnx::kFloat, {5, 4});
  graph.Initializer(onnx::TensorWriter::Scalar<float>("half", 0.5f));
  graph.Initializer(onnx::TensorWriter::Of<float>("zeros", {4}, {0, 0, 0, 0}));

  onnx::GraphWriter then_branch("then"), else_branch("else"), loop("loop"), scan("scan");
  then_branch.Node("Add", {"x", "x"}, {"twice"});
  then_branch.Output("twice", onnx::kFloat, {3, 4});
  else_branch.Node("Neg", {"x"}, {"minus"});
  else_branch.Output("minus", onnx::kFloat, {3, 4});
  graph.Node("If", {"yes"}, {"h"})
      .Graph("then_branch", then_branch)
      .Graph("else_branch", else_branch);
  loop.Input("i", onnx::kInt64, {});
  loop.Input("go", onnx::kBool, {});
  loop.Input("v", onnx::kFloat, {3, 4});
  loop.Node("Mul", {"v", "half"}, {"less"});
  loop.Node("Add", {"less", "x"}, {"next"});
  loop.Node("Identity", {"go"}, {"go_on"});
  loop.Output("go_on", onnx::kBool, {});
  loop.Output("next", onnx::kFloat, {3, 4});
  graph.Node("Loop", {"trips", "", "h"}, {"l"}).Graph("body", loop);

  graph.Initializer(onnx::TensorWriter::Scalar<int64_t>("five", 5));
  graph.Initializer(onnx::TensorWriter::Of<float>("ones", {4}, {1, 1, 1, 1}));
  onnx::GraphWriter count("count");
  count.Input("i", onnx::kInt64, {});
  count.Input("go", onnx::kBool, {});
  count.Input("p", onnx::kFloat, {4});
  count.Node("Add", {"p", "p"}, {"double"});
  count.Node("Identity", {"p"}, {"power"});
  count.Output("go", onnx::kBool, {});
  count.Output("double", onnx::kFloat, {4});
  count.Output("power", onnx::kFloat, {4});
  graph.Node("Loop", {"five", "", "ones"}, {"", "powers"}).Graph("body", count);

  scan.Input("sum", onnx::kFloat, {4});
  scan.Input("row", onnx::kFloat, {4});
  scan.Node("Add", {"sum", "row"}, {"more"});
  scan.Node("Identity", {"more"}, {"entry"});
  scan.Output("more", onnx::kFloat, {4});
  scan.Output("entry", onnx::kFloat, {4});
  graph.Node("Scan", {"zeros", "l"}, {"last", "sums"})
      .Graph("body", scan)
      .Int("num_scan_inputs", 1);
  return model.bytes();
}

std::vector<float> Expected(const std::vector<float>& x, bool yes, int64_t trips) {
  std::vector<float> h;
  for (const float value : x) {
    float v = yes ? value + value : -value;
    for (int64_t i = 0; i < trips; ++i) v = v * 0.5f + value;
    h.push_back(v);
  }
  for (size_t i = 4; i < h.size(); ++i) h[i] += h[i - 4];
  return h;
}

class Bodies : public ::testing::TestWithParam<const char*> {};

TEST_P(Bodies, ArePartOfThePlan) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSessionOptions> options = NewOptions();
  ASSERT_OK(Api().SetIntraOpNumThreads(options.get(), 1));
  if (*GetParam() != '\0') {
    ASSERT_OK(Api().AddSessionConfigEntry(options.get(), GetParam(), "1"));
  }
  const Owned<OrtSession> session = NewSession(env.get(), Model(), options.get());
  std::vector<float> x(12), last(4), sums(12), powers(20);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 3;
  std::vector<int64_t> trips(1);
  std::vector<uint8_t> yes(1);
  const Owned<OrtValue> x_value = Wrap(x, kFloats, {3, 4}), yes_value = Wrap(yes, kBools, {}),
                        trips_value = Wrap(trips, kInts, {}), last_value = Wrap(last, kFloats, {4}),
                        sums_value = Wrap(sums, kFloats, {3, 4}),
                        powers_value = Wrap(powers, kFloats, {5, 4});
  const char *inputs[] = {"x", "yes", "trips"}, *outputs[] = {"last", "sums", "powers"};
  const OrtValue* given[] = {x_value.get(), yes_value.get(), trips_value.get()};
  OrtValue* wanted[] = {last_value.get(), sums_value.get(), powers_value.get()};
  const auto run = [&] {
    return Api().Run(session.get(), nullptr, inputs, given, 3, outputs, 3, wanted);
  };
  ASSERT_OK(run());
  char* text = nullptr;
  ASSERT_OK(WaybillSessionGetPlanJson(session.get(), DefaultAllocator(), &text));
  EXPECT_EQ(Json(text)["dynamic_values"], 0);
  for (const int64_t count : {0, 1, 2, 5, 8}) {
    for (const bool branch : {true, false}) {
      trips[0] = count;
      yes[0] = branch;
      std::fill(sums.begin(), sums.end(), 0.0f);
      const uint64_t takes = Takes(env.get());
      const testing::AllocCounter counter;
      OrtStatus* failed = run();
      EXPECT_EQ(counter.allocations(), 0u);
      ASSERT_OK(failed);
      EXPECT_EQ(Takes(env.get()), takes);
      const std::vector<float> expected = Expected(x, branch, count);
      EXPECT_EQ(sums, expected) << count << branch;
      EXPECT_EQ(last, std::vector<float>(expected.end() - 4, expected.end()));
      for (size_t i = 0; i < powers.size(); ++i) {
        EXPECT_EQ(powers[i], static_cast<float>(1 << i / 4)) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, Bodies,
                         ::testing::Values("", "waybill.poison_freed", "waybill.no_reuse"));

}  // namespace
}  // namespace waybill::api_test
