// Weights that are kept packed in a file for later processes. Environments one after the other
// stand for these: nothing in memory outlives them.
#include <gmock/gmock.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "waybill.h"

namespace waybill::api_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kSize = 1024;  // 4 MiB a matrix
constexpr size_t kMatrixBytes = size_t{kSize} * kSize * sizeof(float);

std::vector<float> Numbers(size_t count, uint32_t seed) {
  std::vector<float> out(count);
  for (float& value : out) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / (1 << 24) - 0.5f;
  }
  return out;
}

// y = (x w0) (w1 + w2) + b over [n, kSize]: a packed matrix, a folded and packed one, and one that
// is folded and stays as it is.
std::string Model(uint32_t seed = 1) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n", kSize});
  for (const char* name : {"w0", "w1", "w2"}) {
    graph.Initializer(onnx::TensorWriter::Of<float>(name, {kSize, kSize},
                                                    Numbers(size_t{kSize} * kSize, seed++)));
  }
  for (const char* name : {"b1", "b2"}) {
    graph.Initializer(
        onnx::TensorWriter::Of<float>(name, {64, kSize}, Numbers(size_t{64} * kSize, seed++)));
  }
  graph.Node("Add", {"w1", "w2"}, {"w"});
  graph.Node("Mul", {"b1", "b2"}, {"b"});
  graph.Node("MatMul", {"x", "w0"}, {"h"});
  graph.Node("MatMul", {"h", "w"}, {"m"});
  graph.Node("Add", {"m", "b"}, {"y"});
  graph.Output("y", onnx::kFloat, {64, kSize});
  return model.bytes();
}

class PackedWeights : public ::testing::Test {
 protected:
  struct Loaded {
    std::vector<float> y;
    std::string log;
    size_t anonymous_bytes = 0;  // that the session holds
  };

  // In an environment of its own. `folder` empty: without the setting.
  Loaded LoadAndRun(const std::string& folder, GraphOptimizationLevel level = ORT_ENABLE_ALL) {
    Loaded out;
    OrtEnv* made = nullptr;
    const auto log = [](void* to, OrtLoggingLevel, const char*, const char*, const char*,
                        const char* message) {
      static_cast<Loaded*>(to)->log += std::string(message) + "\n";
    };
    EXPECT_OK(Api().CreateEnvWithCustomLogger(log, &out, ORT_LOGGING_LEVEL_WARNING, "", &made));
    const Owned<OrtEnv> env(made, Api().ReleaseEnv);
    const Owned<OrtSessionOptions> options = NewOptions();
    EXPECT_OK(Api().SetSessionGraphOptimizationLevel(options.get(), level));
    EXPECT_OK(Api().SetIntraOpNumThreads(options.get(), 1));
    if (!folder.empty()) {
      EXPECT_OK(Api().AddSessionConfigEntry(options.get(), kWaybillConfigPackedWeightsPath,
                                            folder.c_str()));
    }
    const size_t before = test::AnonymousBytes();
    OrtSession* session = nullptr;
    EXPECT_OK(Api().CreateSession(env.get(), path_.c_str(), options.get(), &session));
    const Owned<OrtSession> owner(session, Api().ReleaseSession);
    if (session == nullptr) return out;
    const size_t after = test::AnonymousBytes();
    out.anonymous_bytes = after > before ? after - before : 0;
    std::vector<float> numbers = Numbers(size_t{64} * kSize, 99);
    const Owned<OrtValue> x = Wrap(numbers, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {64, kSize});
    const char *input = "x", *output = "y";
    const OrtValue* given = x.get();
    OrtValue* y = nullptr;
    EXPECT_OK(Api().Run(session, nullptr, &input, &given, 1, &output, 1, &y));
    const Owned<OrtValue> result(y, Api().ReleaseValue);
    out.y.resize(size_t{64} * kSize);
    if (y != nullptr) std::memcpy(out.y.data(), Data<float>(y), out.y.size() * sizeof(float));
    return out;
  }
  std::string Folder(const char* name) const {
    fs::create_directories(dir_ / name);
    return dir_ / name;
  }
  static std::vector<std::string> FilesIn(const std::string& folder) {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().string());
    return out;
  }
  static bool SameBits(const Loaded& a, const Loaded& b) {
    return a.y.size() == b.y.size() && !a.y.empty() &&
           std::memcmp(a.y.data(), b.y.data(), a.y.size() * sizeof(float)) == 0;
  }

  const test::TempDir dir_;
  const std::string path_ = dir_.Write("m.onnx", Model());
};

TEST_F(PackedWeights, AreMappedByTheNextProcessAndGiveTheSameBits) {
  const std::string folder = Folder("packed");
  const Loaded plain = LoadAndRun("");
  EXPECT_THAT(FilesIn(folder), IsEmpty()) << "nothing is written unless it is asked for";
  for (const auto level : {ORT_ENABLE_ALL, ORT_ENABLE_BASIC}) {
    const Loaded first = LoadAndRun(folder, level);
    const auto files = FilesIn(folder);
    ASSERT_EQ(files.size(), level == ORT_ENABLE_ALL ? 1u : 2u) << "other options, another file";
    const auto written = fs::last_write_time(files[0]);
    EXPECT_GE(fs::file_size(files[0]), 2 * kMatrixBytes);
    const Loaded second = LoadAndRun(folder, level);
    for (const Loaded* loaded : {&first, &second}) {
      EXPECT_TRUE(SameBits(*loaded, plain));
      EXPECT_THAT(loaded->log, IsEmpty());
      if (test::kSanitized) continue;
      EXPECT_LE(loaded->anonymous_bytes, size_t{2} << 20);
    }
    EXPECT_EQ(fs::last_write_time(files[0]), written) << "nothing was missing";
  }
}

