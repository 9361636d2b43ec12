#include "session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "memory/source/hub.h"
#include "tests/support/alloc/alloc_hook.h"
#include "tests/support/session_fixture.h"
#include "tests/support/temp_dir.h"

namespace waybill::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = Relu(x + b) * b, over [batch, 2]
onnx::ModelWriter ChainModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"batch", 2});
  graph.Initializer(onnx::TensorWriter::Of<float>("b", {2}, {1, -1}));
  graph.Node("Add", {"x", "b"}, {"sum"}).Name("/add");
  graph.Node("Relu", {"sum"}, {"r"}).Name("/relu");
  graph.Node("Mul", {"r", "b"}, {"y"}).Name("/mul");
  graph.Output("y", onnx::kFloat, {"batch", 2});
  return model;
}

TEST_F(SessionTest, RunsAModelFromBytes) {
  const auto session = MustLoad(ChainModel());
  ASSERT_NE(session, nullptr);
  ASSERT_EQ(session->inputs().size(), 1u);
  EXPECT_EQ(session->inputs()[0].name, "x");
  EXPECT_EQ(session->inputs()[0].type.ToString(), "float [batch, 2]");
  EXPECT_EQ(session->outputs()[0].name, "y");
  std::vector<Value> out;
  const Status status = Run(*session, {"x"}, {Floats({2, 2}, {1, 5, -3, 0})}, {"y"}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(2, -4, 0, 0));
  EXPECT_GT(session->load_report().total_ns, 0);
}

TEST_F(SessionTest, RefusesWrongInputsBeforeRunning) {
  const auto session = MustLoad(ChainModel());
  ASSERT_NE(session, nullptr);
  const auto message = [&](const std::vector<std::string_view>& names,
                           const std::vector<Value>& values,
                           const std::vector<std::string_view>& outputs = {"y"}) {
    std::vector<Value> out;
    const Status status = Run(*session, names, values, outputs, out);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    return status.message();
  };
  const Value good = Floats({1, 2}, {1, 2});
  EXPECT_THAT(message({"n"}, {good}), HasSubstr("Invalid input name: n"));
  EXPECT_THAT(message({""}, {good}), HasSubstr("input name cannot be empty"));
  EXPECT_THAT(message({"x"}, {good}, {"z"}), HasSubstr("Invalid output name: z"));
  EXPECT_THAT(message({}, {}), HasSubstr("Missing Input: x"));
  EXPECT_THAT(message({"x", "x"}, {good, good}), HasSubstr("twice"));
  EXPECT_THAT(message({"x"}, {good}, {}), HasSubstr("At least one output should be requested."));
  EXPECT_THAT(message({"x"}, {Ints({1, 2}, {1, 2})}),
              HasSubstr("Unexpected input data type. Actual: (tensor(int64)) , expected: "
                        "(tensor(float))"));
  EXPECT_THAT(message({"x"}, {Floats({2}, {1, 2})}),
              HasSubstr("Invalid rank for input: x Got: 1 Expected: 2"));
  EXPECT_THAT(message({"x"}, {Floats({1, 3}, {1, 2, 3})}),
              HasSubstr("Got invalid dimensions for input: x for the following indices\n index: 1 "
                        "Got: 3 Expected: 2"));
}

TEST_F(SessionTest, EqualSymbolsAreEqualSizes) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("a", onnx::kFloat, {"n"}).Input("b", onnx::kFloat, {"n"});
  model.graph().Node("Add", {"a", "b"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {"n"});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  const Status status =
      Run(*session, {"a", "b"}, {Floats({2}, {1, 2}), Floats({1}, {1})}, {"y"}, out);
  EXPECT_THAT(status.message(), HasSubstr("Got: 1 Expected: 2"));
}

TEST_F(SessionTest, FreeDimensionsTakeSizes) {
  SessionOptions options = ReferenceOptions();
  options.free_dims_by_name = {{"batch", 3}, {"unused", 7}};
  const auto session = MustLoad(ChainModel(), options);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->inputs()[0].type.ToString(), "float [3, 2]");
  std::vector<Value> out;
  EXPECT_FALSE(Run(*session, {"x"}, {Floats({1, 2}, {1, 2})}, {"y"}, out).ok());
}

