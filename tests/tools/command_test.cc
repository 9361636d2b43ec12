// The waybill command: output, errors and exit codes.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/api/models.h"
#include "tests/support/temp_dir.h"
#include "tests/tools/command.h"

namespace waybill {
namespace {

using api_test::AddOneModel;
using api_test::SequenceModel;
using api_test::TwoOutputsModel;
using tools_test::Outcome;
using tools_test::Waybill;
using Json = nlohmann::json;

class Command : public testing::Test {
 protected:
  // A case with the input {1, 2} and the given expectation of {2, 3}.
  std::string MakeCase(const std::string& name, const std::vector<float>& expected) {
    dir_.Write(name + "/model.onnx", AddOneModel());
    dir_.Write(name + "/test_data_set_0/input_0.pb",
               onnx::TensorWriter::Of<float>("x", {1, 2}, {1, 2}).bytes());
    dir_.Write(name + "/test_data_set_0/output_0.pb",
               onnx::TensorWriter::Of<float>("y", {1, 2}, expected).bytes());
    return dir_ / name;
  }

  test::TempDir dir_;
};

TEST_F(Command, HelpAndVersion) {
  const Outcome help = Waybill("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"run", "inspect", "bench", "memory", "verify", "Exit codes"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  for (const char* command : {"run", "inspect", "bench", "memory", "verify"}) {
    const Outcome outcome = Waybill(std::string(command) + " --help");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << command;
  }
  const Outcome version = Waybill("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("waybill ", 0), 0u) << version.out;
}

TEST_F(Command, WrongUseIsTwo) {
  const std::string model = dir_.Write("m.onnx", AddOneModel());
  for (const std::string& arguments :
       {std::string(), std::string("nonsense"), std::string("run"), "run " + model + " --level 9",
        "run " + model + " --dim batch", "run " + model + " --shape x=2xtwo",
        "run " + model + " --nonsense", "run " + model + " -i nope=" + model}) {
    const Outcome outcome = Waybill(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << outcome.err;
    EXPECT_FALSE(outcome.err.empty()) << arguments;
  }
}

// Names that the model does not have are wrong use; what there is, is said.
TEST_F(Command, UnknownNamesAreTold) {
  const std::string model = dir_.Write("m.onnx", AddOneModel());
  ASSERT_EQ(Waybill("run " + model + " --save " + (dir_ / "all.npz")).code, 0);
  ASSERT_EQ(Waybill("run " + model + " --save " + (dir_ / "out")).code, 0);
  const std::string npy = dir_ / "out/y.npy", npz = dir_ / "all.npz";
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"run " + model + " --dim bach=2", "no dimension 'bach'; there is: 'batch'"},
           {"bench --runs 1 " + model + " --dim bach=2", "no dimension 'bach'"},
           {"inspect --plan " + model + " --dim bach=2", "no dimension 'bach'"},
           {"run " + model + " --shape z=2x2", "no input 'z'; there is: 'x'"},
           {"inspect --plan " + model + " --shape z=2x2", "no input 'z'"},
           {"run " + model + " -i " + npy + " --shape x=1x2", "given by --input"},
           {"run " + model + " --shape x=1x2 --shape x=3x2", "has a shape already"},
           {"run " + model + " -i z=" + npy, "no input 'z'; there is: 'x'"},
           {"run " + model + " -i " + npz, "no input 'y'; there is: 'x'"},
           {"run " + model + " -i x=" + npz, "no array 'x'; there is: 'y'"},
           {"run " + model + " -i x=" + (dir_ / "out"), "a folder is for all inputs"},
           {"run " + model + " --outputs z", "no output 'z'; there is: 'y'"},
           {"nope " + model, "unknown command 'nope'; there is: run inspect bench verify"}}) {
    const Outcome outcome = Waybill(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << "\n" << outcome.err;
  }
}

// One value for each name: none is dropped silently.
TEST_F(Command, TwiceTheSameNameIsWrongUse) {
  const std::string model = dir_.Write("m.onnx", AddOneModel());
  const std::string saved = dir_.Write("id.onnx", [] {
    onnx::ModelWriter writer;
    writer.Opset("", 17);
    writer.graph().Input("x", onnx::kFloat, {1, 2});
    writer.graph().Node("Identity", {"x"}, {"y"});
    writer.graph().Output("y", onnx::kFloat, {1, 2});
    return writer.bytes();
  }());
  ASSERT_EQ(Waybill("run " + saved + " --save " + (dir_ / "out")).code, 0);
  const std::string npy = dir_ / "out/y.npy", pb = MakeCase("case", {2, 3}) + "/test_data_set_0";
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--dim batch=2 --dim batch=3", "--dim batch=3: the dimension has a size already"},
           {"--config a=1 --config b=1 --config a=1",
            "--config a=1: the entry has a value already"},
           {"-i x=" + npy + " -i x=" + npy,
            "--input x=" + npy + ": the input 'x' is given already"},
           {"-i " + npy + " -i x=" + pb + "/input_0.pb", "the input 'x' is given already"},
           {"-i " + npy + " -i " + pb, "the input 'x' is given already"}}) {
    const Outcome outcome = Waybill("run " + model + " " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << "\n" << outcome.err;
  }
}

// A name cannot steer the terminal or begin a line.
TEST_F(Command, NamesArePrintable) {
  const std::string name = "ab\x1b[31m\nc\xC2\x9B\xC3\xA9";
  const std::string shown = "ab\\x1b[31m\\nc\\xc2\\x9b\xC3\xA9";
  onnx::ModelWriter writer;
  writer.Opset("", 17);
  writer.graph().Input("x", onnx::kFloat, {2});
  writer.graph().Node("Neg", {"x"}, {name}).Name(name);
  writer.graph().Output(name, onnx::kFloat, {2});
  const std::string model = dir_.Write("m.onnx", writer.bytes());
  for (const char* arguments : {"inspect --kernels --plan --patches ", "run --outputs nope "}) {
    const Outcome outcome = Waybill(arguments + model);
    const std::string text = outcome.out + outcome.err;
    EXPECT_NE(text.find(shown), std::string::npos) << text;
    for (const char* odd : {"\x1b", "\xC2\x9B"}) {
      EXPECT_EQ(text.find(odd), std::string::npos) << arguments;
    }
  }
}

// Output that is lost is a failure, also when it was short enough to stay in the buffer.
TEST_F(Command, LostOutputIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const std::string model = dir_.Write("m.onnx", AddOneModel()), good = MakeCase("good", {2, 3});
  for (const std::string& arguments :
       {"run " + model, "run " + model + " --json", "inspect " + model + " --json",
        "bench --runs 1 " + model, "verify " + good, std::string("--help"),
        std::string("--version")}) {
    const Outcome outcome = Waybill(arguments + " > /dev/full");
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_NE(outcome.err.find("output could not be written"), std::string::npos) << arguments;
  }
}

TEST_F(Command, OneArrayOfSeveralAndPathsWithEquals) {
  const std::string two = dir_.Write("two.onnx", TwoOutputsModel());
  const std::string sums = dir_ / "a=1.npz";
  ASSERT_EQ(Waybill("run " + two + " --save " + sums).code, 0);
  // The arrays are "sum" and "difference"; this model's input is "sum".
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("sum", onnx::kFloat, {3});
  model.graph().Node("Neg", {"sum"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {3});
  const std::string neg = dir_.Write("neg.onnx", model.bytes());
  const auto data = [&](const std::string& arguments, const char* output) {
    const Outcome outcome = Waybill("run " + arguments + " --json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out)["outputs"][output]["data"] : Json();
  };
  const Json sum = data(two + " --outputs sum", "sum");
  const Json got = data(neg + " -i sum=" + sums, "y");
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[1].get<double>(), -sum[1].get<double>());
  EXPECT_EQ(Waybill("run " + neg + " -i " + sums).code, 2) << "'difference' is no input of it";
}

TEST_F(Command, ConfigValuesMayHoldEquals) {
  const std::string model = dir_.Write("m.onnx", AddOneModel());
  EXPECT_EQ(Waybill("run " + model + " --config some.key=a=b --config waybill.read_model=1").code,
            0);
  const Outcome outcome = Waybill("run " + model + " --config waybill.read_model=a=b");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("waybill.read_model must be 0 or 1, not \"a=b\""), std::string::npos)
      << outcome.err;
  EXPECT_NE(Waybill("run --help").out.find("docs/guide/settings.md lists the keys"),
            std::string::npos);
}

TEST_F(Command, FailuresAreOne) {
  for (const char* command : {"run", "inspect", "bench", "memory", "verify"}) {
    const Outcome outcome = Waybill(std::string(command) + " /no/such/model.onnx");
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_NE((outcome.out + outcome.err).find("/no/such/model.onnx"), std::string::npos);
  }
}

TEST_F(Command, RunGeneratesPrintsAndSaves) {
  const std::string model = dir_.Write("m.onnx", AddOneModel());
  const Outcome text = Waybill("run " + model);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("y: float [1, 2]"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("'batch' is open, 1 is taken"), std::string::npos) << text.err;

  const Outcome json = Waybill("run " + model + " --dim batch=3 --json --save " + (dir_ / "out"));
  ASSERT_EQ(json.code, 0) << json.err;
  const Json output = Json::parse(json.out)["outputs"]["y"];
  EXPECT_EQ(output["shape"], Json::parse("[3, 2]"));
  EXPECT_EQ(output["data"].size(), 6u);
  // What was saved is fed again; the same seed gives the same numbers.
  const Outcome again = Waybill("run " + model + " --json -i x=" + (dir_ / "out/y.npy"));
  ASSERT_EQ(again.code, 0) << again.err;
  const Json fed = Json::parse(again.out)["outputs"]["y"];
  EXPECT_NEAR(fed["data"][0].get<double>(), output["data"][0].get<double>() + 1, 1e-6);
  EXPECT_EQ(Waybill("run " + model + " --json").out, Waybill("run " + model + " --json").out);
  EXPECT_NE(Waybill("run " + model + " --json").out,
            Waybill("run " + model + " --json --seed 5").out);
  EXPECT_EQ(Waybill("run " + model + " --shape x=7x2 --save " + (dir_ / "all.npz")).code, 0);
}

TEST_F(Command, RunSequencesAndChosenOutputs) {
  const std::string sequence = dir_.Write("s.onnx", SequenceModel());
  const Outcome outcome = Waybill("run " + sequence + " --save " + (dir_ / "s"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2 items"), std::string::npos) << outcome.out;
  EXPECT_TRUE(std::filesystem::exists(dir_ / "s/s.pb"));
  const std::string two = dir_.Write("two.onnx", TwoOutputsModel());
  const Outcome one = Waybill("run " + two + " --outputs difference --json");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(Json::parse(one.out)["outputs"].size(), 1u);
}

TEST_F(Command, Inspect) {
  const std::string model = dir_.Write("m.onnx", AddOneModel());
  const Outcome text = Waybill("inspect " + model);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("x: tensor(float) [batch, 2]"), std::string::npos) << text.out;
  const Outcome all =
      Waybill("inspect " + model + " --kernels --patches --plan --dim batch=4 --json");
  ASSERT_EQ(all.code, 0) << all.err;
  const Json json = Json::parse(all.out);
  EXPECT_LE(json["plan"]["bound_bytes"], json["plan"]["planned_bytes"]);
  EXPECT_TRUE(json.contains("kernels"));
  EXPECT_TRUE(json.contains("patches"));
  EXPECT_EQ(Waybill("inspect " + model + " --kernels --patches --plan").code, 0);
}

TEST_F(Command, InspectSaysWhoMadeTheModel) {
  const auto first_line = [&](const onnx::ModelWriter& model) {
    const Outcome outcome = Waybill("inspect " + dir_.Write("m.onnx", model.bytes()));
    return outcome.out.substr(0, outcome.out.find('\n'));
  };
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {3});
  model.graph().Node("Neg", {"x"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {3});
  EXPECT_EQ(first_line(model).find(", by"), std::string::npos) << first_line(model);
  model.Producer("maker", "");
  EXPECT_TRUE(first_line(model).ends_with(", by maker")) << first_line(model);
  model.Producer("maker", "2.1");
  EXPECT_TRUE(first_line(model).ends_with(", by maker 2.1")) << first_line(model);
}

TEST_F(Command, Bench) {
  const std::string model = dir_.Write("m.onnx", AddOneModel());
  const Outcome outcome = Waybill("bench " + model + " --runs 20 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["run"]["runs"], 20);
  EXPECT_LE(json["run"]["min_us"], json["run"]["p50_us"]);
  EXPECT_LE(json["run"]["p50_us"], json["run"]["p99_us"]);
  EXPECT_GT(json["load"]["total_us"], 0);
  EXPECT_GT(json["run"]["allocations"], 0);
  EXPECT_EQ(Waybill("bench " + model + " --runs 3").code, 0);
  const Outcome ops = Waybill("bench " + model + " --runs 5 --ops --json");
  ASSERT_EQ(ops.code, 0) << ops.err;
  const Json profile = Json::parse(ops.out)["profile"];
  EXPECT_EQ(profile["runs"], 5);
  ASSERT_FALSE(profile["nodes"].empty());
  EXPECT_EQ(profile["nodes"][0]["calls"], 1);
  EXPECT_GE(profile["operators"].size(), 1u);
}

TEST_F(Command, VerifyTellsWhatDiffers) {
  const std::string good = MakeCase("good", {2, 3}), bad = MakeCase("bad", {2, 4});
  const Outcome passed = Waybill("verify " + good + " --runs 3 --compare-threads 1 --level 0");
  EXPECT_EQ(passed.code, 0) << passed.out << passed.err;
  const Outcome both = Waybill("verify " + good + " " + bad);
  EXPECT_EQ(both.code, 1);
  EXPECT_NE(both.out.find("y: 1 of 2 elements differ; at [0, 1] got 3, expected 4"),
            std::string::npos)
      << both.out;
  EXPECT_NE(both.out.find("1 of 2 cases passed"), std::string::npos);
  EXPECT_EQ(Waybill("verify " + bad + " --rtol 0 --atol 1.5").code, 0);
  EXPECT_EQ(Waybill("verify " + good + " --rtol 0 --atol 0 --top1").code, 0);
  dir_.Write("bad/case.json", R"({"reference_noise": {"y": {"maxabs": 0.2}}})");
  EXPECT_EQ(Waybill("verify " + bad).code, 0);
  const Outcome json = Waybill("verify " + good + " --json");
  EXPECT_EQ(Json::parse(json.out)["passed"], 1);
}

// What would compare nothing, or compare by other rules than the case says, does not pass.
TEST_F(Command, VerifyRefusesIncompleteCases) {
  const auto fails = [](const std::string& folder, const std::string& words) {
    const Outcome outcome = Waybill("verify " + folder);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.out.find(words), std::string::npos) << outcome.out;
  };
  const std::string bare = MakeCase("bare", {2, 3});
  std::filesystem::remove(dir_ / "bare/test_data_set_0/output_0.pb");
  fails(bare, "no output_*.pb in " + (dir_ / "bare/test_data_set_0"));
  const std::string more = MakeCase("more", {2, 3});
  dir_.Write("more/test_data_set_0/output_1.pb", "");
  fails(more, "output_1.pb");
  const std::string odd = MakeCase("odd", {2, 3});
  dir_.Write("odd/test_data_set_0/input_7.pb", "");
  fails(odd, "input_7.pb");
  const std::string noise = MakeCase("noise", {2, 3});
  for (const char* text : {"{", "[]", R"({"reference_noise": 1})",
                           R"({"reference_noise": {"y": {"maxabs": "0.2"}}})"}) {
    dir_.Write("noise/case.json", text);
    fails(noise, "case.json");
  }
  dir_.Write("noise/case.json", R"({"name": "noise"})");
  EXPECT_EQ(Waybill("verify " + noise).code, 0);
}

}  // namespace
}  // namespace waybill
