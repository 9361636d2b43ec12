// waybill memory on control flow: the report looks into bodies that are planned with the graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "memory/plan/csv.h"
#include "onnx/model/writer/model_writer.h"
#include "tests/tools/command.h"
#include "tests/tools/memory_report.h"

namespace waybill {
namespace {

using Json = nlohmann::json;
using MemoryBodies = tools_test::MemoryReport;
using tools_test::Outcome;
using tools_test::Waybill;

// y = yes ? a chain of three large values : a small one, after something that waits over the If.
std::string BranchModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kInt32, {64});
  graph.Input("yes", onnx::kBool, {});
  graph.Output("z", onnx::kInt32, {64});
  onnx::GraphWriter then_branch("then"), else_branch("else");
  then_branch.Node("Concat", {"h", "h", "h", "h"}, {"four"}).Int("axis", 0);
  then_branch.Node("Gather", {"four", "four"}, {"picked"});
  then_branch.Node("Gather", {"picked", "h"}, {"t"});
  then_branch.Output("t", onnx::kInt32, {64});
  else_branch.Node("Gather", {"h", "h"}, {"few"});
  else_branch.Node("Gather", {"few", "h"}, {"e"});
  else_branch.Output("e", onnx::kInt32, {64});
  graph.Node("Gather", {"x", "x"}, {"h"});
  graph.Node("If", {"yes"}, {"y"})
      .Graph("then_branch", then_branch)
      .Graph("else_branch", else_branch);
  graph.Node("Gather", {"y", "h"}, {"z"});
  return model.bytes();
}

TEST_F(MemoryBodies, LooksIntoBodies) {
  const std::string path = dir_.Write("branches.onnx", BranchModel());
  const Json plan = Report(path + " --runs 0")["session"]["plan"];
  EXPECT_EQ(plan["bound_bytes"], (2 + 4 + 4) * 256);  // h, y, four, picked
  EXPECT_EQ(plan["planned_bytes"], plan["bound_bytes"]);
  EXPECT_EQ(plan["no_reuse_bytes"], plan["planned_bytes"]);
  EXPECT_EQ(plan["planned_values"], 3 + 3 + 2);
  EXPECT_EQ(plan["requests"], 4);
  const Json& peak = plan["peak"];
  EXPECT_EQ(peak["op"], "If");
  EXPECT_EQ(peak["alive"][0]["role"], "body");
  EXPECT_EQ(peak["alive"][0]["bytes"], 8 * 256);
  const Json& inside = peak["inside"];
  EXPECT_EQ(inside["body"], "then branch");
  EXPECT_EQ(inside["step"], 1);
  EXPECT_EQ(inside["op"], "Gather");
  EXPECT_EQ(inside["bytes"], 8 * 256);
  ASSERT_EQ(inside["alive"].size(), 2u);
  EXPECT_EQ(inside["alive"][0]["name"], "four");
  EXPECT_EQ(inside["alive"][0]["role"], "read");
  EXPECT_EQ(inside["alive"][1]["name"], "picked");
  EXPECT_TRUE(inside["inside"].is_null());
  std::string remedies;
  for (const Json& remedy : peak["remedies"]) remedies += remedy["text"].get<std::string>() + "\n";
  EXPECT_NE(remedies.find("in the then branch of "), std::string::npos) << remedies;
  EXPECT_NE(remedies.find("'four' is read here for the last time and 'picked' is as large"),
            std::string::npos)
      << remedies;
  const Json& bodies = plan["steps"][peak["step"].get<size_t>()]["bodies"];
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[0]["plan"]["planned_bytes"], 8 * 256);
  EXPECT_EQ(bodies[1]["body"], "else branch");
  EXPECT_EQ(bodies[1]["plan"]["buffers"][0]["name"], "few");
  const Outcome text = Waybill("memory " + path + " --runs 0");
  for (const char* words : {"then branch 2.00 KiB in 3 steps; else branch 256 B in 2 steps",
                            "in its then branch: step 1, "}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
  // What would be without reuse is what is planned then.
  const Json apart = Report(path + " --runs 0 --config waybill.no_reuse=1")["session"]["plan"];
  EXPECT_EQ(apart["planned_bytes"], plan["no_reuse_bytes"]);
  const auto lives = plan::ReadCsv(Waybill("memory " + path + " --csv").out);
  ASSERT_TRUE(lives.ok()) << lives.status().ToString();
  EXPECT_EQ(*plan::LowerBound(*lives), size_t{10 * 256});
}

// Values of a body lie in its buffers; what it reads of the graph around it is captured.
TEST_F(MemoryBodies, ListsTheValuesOfBodies) {
  const std::string path = dir_.Write("branches.onnx", BranchModel());
  const Json plan = Report(path + " --runs 0")["session"]["plan"];
  std::string values;
  for (const Json& value : plan["steps"][1]["bodies"][0]["plan"]["values"]) {
    values += value["name"].get<std::string>() + " " + value["kind"].get<std::string>() + " " +
              value["bytes"].dump() + " " + value["buffer"].dump() + ";";
  }
  EXPECT_EQ(values, "h capture 256 null;four root 1024 0;picked root 1024 1;t output 256 null;");
  EXPECT_EQ(plan["values"][1]["name"], "yes");
  EXPECT_EQ(plan["values"][1]["bytes"], 1);
}

TEST_F(MemoryBodies, RefusedRunsNameTheNodeInside) {
  const std::string path = dir_.Write("branches.onnx", BranchModel());
  const Outcome refused =
      Waybill("memory " + path + " --runs 1 --config waybill.memory_budget_bytes=4096");
  EXPECT_EQ(refused.code, 1);
  for (const char* words : {"4096 for the slab", "the plan is fullest at step 1, node ",
                            " (If-16), with 2560 bytes, in its body at step 1, node ",
                            " (Gather-13), with 2048 bytes"}) {
    EXPECT_NE(refused.err.find(words), std::string::npos) << words << "\n" << refused.err;
  }
}

