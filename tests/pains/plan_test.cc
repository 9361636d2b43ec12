// Plans that are reused: the same bits run after run, whatever lay in the memory before.
#include <cstring>
#include <memory>

#include "capi/providers.h"
#include "memory/source/hub.h"
#include "session/session.h"
#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/temp_dir.h"

namespace waybill::pains {
namespace {

constexpr auto kHalves = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;

std::vector<uint16_t> Halves(size_t count) {
  std::vector<uint16_t> out(count);
  uint32_t state = 7;
  for (uint16_t& half : out) {  // between 1 and 2 in size, of both signs
    state = state * 1664525u + 1013904223u;
    half = static_cast<uint16_t>(0x3c00u | (state >> 22) | (state & 0x8000u));
  }
  return out;
}

std::vector<char> BytesOf(const OrtValue* value) {
  size_t bytes = 0;
  EXPECT_OK(Api().GetTensorSizeInBytes(value, &bytes));
  const char* data = Data<char>(value);
  return {data, data + bytes};
}

struct Settings {
  int level, threads;
  bool arena, pattern;
};

class CaseA5 : public ::testing::TestWithParam<Settings> {};

// Row 21 is the same complaint: every combination of options, three runs each.
TEST_P(CaseA5, ThreeRunsWithEqualInputAreBitEqual) {
  const Settings settings = GetParam();
  constexpr int64_t kFeatures = 197;
  const Owned<OrtEnv> env = api_test::NewEnv();
  const Owned<OrtSessionOptions> options = OptionsWith(settings.threads);
  EXPECT_OK(Api().SetSessionGraphOptimizationLevel(
      options.get(), static_cast<GraphOptimizationLevel>(settings.level)));
  EXPECT_OK(settings.arena ? Api().EnableCpuMemArena(options.get())
                           : Api().DisableCpuMemArena(options.get()));
  EXPECT_OK(settings.pattern ? Api().EnableMemPattern(options.get())
                             : Api().DisableMemPattern(options.get()));
  const Owned<OrtSession> session =
      api_test::NewSession(env.get(), HalfNormModel(kFeatures), options.get());
  ASSERT_NE(session, nullptr);
  std::vector<uint16_t> in = Halves(192 * kFeatures);
  const Owned<OrtValue> x = Wrap(in, kHalves, {1, 192, 1, kFeatures});
  std::vector<char> first;
  for (int run = 0; run < 3; ++run) {
    const Owned<OrtValue> y = RunOne(session.get(), "x", x.get(), "y");
    ASSERT_NE(y, nullptr);
    const std::vector<char> bytes = BytesOf(y.get());
    if (run == 0) first = bytes;
    ASSERT_EQ(bytes, first) << "run " << run + 1;
  }
  const auto* halves = reinterpret_cast<const uint16_t*>(first.data());
  for (size_t i = 0; i < first.size() / 2; ++i) {
    ASSERT_NE(halves[i] & 0x7c00, 0x7c00) << "not finite at " << i;
  }
}

std::vector<Settings> Combinations() {
  std::vector<Settings> all;
  for (const int level : {0, 1, 2, 3, 99}) {
    for (const int threads : {1, 2}) {
      for (const bool arena : {true, false}) {
        for (const bool pattern : {true, false}) all.push_back({level, threads, arena, pattern});
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Row21, CaseA5, ::testing::ValuesIn(Combinations()), [](const auto& given) {
  const Settings& s = given.param;
  return "level" + std::to_string(s.level) + "_threads" + std::to_string(s.threads) +
         (s.arena ? "_arena" : "_no_arena") + (s.pattern ? "_pattern" : "_no_pattern");
});

// Every combination of what the session config says of plans, order, memory and packing.
class Row21 : public ::testing::TestWithParam<int> {};

TEST_P(Row21, ThreeRunsAreBitEqualWhateverIsConfigured) {
  constexpr int64_t kFeatures = 61, kRows = 24;
  const struct {
    const char *key, *value;
  } switches[] = {{"waybill.plan_templates", "0"},
                  {"waybill.step_order", "file"},
                  {"waybill.prewarm", "x:[1,24,1,61]"},
                  {"waybill.no_reuse", "1"},
                  {"waybill.poison_freed", "1"},
                  {"session.disable_prepacking", "1"},
                  {"waybill.packed_weights_path", "beside_model"},
                  {"waybill.read_model", "1"}};
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", HalfNormModel(kFeatures));
  std::vector<uint16_t> in = Halves(kRows * kFeatures);
  const Owned<OrtValue> x = Wrap(in, kHalves, {1, kRows, 1, kFeatures});
  const Owned<OrtEnv> env = api_test::NewEnv();
  std::vector<char> plain;
  for (uint32_t chosen = 0; chosen < 1u << std::size(switches); ++chosen) {
    Config config;
    for (size_t i = 0; i < std::size(switches); ++i) {
      if ((chosen >> i & 1) != 0) config.emplace_back(switches[i].key, switches[i].value);
    }
    SCOPED_TRACE(chosen);
    const Owned<OrtSessionOptions> options = OptionsWith(1 + chosen % 2, config);
    EXPECT_OK(Api().SetSessionGraphOptimizationLevel(
        options.get(), static_cast<GraphOptimizationLevel>(GetParam())));
    const Owned<OrtSession> session = OpenSession(env.get(), path, options.get());
    ASSERT_NE(session, nullptr);
    std::vector<char> first;
    for (int run = 0; run < 3; ++run) {
      const Owned<OrtValue> y = RunOne(session.get(), "x", x.get(), "y");
      ASSERT_NE(y, nullptr);
      if (run == 0) first = BytesOf(y.get());
      ASSERT_EQ(BytesOf(y.get()), first) << "run " << run + 1;
    }
    if (plain.empty()) plain = first;
    ASSERT_EQ(first, plain) << "than without any of them";
  }
}

INSTANTIATE_TEST_SUITE_P(Level, Row21, ::testing::Values(0, 1, 2, 3, 99));

// An output that is the input, beside one that is computed; then other lengths, then the first.
TEST(Row22, LengthsThatChangeAndCallersBytesThatStay) {
  constexpr int64_t kHidden = 24;
  onnx::ModelWriter writer;
  writer.Opset("", 17);
  onnx::GraphWriter& graph = writer.graph();
  const onnx::ShapeWriter shape = {"batch", "length", kHidden};
  graph.Input("x", onnx::kFloat, shape);
  graph.Initializer(
      onnx::TensorWriter::Of<float>("w", {kHidden, kHidden}, Weights(kHidden * kHidden)));
  graph.Node("Identity", {"x"}, {"same"});
  graph.Node("MatMul", {"x", "w"}, {"p"});
  graph.Node("Add", {"p", "same"}, {"y"});
  graph.Output("same", onnx::kFloat, shape);
  graph.Output("y", onnx::kFloat, shape);
  const Loaded model(writer.bytes());
  ASSERT_NE(model.session, nullptr);
  std::vector<float> expected;
  for (const int64_t length : {32, 1, 32}) {
    std::vector<float> in = Weights(length * kHidden, 1.0f);
    const std::vector<float> before = in;
    const Owned<OrtValue> x = Wrap(in, kFloats, {1, length, kHidden});
    const char *name = "x", *names[] = {"same", "y"};
    const OrtValue* given = x.get();
    OrtValue* out[2] = {};
    ASSERT_OK(Api().Run(model.session.get(), nullptr, &name, &given, 1, names, 2, out));
    const Owned<OrtValue> same(out[0], Api().ReleaseValue), y(out[1], Api().ReleaseValue);
    EXPECT_EQ(in, before);
    EXPECT_EQ(api_test::ShapeOf(y.get()), (std::vector<int64_t>{1, length, kHidden}));
    EXPECT_EQ(std::memcmp(Data<float>(same.get()), in.data(), in.size() * sizeof(float)), 0);
    const std::vector<float> got(Data<float>(y.get()), Data<float>(y.get()) + in.size());
    if (length == 32 && expected.empty()) expected = got;
    if (length == 32) {
      EXPECT_EQ(got, expected);
    }
    for (size_t i = 0; length == 1 && i < got.size(); ++i) {  // its first row, by other kernels
      EXPECT_NEAR(got[i], expected[i], 1e-5);
    }
  }
}

// Blocks full of one byte, as they come and as they go.
class FilledSource : public MemorySource {
 public:
  FilledSource(std::shared_ptr<MemorySource> upstream, int byte)
      : upstream_(std::move(upstream)), byte_(byte) {}
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    auto block = upstream_->Take(bytes, align, tag);
    if (block.ok()) std::memset(block->data, byte_, block->bytes);
    return block;
  }
  void Give(BufferView block, MemoryTag tag) noexcept override {
    std::memset(block.data, byte_, block.bytes);
    upstream_->Give(block, tag);
  }
  Device device() const override { return upstream_->device(); }

 private:
  std::shared_ptr<MemorySource> upstream_;
  int byte_;
};

// The bytes of output y for one run of each model in one environment.
std::vector<std::vector<char>> RunAll(const std::vector<std::string>& models,
                                      const std::vector<Tensor>& inputs, int byte) {
  session::EnvOptions env_options;
  env_options.threads = 1;
  if (byte >= 0) {
    env_options.wrap_source = [byte](std::shared_ptr<MemorySource> source) {
      return std::make_shared<FilledSource>(std::move(source), byte);
    };
  }
  const auto env = session::Env::Create(std::move(env_options));
  std::vector<std::vector<char>> results;
  for (size_t i = 0; i < models.size(); ++i) {
    session::SessionOptions options;
    options.providers = capi::DefaultProviders();
    const auto session = session::Session::LoadBytes(*env, std::as_bytes(std::span(models[i])),
                                                     false, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    if (!session.ok()) continue;
    for (int run = 0; run < 2; ++run) {
      const std::string_view in[] = {"x"}, out[] = {"y"};
      const Value x[] = {Value(inputs[i])};
      Value y[1];
      const Status status = (*session)->Run({}, in, x, out, y);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
      const auto* data = reinterpret_cast<const char*>(y[0].tensor()->view().data);
      results.emplace_back(data, data + y[0].tensor()->view().bytes());
    }
  }
  return results;
}

// Each operator alone is tested in memory full of ones and of zeros (OpCase); here whole plans, and
// slabs that another model used before.
TEST(Row20, ResultsDoNotDependOnWhatLayInMemory) {
  std::vector<float> image = Weights(3 * 19 * 19, 1.0f), rows = Weights(13 * 10, 1.0f);
  std::vector<uint16_t> halves = Halves(4 * 21);
  const auto tensor = [](DType dtype, Shape shape, const auto& data) {
    BufferView view{
        reinterpret_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(data.data()))),
        data.size() * sizeof(data[0]),
        {}};
    return *Tensor::Wrap(dtype, std::move(shape), SharedView::Unowned(view));
  };
  const std::vector<std::string> models = {ConvModel(3, 5, 19), HalfNormModel(21),
                                           PerceptronModel(10, 7)};
  const std::vector<Tensor> inputs = {tensor(DType::kF32, {1, 3, 19, 19}, image),
                                      tensor(DType::kF16, {1, 2, 2, 21}, halves),
                                      tensor(DType::kF32, {1, 13, 10}, rows)};
  const auto expected = RunAll(models, inputs, -1);
  ASSERT_EQ(expected.size(), 6u);
  for (const int byte : {0x00, 0xFF, 0x7F}) EXPECT_EQ(RunAll(models, inputs, byte), expected);
  // In the other order every model runs in another one's slab.
  auto reversed = RunAll({models.rbegin(), models.rend()}, {inputs.rbegin(), inputs.rend()}, 0xFF);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t run = 0; run < 2; ++run) {
      EXPECT_EQ(reversed[2 * (2 - i) + run], expected[2 * i + run]) << "model " << i;
    }
  }
}

}  // namespace
}  // namespace waybill::pains
