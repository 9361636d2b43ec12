// The same for one conformance case of each kernel: reference kernels on the model as it is, and
// what the library chooses, fast kernels at the highest level.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cpu/kernels/table.h"
#include "kernel/reference/reference.h"
#include "session/session.h"
#include "tests/support/alloc/fail_each.h"
#include "tests/support/failing_env.h"
#include "tests/support/interpreter/cases.h"

namespace waybill {
namespace {

using SessionPtr = std::shared_ptr<session::Session>;

struct Setting {
  const char* name;
  session::OptLevel level;
  bool fast;
  size_t least_kernels;
};

session::SessionOptions OptionsOf(const Setting& setting) {
  session::SessionOptions options;
  options.level = setting.level;
  options.intra_op_threads = 1;
  kernel::Provider provider{"CPUExecutionProvider", {}};
  if (setting.fast) provider.tables.push_back(cpu::Kernels());
  for (const kernel::KernelTable table : kernel::reference::AllTables()) {
    provider.tables.push_back(table);
  }
  options.providers.push_back(std::move(provider));
  return options;
}

Status RunOnce(session::Session& session, const std::vector<Value>& inputs) {
  std::vector<std::string_view> input_names, output_names;
  for (size_t i = 0; i < inputs.size(); ++i) input_names.push_back(session.inputs()[i].name);
  for (const auto& output : session.outputs()) output_names.push_back(output.name);
  std::vector<Value> outputs(output_names.size());
  return session.Run({}, input_names, inputs, output_names, outputs);
}

// Names of the kernels that run, each with its operator.
std::set<std::string> KernelsOf(const session::Session& session) {
  std::set<std::string> out;
  const nlohmann::json kernels = nlohmann::json::parse(session.KernelsJson());
  for (const auto& node : kernels["nodes"]) {
    // "/l1/conv (Conv-11)" and "direct" to "(Conv-11) direct"
    const std::string name = node["node"];
    out.insert(name.substr(std::min(name.rfind('('), name.size())) + " " +
               node["kernel"].get<std::string>());
  }
  return out;
}

class KernelOom : public ::testing::TestWithParam<Setting> {
 protected:
  // Loads and runs the case again and again, which works when nothing fails.
  void FailEverywhere(const std::string& dir, const std::vector<Value>& inputs) {
    const session::SessionOptions options = OptionsOf(GetParam());
    // The session is made again each time, so that its first run plans again.
    const auto use = [&]() -> Status {
      WB_ASSIGN_OR_RETURN(const SessionPtr session,
                          session::Session::LoadFile(failing_.env, dir + "/model.onnx", options));
      return RunOnce(*session, inputs);
    };
    testing::AllocCounter counter;
    ASSERT_TRUE(use().ok()) << dir;
    // Loads of small models are alike: of the allocations of one case some fail, beginning at
    // another place for each case.
    constexpr uint64_t kFailuresOfACase = 40;
    testing::FailEachOptions each;
    each.stride = counter.allocations() / kFailuresOfACase + 1;
    each.first = 1 + offset_++ % each.stride;
    each.after = [&] { EXPECT_EQ(failing_.BytesLeft(), 0u) << dir << failing_.env->MemoryJson(); };
    testing::FailEachAllocation(use, each);
    each.first = each.stride = 1;
    for (const auto& source : failing_.sources) testing::FailEachTake(*source, use, each);
    EXPECT_TRUE(use().ok()) << dir;
  }

  testing::FailingEnv failing_{{.severity = session::Severity::kError}};
  uint64_t offset_ = 0;
};

TEST_P(KernelOom, FailuresAreCleanInEachKernel) {
  const std::string folder = std::string(WAYBILL_SOURCE_DIR) + "/build/cases/node";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no conformance cases in build/cases";
  ASSERT_NE(failing_.env, nullptr);
  std::set<std::string> done;
  for (const std::string& dir : test::FindCases(folder)) {
    SCOPED_TRACE(dir);
    auto loaded =
        session::Session::LoadFile(failing_.env, dir + "/model.onnx", OptionsOf(GetParam()));
    const std::vector<std::string> sets = test::DataSets(dir);
    if (!loaded.ok() || sets.empty()) continue;
    const std::set<std::string> kernels = KernelsOf(**loaded);
    if (std::includes(done.begin(), done.end(), kernels.begin(), kernels.end())) continue;
    std::vector<ValueType> types;
    for (const auto& input : (*loaded)->inputs()) types.push_back(input.type);
    const auto inputs = test::ReadValues(sets[0], "input", types);
    ASSERT_TRUE(inputs.ok()) << dir;
    // A case that is listed as failing says nothing here.
    if (!RunOnce(**loaded, *inputs).ok()) continue;
    loaded->reset();
    done.insert(kernels.begin(), kernels.end());
    FailEverywhere(dir, *inputs);
    if (HasFailure()) return;
  }
  EXPECT_GE(done.size(), GetParam().least_kernels);
}

INSTANTIATE_TEST_SUITE_P(Settings, KernelOom,
                         ::testing::Values(Setting{"Reference", session::OptLevel::kNone, false,
                                                   150},
                                           Setting{"Fast", session::OptLevel::kAll, true, 280}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace waybill