TEST_F(PackedWeights, AModelThatChangedIsPackedAnewInTheSameFile) {
  const std::string folder = Folder("packed");
  const Loaded old_model = LoadAndRun(folder);
  // So that states of the file are told apart by its time of change, as they are most of the time.
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  LoadAndRun(folder);
  dir_.Write("m.onnx", Model(50));
  const Loaded plain = LoadAndRun("");
  EXPECT_FALSE(SameBits(plain, old_model));
  for (int i = 0; i < 2; ++i) {
    const Loaded loaded = LoadAndRun(folder);
    EXPECT_TRUE(SameBits(loaded, plain)) << i;
    EXPECT_THAT(loaded.log, IsEmpty());
  }
  EXPECT_EQ(FilesIn(folder).size(), 1u);
}

TEST_F(PackedWeights, MayLieBesideTheModel) {
  const Loaded plain = LoadAndRun("");
  EXPECT_TRUE(SameBits(LoadAndRun("beside_model"), plain));
  const auto files = FilesIn(dir_.path().string());
  ASSERT_EQ(files.size(), 2u);
  const std::string& file = files[0] == path_ ? files[1] : files[0];
  EXPECT_THAT(file, HasSubstr("/m.onnx."));
  EXPECT_TRUE(file.ends_with(".packed"));
  // The model and its file go elsewhere together.
  const std::string moved = Folder("moved");
  fs::copy(path_, moved + "/m.onnx");
  fs::rename(file, moved + "/" + fs::path(file).filename().string());
  const_cast<std::string&>(path_) = moved + "/m.onnx";
  const auto written = fs::last_write_time(FilesIn(moved)[0]);
  EXPECT_TRUE(SameBits(LoadAndRun("beside_model"), plain));
  EXPECT_EQ(FilesIn(moved).size(), 2u);
  EXPECT_EQ(fs::last_write_time(FilesIn(moved)[0]), written);
}

TEST_F(PackedWeights, DamageAndFoldersThatCanNotBeWrittenToAreWarningsThatSayWhy) {
  const std::string folder = Folder("packed");
  const Loaded plain = LoadAndRun(folder);
  const std::string file = FilesIn(folder).at(0);
  const std::string good = test::ReadWholeFile(file);
  std::string bad_bytes = good;
  bad_bytes[good.size() / 2] = static_cast<char>(bad_bytes[good.size() / 2] ^ 1);
  for (const auto& [contents, why] :
       {std::pair<std::string, std::string>("text", "within its head"),
        {good.substr(0, good.size() - 1), "instead of"},
        {bad_bytes, "damaged"}}) {
    test::WriteFile(file, contents);
    const Loaded loaded = LoadAndRun(folder);
    EXPECT_TRUE(SameBits(loaded, plain)) << why;
    EXPECT_THAT(loaded.log, HasSubstr(file));
    EXPECT_THAT(loaded.log, HasSubstr(why));
    EXPECT_EQ(std::count(loaded.log.begin(), loaded.log.end(), '\n'), 1) << loaded.log;
    EXPECT_THAT(LoadAndRun(folder).log, IsEmpty()) << "made good";
  }
  const Loaded nowhere = LoadAndRun(dir_ / "none");
  EXPECT_TRUE(SameBits(nowhere, plain));
  EXPECT_THAT(nowhere.log, HasSubstr("No such file"));
  EXPECT_EQ(std::count(nowhere.log.begin(), nowhere.log.end(), '\n'), 1) << nowhere.log;
}

TEST_F(PackedWeights, ModelsFromMemoryAreNamedByTheirContents) {
  const std::string folder = Folder("packed"), bytes = Model();
  const auto load = [&](const std::string& model, const char* value) {
    const Owned<OrtEnv> env = NewEnv();
    const Owned<OrtSessionOptions> options = NewOptions();
    EXPECT_OK(Api().AddSessionConfigEntry(options.get(), kWaybillConfigPackedWeightsPath, value));
    OrtSession* session = nullptr;
    Outcome outcome(Api().CreateSessionFromArray(env.get(), model.data(), model.size(),
                                                 options.get(), &session));
    if (session != nullptr) Api().ReleaseSession(session);
    return outcome;
  };
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(load(bytes, folder.c_str()).Says(ORT_OK));
  EXPECT_EQ(FilesIn(folder).size(), 1u);
  EXPECT_TRUE(load(Model(7), folder.c_str()).Says(ORT_OK));
  EXPECT_EQ(FilesIn(folder).size(), 2u);
  const Outcome refused = load(bytes, "beside_model");
  EXPECT_TRUE(refused.Says(ORT_INVALID_ARGUMENT, kWaybillConfigPackedWeightsPath)) << refused;
}

}  // namespace
}  // namespace waybill::api_test