TEST_F(MemoryBodies, DrawsBodiesWithinTheirSteps) {
  const std::string path = dir_.Write("branches.onnx", BranchModel());
  const Outcome outcome = Waybill("memory " + path + " --runs 1 --trace");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  double most = 0;
  std::string bars;
  const Json events = Json::parse(outcome.out)["traceEvents"];
  for (const Json& event : events) {
    if (event["pid"] != 1) continue;
    if (event["ph"] == "C") most = std::max(most, event["args"]["bytes"].get<double>());
    if (event["ph"] != "X" || event["tid"] == 0) continue;
    bars += event["name"].get<std::string>() + ";";
    const auto begin = event["ts"].get<double>();
    const bool inner = event["name"] == "four" || event["name"] == "picked";
    EXPECT_TRUE(!inner || (begin >= 1 && begin + event["dur"].get<double>() <= 2.001)) << event;
  }
  EXPECT_EQ(bars, "four;picked;h;y;bodies of the If of 'y';") << "the If has no name";
  EXPECT_EQ(most, 10 * 256);
}

// Trips of a Loop, in each of which an If takes one of two ways.
TEST_F(MemoryBodies, LooksIntoBodiesOfBodies) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kInt32, {64});
  graph.Input("yes", onnx::kBool, {});
  graph.Input("trips", onnx::kInt64, {});
  graph.Output("z", onnx::kInt32, {64});
  onnx::GraphWriter loop("loop"), then_branch("then"), else_branch("else");
  then_branch.Node("Identity", {"v"}, {"t"});
  then_branch.Output("t", onnx::kInt32, {64});
  else_branch.Node("Concat", {"v", "v"}, {"two"}).Int("axis", 0);
  else_branch.Node("Gather", {"two", "v"}, {"e"});
  else_branch.Output("e", onnx::kInt32, {64});
  loop.Input("i", onnx::kInt64, {});
  loop.Input("go", onnx::kBool, {});
  loop.Input("v", onnx::kInt32, {64});
  loop.Node("If", {"yes"}, {"w"})
      .Graph("then_branch", then_branch)
      .Graph("else_branch", else_branch);
  loop.Node("Gather", {"w", "v"}, {"next"});
  loop.Node("Identity", {"go"}, {"go_on"});
  loop.Output("go_on", onnx::kBool, {});
  loop.Output("next", onnx::kInt32, {64});
  graph.Node("Loop", {"trips", "", "x"}, {"l"}).Graph("body", loop);
  graph.Node("Gather", {"l", "x"}, {"z"});
  const std::string path = dir_.Write("deep.onnx", model.bytes());
  const Json plan = Report(path + " --runs 2")["session"]["plan"];
  const Json& loop_step = plan["peak"]["inside"];
  EXPECT_EQ(loop_step["body"], "body");
  EXPECT_EQ(loop_step["op"], "If");
  EXPECT_EQ(loop_step["bytes"], 3 * 256);  // w, two
  EXPECT_EQ(loop_step["inside"]["body"], "else branch");
  EXPECT_EQ(loop_step["inside"]["alive"][0]["name"], "two");
  bool beside = false, deep = false;
  for (const Json& remedy : plan["peak"]["remedies"]) {
    const auto text = remedy["text"].get<std::string>();
    beside = beside || text.find("kept beside the body") == 0;
    deep = deep || (text.find("in the body of ") == 0 &&
                    text.find(": in the else branch of ") != std::string::npos);
  }
  EXPECT_TRUE(beside && deep) << plan["peak"]["remedies"];
  const Outcome text = Waybill("memory " + path + " --runs 0");
  EXPECT_LT(text.out.find("in its body: step 0, "), text.out.find("in its else branch: step 0, "))
      << text.out;
  EXPECT_NE(text.out.find("in its else branch: step 0, "), std::string::npos) << text.out;
}

TEST_F(MemoryBodies, SaysWhichBranchesShapesRuleOut) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kInt32, {"n"});
  graph.Input("yes", onnx::kBool, {});
  graph.Output("z", onnx::kInt32, {"m"});
  graph.Initializer(onnx::TensorWriter::Of<int64_t>("seven", {1}, {7}));
  onnx::GraphWriter then_branch("then"), else_branch("else");
  then_branch.Node("Reshape", {"x", "seven"}, {"t"});
  then_branch.Output("t", onnx::kInt32, {"k"});
  else_branch.Node("Gather", {"x", "x"}, {"e"});
  else_branch.Output("e", onnx::kInt32, {"k"});
  graph.Node("If", {"yes"}, {"y"})
      .Graph("then_branch", then_branch)
      .Graph("else_branch", else_branch);
  graph.Node("Gather", {"y", "y"}, {"z"});
  const std::string path = dir_.Write("seven.onnx", model.bytes());
  const Json bodies =
      Report(path + " --shape x=5 --runs 0")["session"]["plan"]["steps"][0]["bodies"];
  EXPECT_TRUE(bodies[0]["plan"].is_null());
  EXPECT_NE(bodies[0]["not_planned"].get<std::string>().find("Reshape"), std::string::npos)
      << bodies;
  EXPECT_FALSE(bodies[1]["plan"].is_null());
  const Outcome text = Waybill("memory " + path + " --shape x=5 --runs 0");
  EXPECT_NE(text.out.find("then branch not planned, "), std::string::npos) << text.out;
}

}  // namespace
}  // namespace waybill
