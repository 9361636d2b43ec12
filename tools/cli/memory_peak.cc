#include "tools/cli/memory_peak.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/options.h"
#include "tools/values/printable.h"

namespace waybill::tools {
namespace {

using Json = nlohmann::ordered_json;

size_t Count(const Json& value) { return value.get<size_t>(); }
std::string Bytes(const Json& value) { return BytesText(value.get<double>()); }
std::string Text(const Json& value) { return Printable(value.get<std::string>()); }

void PrintAlive(const Json& peak) {
  for (const Json& value : peak["alive"]) {
    std::printf("  %12s  %-8s steps %zu-%zu  %s", Bytes(value["bytes"]).c_str(),
                Text(value["role"]).c_str(), Count(value["first_step"]), Count(value["last_step"]),
                Text(value["name"]).c_str());
    if (!value["next_reader"].is_null()) {
      std::printf(", read next at step %zu", Count(value["next_reader"]));
    }
    std::printf("\n");
  }
}

}  // namespace

void PrintBodies(const Json& plan) {
  size_t number = 0;
  for (const Json& step : plan["steps"]) {
    const size_t at = number++;
    if (!step.contains("bodies")) continue;
    std::printf("  step %zu, %s:", at, Text(step["node"]).c_str());
    const char* between = " ";
    for (const Json& body : step["bodies"]) {
      std::printf("%s%s ", between, Text(body["body"]).c_str());
      between = "; ";
      const Json& planned = body["plan"];
      if (planned.is_null()) {
        std::printf("not planned, %s", Text(body["not_planned"]).c_str());
      } else {
        std::printf("%s in %zu steps", Bytes(planned["planned_bytes"]).c_str(),
                    planned["steps"].size());
      }
    }
    std::printf("\n");
  }
}

void PrintPeak(const Json& plan) {
  const Json& peak = plan["peak"];
  if (peak.is_null()) return;
  std::printf("peak: step %zu, %s: %s alive\n", Count(peak["step"]), Text(peak["node"]).c_str(),
              Bytes(peak["bytes"]).c_str());
  PrintAlive(peak);
  for (const Json* inside = &peak["inside"]; !inside->is_null(); inside = &(*inside)["inside"]) {
    std::printf("in its %s: step %zu, %s: %s alive\n", Text((*inside)["body"]).c_str(),
                Count((*inside)["step"]), Text((*inside)["node"]).c_str(),
                Bytes((*inside)["bytes"]).c_str());
    PrintAlive(*inside);
  }
  std::printf("what would lower it\n");
  for (const Json& remedy : peak["remedies"]) {
    std::printf("  %12s  %s: %s\n", Bytes(remedy["bytes"]).c_str(), Text(remedy["kind"]).c_str(),
                Text(remedy["text"]).c_str());
  }
}

}  // namespace waybill::tools
