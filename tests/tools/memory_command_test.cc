// waybill memory: the plan and its reasons, the balance, and the forms for programs.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "memory/plan/csv.h"
#include "onnx/model/writer/model_writer.h"
#include "tests/api/models.h"
#include "tests/tools/command.h"
#include "tests/tools/json_schema.h"
#include "tests/tools/memory_report.h"

namespace waybill {
namespace {

using Json = nlohmann::json;
using tools_test::CheckSchema;
using tools_test::Outcome;
using tools_test::Waybill;

class MemoryCommand : public tools_test::MemoryReport {
 protected:
  const std::string chain_ = dir_.Write("chain.onnx", api_test::GatherChainModel());
};

TEST_F(MemoryCommand, SavesHalfOfSixTensorsInAChain) {
  const Outcome outcome = Waybill("memory " + chain_ + " --runs 0");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("saves 50.0 %"), std::string::npos) << outcome.out;
  const Json plan = Report(chain_ + " --runs 0")["session"]["plan"];
  EXPECT_EQ(plan["no_reuse_bytes"], 6 << 20);
  EXPECT_EQ(plan["bound_bytes"], 3 << 20);
  EXPECT_EQ(plan["planned_bytes"], 3 << 20);
  EXPECT_EQ(plan["requests"], 6);
  EXPECT_EQ(plan["fresh_requests"], 3);
}

TEST_F(MemoryCommand, TellsThePeakAndWhy) {
  const Json plan = Report(chain_ + " --runs 0")["session"]["plan"];
  const Json& peak = plan["peak"];
  EXPECT_EQ(peak["bytes"], plan["bound_bytes"]);
  EXPECT_EQ(peak["step"], 2);  // the first with three
  EXPECT_EQ(peak["op"], "Gather");
  ASSERT_EQ(peak["alive"].size(), 3u);
  std::string roles;
  for (const Json& value : peak["alive"]) {
    roles += value["name"].get<std::string>() + " " + value["role"].get<std::string>() + ";";
    const bool dies = value["name"] == "t1";
    EXPECT_EQ(value["next_reader"].is_null(), dies) << value;
    if (!dies) {
      EXPECT_EQ(value["next_reader"], 3) << value;
    }
  }
  EXPECT_EQ(roles, "t1 read;t2 read;t3 written;");
  // All is the node's own: no order helps, a kernel that writes over t1 would.
  ASSERT_EQ(peak["remedies"].size(), 2u);
  EXPECT_EQ(peak["remedies"][0]["kind"], "node");
  EXPECT_EQ(peak["remedies"][0]["bytes"], 3 << 20);
  EXPECT_EQ(peak["remedies"][1]["kind"], "in place");
  EXPECT_EQ(peak["remedies"][1]["bytes"], 1 << 20);
  const Outcome text = Waybill("memory " + chain_ + " --runs 0");
  for (const char* words : {"peak: step 2", "3.00 MiB alive", "t3", "what would lower it"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
}

// x is read at the end, too: it waits over the middle, where three others are.
TEST_F(MemoryCommand, NamesValuesThatWait) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kInt32, {64});
  graph.Output("y", onnx::kInt32, {64});
  graph.Node("Gather", {"x", "x"}, {"early"});
  graph.Node("Gather", {"x", "early"}, {"a"});
  graph.Node("Gather", {"a", "x"}, {"b"});
  graph.Node("Gather", {"b", "a"}, {"c"});
  graph.Node("Gather", {"c", "early"}, {"y"});
  const std::string path = dir_.Write("wait.onnx", model.bytes());
  const Json peak = Report(path + " --runs 0")["session"]["plan"]["peak"];
  EXPECT_EQ(peak["bytes"], 4 * 256);
  EXPECT_EQ(peak["step"], 3);
  bool named = false;
  for (const Json& remedy : peak["remedies"]) {
    if (remedy["kind"] != "waiting") continue;
    named = true;
    EXPECT_EQ(remedy["bytes"], 256);
    const auto text = remedy["text"].get<std::string>();
    EXPECT_NE(
        text.find("1 values wait over this step; the largest, 'early', was written by step 0"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("read next by step 4"), std::string::npos) << text;
  }
  EXPECT_TRUE(named) << peak;
}

TEST_F(MemoryCommand, ClosesItsBalance) {
  const Json report = Report(chain_ + " --runs 3");
  std::string looks;
  for (const Json& look : report["balance"]) looks += look["when"].get<std::string>() + ";";
  EXPECT_EQ(looks, "after load;inputs made;after run 1;after run 3;outputs released;trimmed;");
  const auto holding = [&](size_t look, size_t holder, const char* key) {
    return report["balance"][look]["environment"]["holders"][holder][key].get<int64_t>();
  };
  enum { kSession, kRun, kCaller, kBinding, kPool };
  EXPECT_EQ(report["balance"][0]["environment"]["holders"][kCaller]["holder"], "caller");
  // The inputs are the caller's, and so are the outputs of the last run until they are released.
  EXPECT_EQ(holding(3, kCaller, "values"), holding(1, kCaller, "values") + 1);
  EXPECT_EQ(holding(3, kCaller, "bytes"), holding(1, kCaller, "bytes") + (1 << 20));
  EXPECT_EQ(holding(4, kCaller, "bytes"), holding(1, kCaller, "bytes"));
  // The slab is the pool's between runs, and the system's after a trim.
  EXPECT_GE(holding(3, kPool, "bytes"), 3 << 20);
  EXPECT_EQ(holding(3, kRun, "values"), 0);
  EXPECT_EQ(holding(5, kPool, "bytes"), 0);
  const Json& pool = report["balance"][3]["environment"]["slab_pool"];
  EXPECT_EQ(pool["misses"], 1);
  EXPECT_EQ(pool["hits"], 2);
  EXPECT_EQ(pool["trimmed_bytes"], 0);
  EXPECT_EQ(report["balance"][5]["environment"]["slab_pool"]["trimmed_bytes"], 3 << 20);
}

TEST_F(MemoryCommand, TellsWhatSessionsOfAModelHold) {
  onnx::ModelWriter writer;
  writer.Opset("", 17);
  onnx::GraphWriter& graph = writer.graph();
  graph.Input("x", onnx::kFloat, {2, 64});
  graph.Initializer(onnx::TensorWriter::Of<float>("w", {64, 32}, std::vector<float>(2048, 0.5f)));
  graph.Node("MatMul", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {2, 32});
  const std::string path = dir_.Write("weights.onnx", writer.bytes());
  const Json models = Report(path + " --runs 1")["balance"][0]["environment"]["models"];
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0]["model"], path);
  EXPECT_EQ(models[0]["sessions_live"], 1);
  EXPECT_EQ(models[0]["sessions_created"], 1);
  const Json& bytes = models[0]["bytes"];
  EXPECT_GE(bytes["mapped"].get<int>() + bytes["packed"].get<int>(), 8192) << bytes;
  EXPECT_NE(Waybill("memory " + path + " --runs 1").out.find("weights: 1 session(s) live, 1 made"),
            std::string::npos);
}

