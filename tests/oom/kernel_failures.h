// Loading and running a model again and again while one allocation after the other fails: with
// reference kernels on the model as it is, and with what the library chooses, fast kernels at the
// highest level.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/kernels/table.h"
#include "kernel/reference/reference.h"
#include "session/session.h"
#include "tests/support/alloc/fail_each.h"
#include "tests/support/failing_env.h"
#include "tests/support/process.h"

namespace waybill::testing {

using SessionPtr = std::shared_ptr<session::Session>;

struct Setting {
  const char* name;
  session::OptLevel level;
  bool fast;
};

inline const auto kKernelSettings =
    ::testing::Values(Setting{"Reference", session::OptLevel::kNone, false},
                      Setting{"Fast", session::OptLevel::kAll, true});

inline session::SessionOptions OptionsOf(const Setting& setting) {
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

inline Status RunOnce(session::Session& session, const std::vector<Value>& inputs) {
  std::vector<std::string_view> input_names, output_names;
  for (size_t i = 0; i < inputs.size(); ++i) input_names.push_back(session.inputs()[i].name);
  for (const auto& output : session.outputs()) output_names.push_back(output.name);
  std::vector<Value> outputs(output_names.size());
  return session.Run({}, input_names, inputs, output_names, outputs);
}

// Names of the kernels that run, each with its operator.
inline std::set<std::string> KernelsOf(const session::Session& session) {
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
  // Loads and runs what `load` loads into `failing_` again and again, which works when nothing
  // fails. `what` is for messages.
  void FailEverywhere(const std::string& what, const std::function<Result<SessionPtr>()>& load,
                      const std::vector<Value>& inputs) {
    // The session is made again each time, so that its first run plans again.
    const auto use = [&]() -> Status {
      WB_ASSIGN_OR_RETURN(const SessionPtr session, load());
      return RunOnce(*session, inputs);
    };
    AllocCounter counter;
    ASSERT_TRUE(use().ok()) << what;
    // Loads of small models are alike: of the allocations of one case some fail, beginning at
    // another place for each case.
    constexpr uint64_t kFailuresOfACase = test::kSanitized ? 10 : 40;
    FailEachOptions each;
    each.stride = counter.allocations() / kFailuresOfACase + 1;
    each.first = 1 + offset_++ % each.stride;
    each.after = [&] { EXPECT_EQ(failing_.BytesLeft(), 0u) << what << failing_.env->MemoryJson(); };
    FailEachAllocation(use, each);
    each.first = each.stride = 1;
    for (const auto& source : failing_.sources) FailEachTake(*source, use, each);
    EXPECT_TRUE(use().ok()) << what;
  }

  FailingEnv failing_{{.severity = session::Severity::kError}};
  uint64_t offset_ = 0;
};

}  // namespace waybill::testing
