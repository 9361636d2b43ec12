#include "tests/tools/memory_report.h"

#include "tests/tools/command.h"
#include "tests/tools/json_schema.h"

namespace waybill::tools_test {

using Json = nlohmann::json;

Json MemoryReport::Schema() {
  return Json::parse(test::ReadWholeFile(WAYBILL_SOURCE_DIR "/docs/schemas/memory.schema.json"));
}

Json MemoryReport::Report(const std::string& arguments) {
  const Outcome outcome = Waybill("memory " + arguments + " --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  Json report = Json::parse(outcome.out, nullptr, false);
  const Json schema = Schema();
  EXPECT_EQ(CheckSchema(report, schema, schema), "");
  return report;
}

}  // namespace waybill::tools_test