// Six values a run, of which the first run finds three in bytes that another one had.
TEST_F(MemoryCommand, AccountsForEveryRequest) {
  const Json report = Report(chain_ + " --runs 3");
  const Json& account = report["balance"][5]["environment"]["account"];
  EXPECT_EQ(account["runs"], 3);
  EXPECT_EQ(account["values"]["requests"], 18);
  EXPECT_EQ(account["values"]["reused"], 15);
  EXPECT_EQ(account["values"]["requested_bytes"], 18 << 20);
  EXPECT_EQ(account["values"]["saved_bytes"], 15 << 20);
  EXPECT_EQ(account["leases"]["requests"], 3);
  EXPECT_EQ(account["leases"]["reused"], 2);
  EXPECT_EQ(account["leases"]["requested_bytes"], 9 << 20);
  EXPECT_EQ(account["leases"]["saved_bytes"], 6 << 20);
  EXPECT_EQ(account["blocks"]["requests"], 3);
  EXPECT_EQ(account["blocks"]["reused"], 2);
  EXPECT_EQ(account["blocks"]["saved_bytes"], 2 << 20);
  EXPECT_EQ(account["system_calls_avoided"], 8);
  EXPECT_EQ(account["fault_bytes_avoided"], (6 << 20) + (2 << 20));
  EXPECT_EQ(account["fragmentation"], 0);
  EXPECT_GE(account["turnover"], 9.0 / 6);  // 9 MiB of slabs, at most 3 of them and in- and outputs
  EXPECT_EQ(report["session"]["account"]["reused"], 15);
  const Outcome text = Waybill("memory " + chain_ + " --runs 3");
  for (const char* words : {"values  15 of 18 reused, 83.3 %; 18.00 MiB requested = 15.00 MiB "
                            "saved + 3.00 MiB allocated",
                            "slabs   2 of 3 reused, 66.7 %", "outputs 2 of 3 reused, 66.7 %",
                            "8 system calls avoided"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
}

TEST_F(MemoryCommand, TracesBlocksAndRuns) {
  const Json events = Report(chain_ + " --runs 2")["trace"]["events"];
  size_t runs = 0, outputs = 0;
  std::string leases;
  for (const Json& event : events) {
    runs += event["kind"] == "run begin" ? 1 : 0;
    if (event["source"] == "slabs") {
      EXPECT_EQ(event["bytes"], 3 << 20);
      leases += event["kind"] == "give" ? "back;" : event["reused"] ? "reused;" : "new;";
    }
    if (event["kind"] != "take" || event["tag"] != "output" || event["source"] == "pages") continue;
    ++outputs;
    EXPECT_EQ(event["bytes"], 1 << 20);
    EXPECT_EQ(event["source"], "blocks");
    EXPECT_EQ(event["reused"], outputs == 2);
    EXPECT_EQ(event["align"], 64);
    EXPECT_EQ(event["device"], "cpu:0");
  }
  EXPECT_EQ(runs, 2u);
  EXPECT_EQ(outputs, 2u);
  EXPECT_EQ(leases, "new;back;reused;back;");

  const Outcome outcome = Waybill("memory " + chain_ + " --runs 2 --trace");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json chrome = Json::parse(outcome.out)["traceEvents"];
  size_t bars = 0, spans = 0;
  for (const Json& event : chrome) {
    for (const char* key : {"ph", "name", "pid", "tid", "ts"}) ASSERT_TRUE(event.contains(key));
    bars += event["ph"] == "X" && event["tid"] != 0 ? 1 : 0;
    spans += event["ph"] == "B" ? 1 : 0;
  }
  EXPECT_EQ(bars, 6u);  // one per buffer
  EXPECT_EQ(spans, 2u);
}

// Sin's result lies in a buffer, the reshaped one is a view of it, Cos writes over it, the slice is
// a part of that, and the last one is in the caller's bytes.
TEST_F(MemoryCommand, ListsEveryValueWithItsPlace) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"n", 64});
  graph.Output("y", onnx::kFloat, {128});
  graph.Node("Sin", {"x"}, {"a"});
  graph.Node("Reshape", {"a", "flat"}, {"v"});
  graph.Node("Cos", {"v"}, {"b"});
  graph.Node("Slice", {"b", "from", "to"}, {"p"});
  graph.Node("Sin", {"p"}, {"y"});
  for (const auto& [name, value] : {std::pair("flat", -1), {"from", 64}, {"to", 192}}) {
    graph.Initializer(onnx::TensorWriter::Of<int64_t>(name, {1}, {value}));
  }
  const std::string path = dir_.Write("places.onnx", model.bytes());
  const Json plan = Report(path + " --level 0 --runs 0 --dim n=4")["session"]["plan"];
  ASSERT_EQ(plan["buffers"].size(), 1u);
  EXPECT_EQ(plan["buffers"][0]["values"], 3);
  EXPECT_EQ(plan["buffers"][0]["device"], "cpu:0");
  std::map<std::string, std::string> found;
  for (const Json& value : plan["values"]) {
    const Json place = {value["kind"],   value["bytes"], value["first_step"], value["last_step"],
                        value["buffer"], value["of"],    value["offset"],     value["is_output"]};
    EXPECT_EQ(value["device"], "cpu:0");
    EXPECT_TRUE(found.emplace(value["name"], place.dump()).second) << value;
  }
  const std::map<std::string, std::string> expected = {
      {"x", R"(["input",1024,0,0,null,null,0,false])"},
      {"flat", R"(["constant",8,0,1,null,null,0,false])"},
      {"from", R"(["constant",8,0,3,null,null,0,false])"},
      {"to", R"(["constant",8,0,3,null,null,0,false])"},
      {"a", R"(["root",1024,0,1,0,null,0,false])"},
      {"v", R"(["view",1024,1,2,0,null,0,false])"},
      {"b", R"(["in place",1024,2,3,0,null,0,false])"},
      {"p", R"(["part",512,3,4,0,null,256,false])"},
      {"y", R"(["output",512,4,4,null,"y",0,true])"}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(plan["placed_by"], "portfolio");
  EXPECT_GT(plan["solve_ns"], 0);
  EXPECT_EQ(plan["scratch_bytes"], 0);
  const Json apart =
      Report(path + " --level 0 --runs 0 --dim n=4 --config waybill.no_reuse=1")["session"]["plan"];
  EXPECT_EQ(apart["placed_by"], "no reuse");
  EXPECT_EQ(apart["buffers"].size(), 3u);  // a and its view, b, p
}