TEST_F(SessionTest, OverridableInitializersHaveDefaults) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {2}).Input("b", onnx::kFloat, {2});
  model.graph().Initializer(onnx::TensorWriter::Of<float>("b", {2}, {1, 2}));
  model.graph().Node("Add", {"x", "b"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {2});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->inputs().size(), 1u);
  ASSERT_EQ(session->overridable_initializers().size(), 1u);
  EXPECT_EQ(session->overridable_initializers()[0].name, "b");
  std::vector<Value> out;
  ASSERT_TRUE(Run(*session, {"x"}, {Floats({2}, {1, 1})}, {"y"}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(2, 3));
  out.clear();
  ASSERT_TRUE(
      Run(*session, {"x", "b"}, {Floats({2}, {1, 1}), Floats({2}, {5, 6})}, {"y"}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(6, 7));
}

TEST_F(SessionTest, InitializersAreReplacedAtLoad) {
  SessionOptions options = ReferenceOptions();
  options.initializers.emplace_back("b", Floats({2}, {10, 20}));
  const auto session = MustLoad(ChainModel(), options);
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  ASSERT_TRUE(Run(*session, {"x"}, {Floats({1, 2}, {1, 1})}, {"y"}, out).ok());
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(110, 420));
}

TEST_F(SessionTest, ConfigKeysAreChecked) {
  const auto load = [&](const std::string& key, const std::string& value) {
    SessionOptions options = ReferenceOptions();
    options.config[key] = value;
    return Load(ChainModel(), options).status();
  };
  EXPECT_TRUE(load("session.some_key", "whatever").ok());
  EXPECT_TRUE(load("waybill.stop_after_patch", "0").ok());
  EXPECT_THAT(load("waybill.stop_after_patch", "-1").message(),
              HasSubstr("waybill.stop_after_patch"));
  EXPECT_THAT(load("waybill.read_model", "yes").message(), HasSubstr("must be 0 or 1"));
  EXPECT_TRUE(load("waybill.step_order", "file").ok());
  EXPECT_TRUE(load("waybill.step_order", "memory").ok());
  EXPECT_THAT(load("waybill.step_order", "1").message(), HasSubstr("must be memory or file"));
  EXPECT_THAT(load("waybill.nonsense", "1").message(), HasSubstr("waybill.nonsense"));
}

TEST_F(SessionTest, LoadIsCancelled) {
  const std::atomic<bool> cancel = true;
  SessionOptions options = ReferenceOptions();
  options.cancel_load = &cancel;
  EXPECT_EQ(Load(ChainModel(), options).status().code(), Code::kCancelled);
}

TEST_F(SessionTest, SameOutputTwiceIsTwoValues) {
  const auto session = MustLoad(ChainModel());
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  ASSERT_TRUE(Run(*session, {"x"}, {Floats({1, 2}, {1, 5})}, {"y", "y"}, out).ok());
  EXPECT_EQ(AsFloats(out[0]), AsFloats(out[1]));
  EXPECT_NE(out[0].tensor()->view().data, out[1].tensor()->view().data);
}

TEST_F(SessionTest, WarmRunsTakeNoHeapMemory) {
  const auto session = MustLoad(ChainModel());
  ASSERT_NE(session, nullptr);
  const std::vector<std::string_view> names = {"x"}, output_names = {"y"};
  const std::vector<Value> inputs = {Floats({2, 2}, {1, 5, -3, 0})};
  std::vector<Value> outputs = {Floats({2, 2}, {0, 0, 0, 0})};  // given, so nothing to allocate
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(session->Run(RunOptions(), names, inputs, output_names, outputs).ok());
  }
  const RunOptions options;
  const waybill::testing::AllocCounter counter;
  const Status status = session->Run(options, names, inputs, output_names, outputs);
  EXPECT_EQ(counter.allocations(), 0u);
  ASSERT_TRUE(status.ok());
  EXPECT_THAT(AsFloats(outputs[0]), ElementsAre(2, -4, 0, 0));
}

