// Memory reports of the command, each held against its schema.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_dir.h"

namespace waybill::tools_test {

class MemoryReport : public testing::Test {
 protected:
  static nlohmann::json Schema();
  // What `waybill memory ARGUMENTS --json` prints. The test fails where the command does, and where
  // the report is not as its schema says.
  static nlohmann::json Report(const std::string& arguments);

  test::TempDir dir_;
};

}  // namespace waybill::tools_test
