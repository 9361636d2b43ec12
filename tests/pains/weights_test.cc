// Loading: what weights cost, where they may lie, who keeps them alive, how long it takes.
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/pains/alone.h"
#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "waybill.h"

namespace waybill::pains {
namespace {

namespace fs = std::filesystem;

// A file of `bytes` bytes of numbers that do not repeat.
void WriteNumbers(const std::string& path, size_t bytes) {
  const std::vector<float> part = Weights(1 << 18);
  std::ofstream file(path, std::ios::binary);
  for (size_t done = 0; done < bytes; done += part.size() * sizeof(float)) {
    file.write(reinterpret_cast<const char*>(part.data()),
               static_cast<std::streamsize>(std::min(bytes - done, part.size() * sizeof(float))));
  }
}

constexpr int64_t kRows = 4096, kColumns = 4096;
constexpr size_t kWeightBytes = kRows * kColumns * sizeof(float);  // 64 MiB

TEST(Row27, CallersMayDropTheirHandlesFirst) {
  // y = x w with w given by the caller in place of the file that is not there.
  const std::string model = ExternalProductModel(2, 3, "nowhere.bin");
  struct Given : OrtAllocator {
    int freed = 0;
    Owned<OrtMemoryInfo> where = api_test::CpuInfo();
    std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  } given;
  static_cast<OrtAllocator&>(given) = {};
  given.version = ORT_API_VERSION;
  given.Alloc = [](OrtAllocator*, size_t) -> void* { return nullptr; };
  given.Free = [](OrtAllocator* self, void*) {
    auto* owner = static_cast<Given*>(self);
    ++owner->freed;
    owner->numbers.assign(6, 1e30f);
  };
  given.Info = [](const OrtAllocator* self) {
    return static_cast<const OrtMemoryInfo*>(static_cast<const Given*>(self)->where.get());
  };
  const Owned<OrtEnv> env = api_test::NewEnv();
  for (const bool external : {true, false}) {
    given.freed = 0;
    given.numbers = {1, 2, 3, 4, 5, 6};
    Owned<OrtSession> one(nullptr, Api().ReleaseSession), two(nullptr, Api().ReleaseSession);
    {
      const Owned<OrtSessionOptions> options = api_test::NewOptions();
      const int64_t shape[] = {2, 3};
      OrtValue* w = nullptr;
      ASSERT_OK(Api().CreateTensorWithDataAndDeleterAsOrtValue(&given, given.numbers.data(), 24,
                                                               shape, 2, kFloats, &w));
      const char* name = "w";
      const OrtValue* value = w;
      ASSERT_OK(external ? Api().AddExternalInitializers(options.get(), &name, &value, 1)
                         : Api().AddInitializer(options.get(), name, w));
      Api().ReleaseValue(w);
      one = api_test::NewSession(env.get(), model, options.get());
      two = api_test::NewSession(env.get(), model, options.get());
    }
    ASSERT_NE(one, nullptr);
    ASSERT_NE(two, nullptr);
    std::vector<float> in = {1, 10};
    const Owned<OrtValue> x = Wrap(in, kFloats, {1, 2});
    one.reset();
    const Owned<OrtValue> y = RunOne(two.get(), "x", x.get(), "y");
    EXPECT_EQ(Data<float>(y.get())[2], 63);
    two.reset();
    EXPECT_EQ(given.freed, 1) << "once, when the last session went";
  }
}

class Table : public ::testing::Test {
 protected:
  static constexpr int64_t kTableRows = 1 << 16, kTableColumns = 256;  // 64 MiB