TEST_F(SessionTest, CopiedModelsAreInTheLedger) {
  const auto weights = [&] {
    size_t bytes = 0;
    for (const DeviceUse& use : env_->hub().ledger->Snapshot()) {
      bytes += use.by_tag[static_cast<size_t>(MemoryTag::kWeights)].bytes_in_use;
    }
    return bytes;
  };
  const std::string model = ChainModel().bytes();
  const size_t before = weights();
  {
    const auto loaded =
        Session::LoadBytes(env_, std::as_bytes(std::span(model)), false, ReferenceOptions());
    ASSERT_TRUE(loaded.ok());
    EXPECT_GE(weights() - before, model.size());
  }
  const test::TempDir dir;
  const std::string path = dir.Write("m.onnx", model);
  SessionOptions read = ReferenceOptions();
  read.config["waybill.read_model"] = "1";
  {
    const auto loaded = Session::LoadFile(env_, path, read);
    ASSERT_TRUE(loaded.ok());
    EXPECT_GE(weights() - before, model.size());
  }
  EXPECT_EQ(weights(), before);
}

TEST_F(SessionTest, ThreadsGetEqualBits) {
  const auto session = MustLoad(ChainModel());
  ASSERT_NE(session, nullptr);
  std::vector<Value> expected;
  ASSERT_TRUE(Run(*session, {"x"}, {Floats({2, 2}, {1, 5, -3, 0})}, {"y"}, expected).ok());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::vector<Value> out;
        if (!Run(*session, {"x"}, {Floats({2, 2}, {1, 5, -3, 0})}, {"y"}, out).ok()) ++wrong;
        if (AsFloats(out[0]) != AsFloats(expected[0])) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SessionTest, PlansAreToldWithoutRunning) {
  SessionOptions unfused = ReferenceOptions();
  unfused.level = OptLevel::kBasic;
  const auto session = MustLoad(ChainModel(), unfused);
  ASSERT_NE(session, nullptr);
  const std::vector<std::string_view> names = {"x"};
  const std::vector<Shape> shapes = {{100, 2}};
  const auto plan = session->PlanFor(names, shapes);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  // Each step works in place, so all values lie in the output's buffer.
  EXPECT_EQ(plan->planned_bytes, 0u);
  EXPECT_EQ(plan->bound_bytes, 0u);
  EXPECT_EQ(plan->planned_values, 3u);
  EXPECT_EQ(plan->dynamic_values, 0u);
  const auto json = session->PlanJson();
  ASSERT_TRUE(json.ok());
  EXPECT_THAT(*json, HasSubstr("\"planned_bytes\":"));
  EXPECT_THAT(session->KernelsJson(), HasSubstr("/relu (Relu-14)"));
}

TEST_F(SessionTest, ProfilesCountCallsByStep) {
  SessionOptions unfused = ReferenceOptions();
  unfused.level = OptLevel::kBasic;
  const auto session = MustLoad(ChainModel(), unfused);
  ASSERT_NE(session, nullptr);
  std::vector<Value> outputs;
  const auto run = [&] {
    outputs.clear();
    return Run(*session, {"x"}, {Floats({2, 2}, {1, 5, -3, 0})}, {"y"}, outputs);
  };
  ASSERT_TRUE(run().ok());
  EXPECT_THAT(session->ProfileJson(), HasSubstr("\"runs\":0"));
  session->SetProfiling(true);
  ASSERT_TRUE(run().ok());
  ASSERT_TRUE(run().ok());
  session->SetProfiling(false);
  ASSERT_TRUE(run().ok());
  const std::string profile = session->ProfileJson();
  EXPECT_THAT(profile, HasSubstr("\"runs\":2"));
  EXPECT_THAT(profile, HasSubstr("\"node\":\"/relu (Relu-14)\",\"op\":\"Relu\""));
  EXPECT_THAT(profile, HasSubstr("\"inputs\":\"float [2, 2]\",\"calls\":2"));
  session->SetProfiling(true);
  EXPECT_THAT(session->ProfileJson(), HasSubstr("\"steps\":[]"));
}

