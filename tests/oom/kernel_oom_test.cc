// The same for one conformance case of each operator: its kernel under failing allocations.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "kernel/reference/reference.h"
#include "memory/source/hub.h"
#include "session/session.h"
#include "tests/support/alloc/alloc_hook.h"
#include "tests/support/interpreter/cases.h"

namespace waybill {
namespace {

using SessionPtr = std::shared_ptr<session::Session>;

Result<SessionPtr> Load(const std::shared_ptr<session::Env>& env, const std::string& dir) {
  session::SessionOptions options;
  options.providers.push_back({"CPUExecutionProvider", kernel::reference::AllTables()});
  options.level = session::OptLevel::kNone;
  return session::Session::LoadFile(env, dir + "/model.onnx", options);
}

Status RunOnce(session::Session& session, const std::vector<Value>& inputs) {
  std::vector<std::string_view> input_names, output_names;
  for (size_t i = 0; i < inputs.size(); ++i) input_names.push_back(session.inputs()[i].name);
  for (const auto& output : session.outputs()) output_names.push_back(output.name);
  std::vector<Value> outputs(output_names.size());
  return session.Run({}, input_names, inputs, output_names, outputs);
}

// The operator of a case of one node; empty for others.
std::string OperatorOf(const session::Session& session) {
  const graph::Graph& graph = session.model().main;
  return graph.order().size() == 1 ? graph.node(graph.order()[0]).op_type : std::string();
}

TEST(KernelOom, EveryFailureOfEachOperatorIsClean) {
  const std::string folder = std::string(WAYBILL_SOURCE_DIR) + "/build/cases/node";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no conformance cases in build/cases";
  auto env = session::Env::Create({.severity = session::Severity::kError});
  ASSERT_TRUE(env.ok());
  std::set<std::string> done;
  for (const std::string& dir : test::FindCases(folder)) {
    auto loaded = Load(*env, dir);
    const std::vector<std::string> sets = test::DataSets(dir);
    if (!loaded.ok() || sets.empty()) continue;
    const std::string op = OperatorOf(**loaded);
    if (op.empty() || !done.insert(op).second) continue;
    std::vector<ValueType> types;
    for (const auto& input : (*loaded)->inputs()) types.push_back(input.type);
    const auto inputs = test::ReadValues(sets[0], "input", types);
    ASSERT_TRUE(inputs.ok()) << dir;
    // A case that is listed as failing says nothing here.
    if (!RunOnce(**loaded, *inputs).ok()) continue;
    // The session is made again each time, so that its first run plans again.
    testing::FailEachAllocation([&] {
      auto session = Load(*env, dir);
      return session.ok() ? RunOnce(**session, *inputs) : session.status();
    });
    EXPECT_TRUE(RunOnce(**loaded, *inputs).ok()) << dir;
    loaded->reset();
    (*env)->Trim();
    for (const DeviceUse& use : (*env)->hub().ledger->Snapshot()) {
      ASSERT_EQ(use.total.bytes_in_use, 0u) << dir << (*env)->MemoryJson();
    }
  }
  EXPECT_GT(done.size(), 100u);
}

}  // namespace
}  // namespace waybill