  void SetUp() override {
    WAYBILL_MEASURES_MEMORY();
    dir_.Write("model.onnx", TableModel(kTableRows, kTableColumns));
    WriteNumbers(dir_ / "table.bin", kWeightBytes);
    // As files are that were not written this very moment: those are told by their contents.
    for (const char* name : {"model.onnx", "table.bin"}) {
      fs::last_write_time(dir_ / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
  }

  // The most that was resident while loading, above what was there before.
  size_t LoadPeak(const Config& config) {
    const test::ChildResult child = test::InChild([&] {
      const Owned<OrtEnv> env = api_test::NewEnv();
      const Owned<OrtSessionOptions> options = OptionsWith(1, config);
      test::ResetPeak();
      const size_t before = test::ResidentBytes();
      const Owned<OrtSession> session = OpenSession(env.get(), dir_ / "model.onnx", options.get());
      std::printf("%zu", test::PeakResidentBytes() - before);
      std::vector<int64_t> ids = {3, kTableRows - 1};
      const Owned<OrtValue> x = Wrap(ids, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {2});
      return RunOne(session.get(), "ids", x.get(), "y") != nullptr ? 0 : 2;
    });
    EXPECT_EQ(child.exit_code, 0) << child.output;
    return std::stoull(child.output);
  }

  test::TempDir dir_;
};
using Row28 = Table;

TEST_F(Row28, LoadingAMappedFileTakesATenthOfItAtMost) {
  EXPECT_LE(LoadPeak({}), kWeightBytes / 10);
}

TEST_F(Row28, LoadingAFileThatIsReadTakesItsSize) {
  // Pages of the library's code come in too: 2 MiB.
  EXPECT_LE(LoadPeak({{kWaybillConfigReadModel, "1"}}),
            kWeightBytes + kWeightBytes / 20 + 2 * kMiB);
}

void WarmUpProducts() {
  std::vector<float> data(32, 0.5f);
  WarmUp(PerceptronModel(32, 32), {Wrap(data, kFloats, {1, 1, 32}).get()});
}

// A product whose weights stay as they are in the file.
class Product : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_.Write("model.onnx", ExternalProductModel(kRows, kColumns, "w.bin"));
    WriteNumbers(dir_ / "w.bin", kWeightBytes);
    for (const char* name : {"model.onnx", "w.bin"}) {
      fs::last_write_time(dir_ / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
  }

  // The most that was resident while loading, above what was there before.
  size_t LoadPeak(const Config& config) const {
    WarmUpProducts();
    const Owned<OrtEnv> env = api_test::NewEnv();
    const Owned<OrtSessionOptions> options = OptionsWith(1, config);
    test::ResetPeak();
    const size_t before = test::ResidentBytes();
    const Owned<OrtSession> session = OpenSession(env.get(), dir_ / "model.onnx", options.get());
    const size_t peak = test::PeakResidentBytes();
    std::vector<float> row(kRows, 0.01f);
    EXPECT_NE(RunOne(session.get(), "x", Wrap(row, kFloats, {1, kRows}).get(), "y"), nullptr);
    return peak - before;
  }

  test::TempDir dir_;
};

TEST_F(Product, Row28_LoadingMappedWeightsTakesATenthOfThemAtMost) {
  WAYBILL_MEASURES_ALONE();
  EXPECT_LE(LoadPeak({{"session.disable_prepacking", "1"}}), kWeightBytes / 10);
}

TEST_F(Product, Row28_LoadingWeightsThatAreReadTakesTheirSize) {
  WAYBILL_MEASURES_ALONE();
  EXPECT_LE(LoadPeak({{"session.disable_prepacking", "1"}, {kWaybillConfigReadModel, "1"}}),
            kWeightBytes + kWeightBytes / 20);
}

// A matrix that is packed for its kernel: the file's own pages are not held beside it.
TEST(Row29, PackedWeightsAreHeldOnce) {
  WAYBILL_MEASURES_MEMORY();
  const test::TempDir dir;
  dir.Write("model.onnx", ExternalProductModel(kRows, kColumns, "w.bin"));
  WriteNumbers(dir / "w.bin", kWeightBytes);
  const test::ChildResult child = test::InChild([&] {
    const Owned<OrtEnv> env = api_test::NewEnv();
    WarmUpProducts();
    // All that is resident: dirty pages, and those of the file that are mapped.
    const size_t before = test::ResidentBytes();
    const Owned<OrtSession> session = OpenSession(env.get(), dir / "model.onnx");
    std::printf("%zu", test::ResidentBytes() - before);
    return session != nullptr ? 0 : 2;
  });
  ASSERT_EQ(child.exit_code, 0) << child.output;
  EXPECT_LE(std::stoull(child.output), kWeightBytes + kWeightBytes / 20);
}

// Int8 weights of 96 MiB that are dequantized before the product: no step of rewriting them at load
// needs more than 64 MiB beside what is held in the end.
TEST(Row30, RewritingWeightsStreams) {
  WAYBILL_MEASURES_MEMORY();
  constexpr int64_t kIn = 6144, kOut = 16384;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n", kIn});
  graph.Initializer(
      onnx::TensorWriter("w", onnx::kInt8, {kIn, kOut}).External("w.bin", 0, kIn * kOut));
  graph.Initializer(onnx::TensorWriter::Of<float>("scale", {kOut}, Weights(kOut)));
  graph.Initializer(onnx::TensorWriter::Of<int8_t>("zero", {kOut}, std::vector<int8_t>(kOut, 0)));
  graph.Node("DequantizeLinear", {"w", "scale", "zero"}, {"d"}).Int("axis", 1);
  graph.Node("MatMul", {"x", "d"}, {"y"});
  graph.Output("y", onnx::kFloat, {"n", kOut});
  const test::TempDir dir;
  dir.Write("model.onnx", model.bytes());
  WriteNumbers(dir / "w.bin", kIn * kOut);
  const test::ChildResult child = test::InChild([&] {
    const Owned<OrtEnv> env = api_test::NewEnv();
    test::ResetPeak();
    const Owned<OrtSession> session = OpenSession(env.get(), dir / "model.onnx");
    if (session == nullptr) return 2;
    const size_t peak = test::PeakResidentBytes(), held = test::ResidentBytes();
    std::printf("%zu", peak - std::min(peak, held));
    return 0;
  });
  ASSERT_EQ(child.exit_code, 0) << child.output;
  EXPECT_LE(std::stoull(child.output), 64 * kMiB);
}

TEST(Row31, ModelsFromBytesTakeTheirExternalFilesAsBuffers) {
  const std::string model = ExternalProductModel(2, 3, "weights/part 1.bin");
  std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  const char* names[] = {"weights/part 1.bin"};
  char* buffers[] = {reinterpret_cast<char*>(numbers.data())};
  const size_t lengths[] = {24};
  const Owned<OrtEnv> env = api_test::NewEnv();
  const Owned<OrtSessionOptions> options = api_test::NewOptions();
  ASSERT_OK(
      Api().AddExternalInitializersFromFilesInMemory(options.get(), names, buffers, lengths, 1));
  const Owned<OrtSession> session = api_test::NewSession(env.get(), model, options.get());
  ASSERT_NE(session, nullptr);
  std::vector<float> in = {1, 10};
  const Owned<OrtValue> x = Wrap(in, kFloats, {1, 2});
  EXPECT_EQ(Data<float>(RunOne(session.get(), "x", x.get(), "y").get())[0], 41);
}

// When the session is there nothing of the buffer is held beside what is packed, and it may go.
TEST(Row31, BuffersOfWeightsAreHeldOnce) {
  WAYBILL_MEASURES_ALONE();
  WarmUpProducts();
  const std::string model = ExternalProductModel(kRows, kColumns, "w.bin");
  std::vector<float> row(kRows, 0.01f), numbers = Weights(kRows * kColumns);
  const Owned<OrtValue> x = Wrap(row, kFloats, {1, kRows});
  const char* names[] = {"w.bin"};
  char* buffers[] = {reinterpret_cast<char*>(numbers.data())};
  const size_t lengths[] = {kWeightBytes};
  const Owned<OrtEnv> env = api_test::NewEnv();
  const Owned<OrtSessionOptions> options = OptionsWith(1);
  ASSERT_OK(
      Api().AddExternalInitializersFromFilesInMemory(options.get(), names, buffers, lengths, 1));
  const size_t before = test::ResidentBytes();
  const Owned<OrtSession> session = api_test::NewSession(env.get(), model, options.get());
  ASSERT_NE(session, nullptr);
  EXPECT_LE(test::ResidentBytes(), before + kWeightBytes + kWeightBytes / 20);
  const auto outputs = [&] {
    const Owned<OrtValue> y = RunOne(session.get(), "x", x.get(), "y");
    return std::vector<float>(Data<float>(y.get()), Data<float>(y.get()) + kColumns);
  };
  const std::vector<float> expected = outputs();
  EXPECT_NEAR(
      expected[5],
      [&] {
        double sum = 0;
        for (int64_t i = 0; i < kRows; ++i) {
          sum += 0.01 * numbers[static_cast<size_t>(i * kColumns + 5)];
        }
        return sum;
      }(),
      1e-3);
  numbers.assign(numbers.size(), 1e30f);
  EXPECT_EQ(outputs(), expected);
}

class CaseA11 : public ::testing::Test {
 protected:
  // The files of a Hugging Face cache: a folder of links into a folder of blobs.
  void Make(const std::string& location) {
    dir_.Write("hub/blobs/h1", ExternalProductModel(2, 3, location));
    std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), 24);
    dir_.Write("hub/blobs/h2", bytes);
    dir_.Write("secret", bytes);
    dir_.Write("hub/secret", bytes);
    fs::create_directories(dir_ / "hub/snapshots/x");
    fs::create_symlink("../../blobs/h1", dir_ / "hub/snapshots/x/model.onnx");
    fs::create_symlink("../../blobs/h2", dir_ / "hub/snapshots/x/model.onnx_data");
  }
  Outcome Open() {
    OrtSession* session = nullptr;
    Outcome outcome(Api().CreateSession(env_.get(), (dir_ / "hub/snapshots/x/model.onnx").c_str(),
                                        nullptr, &session));
    Api().ReleaseSession(session);
    return outcome;
  }

