#include "bench/e2e/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/e2e/library.h"

namespace waybill::bench {

namespace {

using Json = nlohmann::json;

Json ReadJson(const std::string& path) {
  std::ifstream file(path);
  Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("models")) throw BenchError(path + " is no result file");
  return json;
}

struct Row {
  std::string name;
  double old_ratio, new_ratio, old_load, new_load;

  double change() const { return new_ratio / old_ratio; }
};

// Models that were measured without an error, by name.
std::map<std::string, Json> MeasuredModels(const Json& json) {
  std::map<std::string, Json> out;
  for (const Json& model : json["models"]) {
    if (model.contains("ratio") && model["ratio"] > 0) out[model["name"]] = model;
  }
  return out;
}

// Ratios to another peer, or on another machine, tell nothing of a change.
void WarnOfDifferences(const Json& before, const Json& after) {
  const auto warn = [](const char* what, const Json& old_value, const Json& new_value) {
    if (old_value == new_value) return;
    std::printf("not alike: %s, %s before and %s now\n", what, old_value.dump().c_str(),
                new_value.dump().c_str());
  };
  warn("CPU", before["cpu"], after["cpu"]);
  warn("threads", before["threads"], after["threads"]);
  for (const char* key : {"version", "path"}) {
    warn("library B", before["libraries"][1][key], after["libraries"][1][key]);
  }
}

double GeometricMean(const std::vector<Row>& rows, double Row::*member) {
  double sum = 0;
  for (const Row& row : rows) sum += std::log(row.*member);
  return std::exp(sum / static_cast<double>(rows.size()));
}

}  // namespace

void CompareFiles(const std::string& before, const std::string& after) {
  const Json old_json = ReadJson(before), new_json = ReadJson(after);
  WarnOfDifferences(old_json, new_json);
  std::map<std::string, Json> old_models = MeasuredModels(old_json);
  std::vector<Row> rows;
  for (const auto& [name, model] : MeasuredModels(new_json)) {
    const auto found = old_models.find(name);
    if (found == old_models.end()) {
      std::printf("%-24s only measured now\n", name.c_str());
      continue;
    }
    const Json& old_model = found->second;
    rows.push_back(
        {name, old_model["ratio"], model["ratio"], old_model["load_ratio"], model["load_ratio"]});
    old_models.erase(found);
  }
  for (const auto& [name, model] : old_models) {
    std::printf("%-24s only measured before\n", name.c_str());
  }
  if (rows.empty()) throw BenchError("no model is in both files");
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.change() > b.change(); });
  std::printf("%-24s %9s %9s %8s  %9s %9s\n", "A/B", "run old", "run new", "change", "load old",
              "load new");
  const auto print = [](const Row& row) {
    std::printf("%-24s %9.3f %9.3f %+7.1f%%  %9.3f %9.3f\n", row.name.c_str(), row.old_ratio,
                row.new_ratio, (row.change() - 1) * 100, row.old_load, row.new_load);
  };
  for (const Row& row : rows) print(row);
  print({"geometric mean", GeometricMean(rows, &Row::old_ratio),
         GeometricMean(rows, &Row::new_ratio), GeometricMean(rows, &Row::old_load),
         GeometricMean(rows, &Row::new_load)});
}

}  // namespace waybill::bench
