#include "session/options/log_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::session {
namespace {

TEST(LogFormat, ColoursForTerminalsOnly) {
  const auto line = [](Severity severity, bool coloured) {
    return FormatLogLine(1'700'000'000'000'000'012, severity, "category", "id", "place", "text",
                         coloured);
  };
  EXPECT_THAT(line(Severity::kWarning, true), testing::StartsWith("\x1b[0;93m20"));
  EXPECT_THAT(line(Severity::kWarning, true), testing::EndsWith("text\x1b[m\n"));
  for (const Severity severity : {Severity::kWarning, Severity::kError, Severity::kInfo}) {
    EXPECT_THAT(line(severity, false), testing::StartsWith("20"));
    EXPECT_THAT(line(severity, false), testing::EndsWith("place] text\n"));
    EXPECT_THAT(line(severity, false), testing::HasSubstr(".000000012 ["));
  }
}

TEST(LogFormat, WhatIsNoTerminalGetsNoColours) {
  const auto env = Env::Create({});
  ASSERT_TRUE(env.ok());
  testing::internal::CaptureStderr();
  (*env)->LogAlways(Severity::kError, "", "place", "text");
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_THAT(out, testing::HasSubstr("place] text\n"));
  EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
}

}  // namespace
}  // namespace waybill::session