  test::TempDir dir_;
  Owned<OrtEnv> env_ = api_test::NewEnv();
};

// Row 33 in the words of its case.
TEST_F(CaseA11, Row33_LinksOfACacheLoad) {
  Make("model.onnx_data");
  const Outcome outcome = Open();
  EXPECT_EQ(outcome.code, ORT_OK) << outcome;
}

TEST_F(CaseA11, Row33_PathsOutOfTheFolderAreRefusedByName) {
  for (const std::string location : {"../secret", "../../../secret", "../../../etc/passwd"}) {
    fs::remove_all(dir_ / "hub");
    Make(location);
    const Outcome outcome = Open();
    EXPECT_NE(outcome.code, ORT_OK) << location;
    EXPECT_NE(outcome.text.find(location), std::string::npos) << outcome;
  }
}

TEST(Row34, LoadingIsReportedByPhase) {
  const Loaded model(ConvModel(3, 8, 16));
  WaybillLoadReport report = {};
  ASSERT_OK(WaybillSessionGetLoadReport(model.session.get(), &report, sizeof report));
  const int64_t phases[] = {report.read_ns, report.import_ns, report.rewrite_ns, report.select_ns,
                            report.pack_ns};
  int64_t sum = 0;
  for (const int64_t phase : phases) {
    EXPECT_GE(phase, 0);
    sum += phase;
  }
  EXPECT_GT(report.import_ns, 0);
  EXPECT_GT(report.total_ns, 0);
  EXPECT_LE(sum, report.total_ns);
}

// A gigabyte a second from the page cache, every byte of it read. CPU time, which neighbours do not
// add to but by slowing memory down: the best of some.
TEST_F(Table, Row34_LoadingReadsAGigabyteASecond) {
  const Owned<OrtSessionOptions> options = OptionsWith(1, {{kWaybillConfigReadModel, "1"}});
  double best = 1e9;
  for (int i = 0; i < 10 && best >= kWeightBytes / 1e9; ++i) {
    const Owned<OrtEnv> env = api_test::NewEnv();
    const size_t resident = test::AnonymousBytes();
    const double before = test::CpuSeconds();
    const Owned<OrtSession> session = OpenSession(env.get(), dir_ / "model.onnx", options.get());
    best = std::min(best, test::CpuSeconds() - before);
    EXPECT_GE(test::AnonymousBytes(), resident + kWeightBytes / 10 * 9) << "it was read";
  }
  EXPECT_LT(best, kWeightBytes / 1e9);
}

// 1000 trees of 1023 nodes.
std::string ForestModel() {
  constexpr int64_t kTrees = 1000, kInner = 511, kNodes = 2 * kInner + 1;
  std::vector<int64_t> trees, ids, features, yes, no, target_trees, target_ids, targets;
  std::vector<float> values, weights;
  std::vector<std::string> modes;
  for (int64_t tree = 0; tree < kTrees; ++tree) {
    for (int64_t id = 0; id < kNodes; ++id) {
      const bool leaf = id >= kInner;
      trees.push_back(tree);
      ids.push_back(id);
      features.push_back(leaf ? 0 : (tree + id) % 8);
      values.push_back(leaf ? 0.0f : 0.01f * static_cast<float>((tree * 7 + id) % 100));
      modes.push_back(leaf ? "LEAF" : "BRANCH_LEQ");
      yes.push_back(leaf ? 0 : 2 * id + 1);
      no.push_back(leaf ? 0 : 2 * id + 2);
      if (!leaf) continue;
      target_trees.push_back(tree);
      target_ids.push_back(id);
      targets.push_back(0);
      weights.push_back(0.001f * static_cast<float>(id % 10));
    }
  }
  onnx::ModelWriter model;
  model.Opset("", 17).Opset("ai.onnx.ml", 3);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n", 8});
  graph.Node("TreeEnsembleRegressor", {"x"}, {"y"})
      .Domain("ai.onnx.ml")
      .Int("n_targets", 1)
      .Ints("nodes_treeids", trees)
      .Ints("nodes_nodeids", ids)
      .Ints("nodes_featureids", features)
      .Floats("nodes_values", values)
      .Strings("nodes_modes", modes)
      .Ints("nodes_truenodeids", yes)
      .Ints("nodes_falsenodeids", no)
      .Ints("target_treeids", target_trees)
      .Ints("target_nodeids", target_ids)
      .Ints("target_ids", targets)
      .Floats("target_weights", weights);
  graph.Output("y", onnx::kFloat, {"n", 1});
  return model.bytes();
}

TEST(Row34, AForestOfAMillionNodesLoadsInASecond) {
  const std::string bytes = ForestModel();
  const Owned<OrtEnv> env = api_test::NewEnv();
  const double before = test::CpuSeconds();
  const Owned<OrtSession> session = api_test::NewSession(env.get(), bytes);
  const double took = test::CpuSeconds() - before;
  ASSERT_NE(session, nullptr);
  EXPECT_LT(took, test::kSanitized ? 60.0 : 1.0);
  std::vector<float> in(8, 0.5f);
  EXPECT_NE(RunOne(session.get(), "x", Wrap(in, kFloats, {1, 8}).get(), "y"), nullptr);
}

}  // namespace
}  // namespace waybill::pains
