// Tests that measure the whole process: each in a new one, which no other test has lifted, and
// after a first model has brought in the library's own pages.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/pains/loaded.h"
#include "tests/support/process.h"
#include "waybill.h"

namespace waybill::pains {

// False in the process that was started for the test; else starts it and fails where it fails.
inline bool RunsAlone() {
  constexpr const char* kMark = "WAYBILL_PAINS_ALONE";
  if (std::getenv(kMark) != nullptr) return false;
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name();
  const test::ChildResult child = test::InChild([&] {
    setenv(kMark, "1", 1);
    execl("/proc/self/exe", "pains_test", filter.c_str(), nullptr);
    return 255;
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  return true;
}

// In a test whose memory is that of a process of its own; skipped under sanitizers.
#define WAYBILL_MEASURES_ALONE() \
  WAYBILL_MEASURES_MEMORY();     \
  if (::waybill::pains::RunsAlone()) return

// Loads the model, runs it with each input and lets go of all that came of it.
inline void WarmUp(const std::string& model, const std::vector<const OrtValue*>& inputs) {
  {
    Loaded once(model);
    ASSERT_NE(once.session, nullptr);
    for (const OrtValue* x : inputs) ASSERT_NE(once.Run(x), nullptr);
    once.session.reset();
    EXPECT_OK(WaybillEnvTrim(once.env.get()));
  }
  malloc_trim(0);
}

}  // namespace waybill::pains