TEST_F(MemoryCommand, GivesThePlanToOtherSolvers) {
  const Outcome outcome = Waybill("memory " + chain_ + " --csv");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto lives = plan::ReadCsv(outcome.out);
  ASSERT_TRUE(lives.ok()) << lives.status().ToString();
  ASSERT_EQ(lives->size(), 6u);
  const auto bound = plan::LowerBound(*lives);
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(*bound, size_t{3} << 20);
}

// What follows a size that contents decide is planned in the run, and told before the trim.
TEST_F(MemoryCommand, TellsTheTailsOfTheLastRun) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {4096});
  graph.Output("y", onnx::kFloat, {"n"});
  graph.Node("Sin", {"x"}, {"s"});
  graph.Node("Greater", {"x", "s"}, {"keep"});
  graph.Node("Compress", {"s", "keep"}, {"some"}).Int("axis", 0);
  graph.Node("Cos", {"some"}, {"c"});
  graph.Node("CumSum", {"c", "axis"}, {"sum"});
  graph.Node("Sin", {"sum"}, {"y"});
  graph.Initializer(onnx::TensorWriter::Scalar<int64_t>("axis", 0));
  const std::string path = dir_.Write("found.onnx", model.bytes());
  const Json session = Report(path + " --runs 3")["session"];
  const Json& tails = session["plan"]["tails"];
  ASSERT_EQ(tails.size(), 1u);
  EXPECT_EQ(tails[0]["op"], "Compress");
  EXPECT_EQ(tails[0]["opens_region"], false);
  EXPECT_EQ(tails[0]["planned_bytes"], 0);
  EXPECT_EQ(tails[0]["dynamic_values"], 0);
  EXPECT_GT(tails[0]["buffers"].size(), 0u);
  EXPECT_EQ(tails[0]["placed_by"], "room");
  std::string kinds, laid_out;
  for (const Json& value : session["plan"]["values"]) {
    if (value["first_step"] != 0) kinds += value["kind"].get<std::string>() + ";";
  }
  for (const Json& value : tails[0]["values"]) {
    laid_out += value["name"].get<std::string>() + " " + value["kind"].get<std::string>() + ";";
  }
  EXPECT_NE(kinds.find("dynamic;dynamic;"), std::string::npos) << kinds;
  EXPECT_EQ(laid_out, "some root;c in place;sum output;y in place;");
  EXPECT_EQ(session["plan_cache"]["tails"]["misses"], 1);
  EXPECT_EQ(session["plan_cache"]["tails"]["hits"], 2);
  const Outcome text = Waybill("memory " + path + " --runs 1");
  EXPECT_NE(text.out.find("then, after step"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("in room that is there; 0 dynamic"), std::string::npos) << text.out;
  // Room for the tail was leased with the plan, and that is what is held.
  EXPECT_GT(session["plan"]["reserve_bytes"], 0);
  EXPECT_NE(text.out.find("  1.000 x the "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(" that a run leases in all, by the pool"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("no other was looked for: there is none\n"), std::string::npos)
      << text.out;
}

TEST_F(MemoryCommand, TakesShapesAsOtherCommandsDo) {
  const std::string model = dir_.Write("m.onnx", api_test::AddOneModel());
  const Json report = Report(model + " --dim batch=4 --runs 1");
  EXPECT_EQ(report["shapes"][0]["shape"], Json::parse("[4, 2]"));
  EXPECT_TRUE(report["session"]["plan"]["peak"].is_null());  // the output is all there is
  EXPECT_EQ(Report(model + " --shape x=3x2 --runs 0")["shapes"][0]["shape"], Json::parse("[3, 2]"));
  EXPECT_EQ(Waybill("memory " + model).code, 0);
  EXPECT_EQ(Waybill("memory " + model + " --csv --json").code, 2);
  EXPECT_EQ(Waybill("memory " + model + " --shape z=1x2").code, 2);
  EXPECT_EQ(Waybill("memory " + (dir_ / "none.onnx")).code, 1);
}

// The checker finds what is wrong, and knows all that the schema says.
TEST_F(MemoryCommand, SchemaIsChecked) {
  const Json schema = Schema();
  Json report = Report(chain_ + " --runs 1");
  Json wrong = report;
  wrong["session"]["plan"]["planned_bytes"] = "many";
  EXPECT_EQ(CheckSchema(wrong, schema, schema),
            "/session/plan/planned_bytes: is string, not \"integer\"");
  wrong = report;
  wrong["balance"][0].erase("when");
  EXPECT_EQ(CheckSchema(wrong, schema, schema), "/balance/0: lacks \"when\"");
  wrong = report;
  wrong["trace"]["events"][0]["source"] = "cellar";
  EXPECT_NE(CheckSchema(wrong, schema, schema).find("is none of"), std::string::npos);
  wrong = report;
  wrong["more"] = 1;
  EXPECT_EQ(CheckSchema(wrong, schema, schema), ": has an unknown \"more\"");
}

}  // namespace
}  // namespace waybill