TEST_F(SessionTest, OpenDimensionsAreNamed) {
  const auto session = MustLoad(ChainModel());
  ASSERT_NE(session, nullptr);
  const auto plan = session->PlanFor({}, {});
  EXPECT_EQ(plan.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(plan.status().message(), HasSubstr("batch"));
}

TEST_F(SessionTest, GivenOutputsMustFit) {
  const auto session = MustLoad(ChainModel());
  ASSERT_NE(session, nullptr);
  std::vector<Value> out = {Floats({1, 2}, {0, 0})};
  const Status status = Run(*session, {"x"}, {Floats({2, 2}, {1, 5, -3, 0})}, {"y"}, out);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("[1, 2]"));
  EXPECT_THAT(status.message(), HasSubstr("[2, 2]"));
}

// x reshaped to [Shape(x)[1], Shape(x)[0]] by arithmetic in the graph: planned, not dynamic.
TEST_F(SessionTest, ShapeArithmeticStaysPlanned) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"a", "b"});
  graph.Initializer(onnx::TensorWriter::Of<int64_t>("one", {1}, {1}));
  graph.Initializer(onnx::TensorWriter::Of<int64_t>("zero", {1}, {0}));
  graph.Node("Shape", {"x"}, {"s"});
  graph.Node("Gather", {"s", "one"}, {"s1"});
  graph.Node("Gather", {"s", "zero"}, {"s0"});
  graph.Node("Concat", {"s1", "s0"}, {"t"}).Int("axis", 0);
  graph.Node("Relu", {"x"}, {"r"});
  graph.Node("Reshape", {"r", "t"}, {"y"});
  graph.Output("y", onnx::kFloat, {"b", "a"});
  const auto session = MustLoad(model);
  ASSERT_NE(session, nullptr);
  std::vector<Value> out;
  const Status status = Run(*session, {"x"}, {Floats({1, 3}, {1, -2, 3})}, {"y"}, out);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out[0].tensor()->shape(), (Shape{3, 1}));
  EXPECT_THAT(AsFloats(out[0]), ElementsAre(1, 0, 3));
  EXPECT_EQ(session->PlanFor({}, {})->dynamic_values, 0u);
}

// Two nodes that do nothing: each is one patch.
TEST_F(SessionTest, PatchesAreCountedAndStoppable) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {2});
  graph.Node("Relu", {"x"}, {"a"});
  graph.Node("Identity", {"a"}, {"b"});
  graph.Node("Relu", {"b"}, {"c"});
  graph.Node("Identity", {"c"}, {"d"});
  graph.Node("Neg", {"d"}, {"y"});
  graph.Output("y", onnx::kFloat, {2});
  const auto steps = [&](OptLevel level, const char* stop) {
    SessionOptions options = ReferenceOptions();
    options.level = level;
    if (stop != nullptr) options.config["waybill.stop_after_patch"] = stop;
    const auto session = MustLoad(model, options);
    if (session == nullptr) return size_t{0};
    std::vector<Value> out;
    EXPECT_TRUE(Run(*session, {"x"}, {Floats({2}, {1, -1})}, {"y"}, out).ok());
    EXPECT_THAT(AsFloats(out[0]), ElementsAre(-1, 0));
    return session->PlanFor({}, {})->steps;
  };
  EXPECT_EQ(steps(OptLevel::kNone, nullptr), 5u);
  EXPECT_EQ(steps(OptLevel::kBasic, nullptr), 3u);
  EXPECT_EQ(steps(OptLevel::kBasic, "1"), 4u);
  EXPECT_EQ(steps(OptLevel::kBasic, "0"), 5u);
  SessionOptions options = ReferenceOptions();
  options.level = OptLevel::kBasic;
  EXPECT_THAT(MustLoad(model, options)->PatchesJson(), HasSubstr("\"number\":2"));
}

TEST_F(SessionTest, FilesAreLoadedAndMissingOnesNamed) {
  const auto missing = Session::LoadFile(env_, "/nowhere/model.onnx", ReferenceOptions());
  EXPECT_EQ(missing.status().code(), Code::kNoSuchFile);
  EXPECT_THAT(missing.status().message(), HasSubstr("/nowhere/model.onnx"));
}

TEST_F(SessionTest, MemoryIsReportedByTag) {
  EXPECT_THAT(env_->MemoryJson(), HasSubstr("\"slab\""));
}

}  // namespace
}  // namespace waybill::session
