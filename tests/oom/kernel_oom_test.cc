// One conformance case of each kernel.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/oom/kernel_failures.h"
#include "tests/support/interpreter/cases.h"

namespace waybill {
namespace {

using testing::KernelOom;

TEST_P(KernelOom, FailuresAreCleanInEachKernel) {
  const std::string folder = std::string(WAYBILL_SOURCE_DIR) + "/build/cases/node";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no conformance cases in build/cases";
  ASSERT_NE(failing_.env, nullptr);
  std::set<std::string> done;
  for (const std::string& dir : test::FindCases(folder)) {
    SCOPED_TRACE(dir);
    const auto load = [&] {
      return session::Session::LoadFile(failing_.env, dir + "/model.onnx",
                                        testing::OptionsOf(GetParam()));
    };
    auto loaded = load();
    const std::vector<std::string> sets = test::DataSets(dir);
    if (!loaded.ok() || sets.empty()) continue;
    const std::set<std::string> kernels = testing::KernelsOf(**loaded);
    if (std::includes(done.begin(), done.end(), kernels.begin(), kernels.end())) continue;
    std::vector<ValueType> types;
    for (const auto& input : (*loaded)->inputs()) types.push_back(input.type);
    const auto inputs = test::ReadValues(sets[0], "input", types);
    ASSERT_TRUE(inputs.ok()) << dir;
    // A case that is listed as failing says nothing here.
    if (!testing::RunOnce(**loaded, *inputs).ok()) continue;
    loaded->reset();
    done.insert(kernels.begin(), kernels.end());
    FailEverywhere(dir, load, *inputs);
    if (HasFailure()) return;
  }
  EXPECT_GE(done.size(), GetParam().fast ? 280u : 150u);
}

INSTANTIATE_TEST_SUITE_P(Settings, KernelOom, testing::kKernelSettings,
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace waybill
