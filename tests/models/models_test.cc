// Every model of the extra data: right at every level, bit-equal whatever the width and the run.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cpu/kernels/table.h"
#include "kernel/reference/reference.h"
#include "session/session.h"
#include "tests/models/compare.h"
#include "tests/models/model_case.h"
#include "tests/models/random_weights.h"
#include "tests/support/interpreter/interpreter.h"
#include "tests/support/temp_dir.h"

namespace waybill::testing {
namespace {

using session::OptLevel;

std::vector<ModelCase> Cases() {
  const std::string root = WAYBILL_TEST_DATA;
  return root.empty() ? std::vector<ModelCase>() : FindModelCases(root + "/models");
}

std::string NameOf(const ::testing::TestParamInfo<ModelCase>& param) {
  std::string name = param.param.name;
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

session::Env& SharedEnv(std::shared_ptr<session::Env>& keep) {
  session::EnvOptions options;
  options.severity = session::Severity::kError;
  options.threads = 2;
  keep = *session::Env::Create(options);
  return *keep;
}

// Fast kernels first, as users get them.
kernel::Provider UserProvider() {
  kernel::Provider provider{"CPUExecutionProvider", kernel::reference::AllTables()};
  provider.tables.insert(provider.tables.begin(), cpu::Kernels());
  return provider;
}

class Models : public ::testing::TestWithParam<ModelCase> {
 protected:
  void SetUp() override { SharedEnv(env_); }

  std::shared_ptr<session::Session> Load(OptLevel level, int threads) {
    return LoadFrom(GetParam().model_path(), level, threads);
  }

  // `save` is where the optimised model goes; empty: nowhere.
  std::shared_ptr<session::Session> LoadFrom(
      const std::string& path, OptLevel level, int threads, const std::string& save = {},
      const std::map<std::string, std::string>& config = {}) {
    session::SessionOptions options;
    options.level = level;
    options.intra_op_threads = threads;
    options.providers = {UserProvider()};
    options.optimized_model_path = save;
    options.config = config;
    auto session = session::Session::LoadFile(env_, path, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? *session : nullptr;
  }

  // `donate`: the run may overwrite all inputs that it can.
  void RunOnce(session::Session& session, std::vector<Value>& outputs, bool donate = false) {
    const auto inputs = ReadValues(GetParam(), "input", session.inputs());
    ASSERT_TRUE(inputs.ok()) << inputs.status().ToString();
    std::vector<std::string_view> names, output_names;
    for (size_t i = 0; i < inputs->size(); ++i) names.push_back(session.inputs()[i].name);
    for (const session::IoInfo& output : session.outputs()) output_names.push_back(output.name);
    outputs.assign(output_names.size(), Value());
    session::RunOptions options;
    for (size_t i = 0; i < inputs->size() && donate; ++i) {
      const Tensor* tensor = (*inputs)[i].tensor();
      if (tensor != nullptr && tensor->dtype() != DType::kString) {
        options.donated_inputs.emplace_back(names[i]);
      }
    }
    const Status status = session.Run(options, names, *inputs, output_names, outputs);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void CompareWithRecorded(const session::Session& session, const std::vector<Value>& outputs) {
    const auto expected = ReadValues(GetParam(), "output", session.outputs());
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    ASSERT_FALSE(expected->empty());
    for (size_t i = 0; i < expected->size(); ++i) {
      const std::string& name = session.outputs()[i].name;
      Tolerance tolerance;
      const auto noise = GetParam().noise.find(name);
      if (noise != GetParam().noise.end()) tolerance.noise = noise->second;
      if (GetParam().name == "mobilenetv2-qdq") tolerance.fixed = 0.46;
      EXPECT_EQ(Compare((*expected)[i], outputs[i], tolerance), "") << "output " << name;
    }
  }

  // What the plan of the last run says that it would take without reuse is what such a plan takes.
  static void ExpectSaysWhatIsTaken(session::Session& reusing, session::Session& apart) {
    const auto said = reusing.PlanFor({}, {}), taken = apart.PlanFor({}, {});
    ASSERT_TRUE(said.ok() && taken.ok());
    EXPECT_EQ(said->no_reuse_bytes, taken->planned_bytes);
    EXPECT_EQ(taken->no_reuse_bytes, taken->planned_bytes);
    EXPECT_EQ(said->planned_values, taken->planned_values);
  }

  std::shared_ptr<session::Env> env_;
};

void ExpectSameBits(const std::vector<Value>& a, const std::vector<Value>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(CompareBits(a[i], b[i]), "") << what << ", output " << i;
  }
}

TEST_P(Models, RightAndBitEqual) {
  for (const OptLevel level : {OptLevel::kNone, OptLevel::kAll}) {
    SCOPED_TRACE(level == OptLevel::kNone ? "level 0" : "level 3");
    const auto one = Load(level, 1), two = Load(level, 2);
    if (one == nullptr || two == nullptr) return;
    std::vector<Value> first, third, wide;
    RunOnce(*one, first);
    if (HasFatalFailure()) return;
    CompareWithRecorded(*one, first);
    RunOnce(*one, third);
    RunOnce(*one, third);
    ExpectSameBits(first, third, "run 1 and run 3");
    RunOnce(*two, wide);
    ExpectSameBits(first, wide, "1 and 2 threads");
  }
}

// Nothing reads bytes that are dead or not yet written, and sharing memory changes nothing.
// Without reuse the steps are in the order of the file, too.
TEST_P(Models, MemoryModesGiveTheSameBits) {
  for (const OptLevel level : {OptLevel::kNone, OptLevel::kAll}) {
    SCOPED_TRACE(level == OptLevel::kNone ? "level 0" : "level 3");
    std::vector<Value> expected;
    const std::string& path = GetParam().model_path();
    const auto apart = LoadFrom(path, level, 2, {}, {{"waybill.no_reuse", "1"}});
    ASSERT_NE(apart, nullptr);
    RunOnce(*apart, expected);
    if (HasFatalFailure()) return;
    const auto poisoned = LoadFrom(path, level, 2, {}, {{"waybill.poison_freed", "1"}});
    const auto plain = LoadFrom(path, level, 2);
    ASSERT_TRUE(poisoned != nullptr && plain != nullptr);
    for (int run = 0; run < 3; ++run) {
      std::vector<Value> outputs;
      RunOnce(*poisoned, outputs);
      ExpectSameBits(expected, outputs, "poisoned and without reuse");
      RunOnce(*plain, outputs);
      ExpectSameBits(expected, outputs, "with and without reuse");
      ExpectSaysWhatIsTaken(*plain, *apart);
      RunOnce(*poisoned, outputs, true);
      ExpectSameBits(expected, outputs, "with inputs that may be overwritten");
    }
  }
}

// With hundreds of megabytes of weights.
bool IsHuge(const ModelCase& model) {
  return model.name.find("vgg") != std::string::npos ||
         model.name.find("alexnet") != std::string::npos ||
         model.name.find("zfnet") != std::string::npos;
}

// The optimised model, written to a file and loaded from it, gives the same bits.
TEST_P(Models, OptimizedModelGivesTheSameBits) {
  if (IsHuge(GetParam())) GTEST_SKIP() << "its constants, written out, would fill the disk";
  const test::TempDir dir;
  for (const OptLevel level :
       {OptLevel::kNone, OptLevel::kBasic, OptLevel::kExtended, OptLevel::kAll}) {
    SCOPED_TRACE(Format("level {}", static_cast<int>(level)));
    const std::string path = dir / Format("{}.onnx", static_cast<int>(level));
    const auto session = LoadFrom(GetParam().model_path(), level, 2, path);
    const auto again = LoadFrom(path, level, 2), as_it_is = LoadFrom(path, OptLevel::kNone, 2);
    if (session == nullptr || again == nullptr || as_it_is == nullptr) return;
    std::vector<Value> first, second, third;
    RunOnce(*session, first);
    RunOnce(*again, second);
    RunOnce(*as_it_is, third);
    ExpectSameBits(first, second, "at the same level");
    ExpectSameBits(first, third, "without rewrites");
  }
}

// The fast kernels after all rewrites, one by one, in memory that is shared as they allow.
TEST_P(Models, KernelsShareMemoryAsTheySay) {
  if (IsHuge(GetParam())) GTEST_SKIP() << "they are those of the smaller models";
  auto interpreter = test::Interpreter::Open(GetParam().model_path());
  ASSERT_TRUE(interpreter.ok()) << interpreter.status().ToString();
  (*interpreter)->UseProviders({UserProvider()});
  const auto rewritten = (*interpreter)->Rewrite(graph::RewriteLevel::kAll);
  ASSERT_TRUE(rewritten.ok()) << rewritten.status().ToString();
  const auto session = Load(OptLevel::kNone, 1);
  ASSERT_NE(session, nullptr);
  const auto inputs = ReadValues(GetParam(), "input", session->inputs());
  ASSERT_TRUE(inputs.ok()) << inputs.status().ToString();
  const auto outputs = (*interpreter)->Run(*inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
}

// Types, ranks, known dimensions and contents as inferred, held against each step's outputs.
TEST_P(Models, InferenceAgreesAtEveryNode) {
  auto interpreter = test::Interpreter::Open(GetParam().model_path());
  ASSERT_TRUE(interpreter.ok()) << interpreter.status().ToString();
  (*interpreter)->UseProviders({UserProvider()});
  const auto session = Load(OptLevel::kNone, 1);
  ASSERT_NE(session, nullptr);
  const auto inputs = ReadValues(GetParam(), "input", session->inputs());
  ASSERT_TRUE(inputs.ok()) << inputs.status().ToString();
  const auto outputs = (*interpreter)->RunProgram(*inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
}

// The light models have constant weights, under which a wrong convolution looks right.
std::vector<ModelCase> LightCases() {
  std::vector<ModelCase> out;
  for (const ModelCase& model : Cases()) {
    if (model.name.rfind("light-", 0) == 0) out.push_back(model);
  }
  return out;
}

class LightModels : public Models {
 protected:
  std::vector<Value> RunBytes(const std::string& model, OptLevel level, kernel::Provider provider) {
    session::SessionOptions options;
    options.level = level;
    options.providers = {std::move(provider)};
    const auto bytes = std::as_bytes(std::span(model));
    auto session = session::Session::LoadBytes(env_, bytes, true, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    std::vector<Value> outputs;
    if (session.ok()) RunOnce(**session, outputs);
    return outputs;
  }
};

TEST_P(LightModels, RandomWeightsGiveTheReferenceResult) {
  std::ifstream file(GetParam().model_path(), std::ios::binary);
  const std::string original((std::istreambuf_iterator<char>(file)), {});
  const std::string model = test::WithRandomWeights(original, 7);
  ASSERT_GT(model.size(), original.size());
  const kernel::Provider reference{"CPUExecutionProvider", kernel::reference::AllTables()};
  const auto expected = RunBytes(model, OptLevel::kNone, reference);
  const auto actual = RunBytes(model, OptLevel::kAll, UserProvider());
  ASSERT_EQ(expected.size(), actual.size());
  ASSERT_FALSE(expected.empty());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(Compare(expected[i], actual[i], Tolerance()), "") << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Light, LightModels, ::testing::ValuesIn(LightCases()), NameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LightModels);
INSTANTIATE_TEST_SUITE_P(All, Models, ::testing::ValuesIn(Cases()), NameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Models);

}  // namespace
}  // namespace waybill::testing
