#include "tools/cli/profile.h"
#include "tools/values/printable.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace waybill::tools {

namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string node, op, kernel, inputs;
  double calls = 0, total_us = 0, least_us = 0;  // of one run

  Json ToJson(double all_us) const {
    Json json;
    if (!node.empty()) json["node"] = node;
    json["op"] = op;
    json["kernel"] = kernel;
    if (!node.empty()) json["inputs"] = inputs;
    json["calls"] = calls;
    json["total_us"] = total_us;
    json["least_us"] = least_us;
    json["share"] = all_us > 0 ? least_us / all_us : 0;
    return json;
  }
};

Json ToJson(std::vector<Row> rows, double all_us) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.least_us > b.least_us; });
  Json out = Json::array();
  for (const Row& row : rows) out.push_back(row.ToJson(all_us));
  return out;
}

double Number(const Json& json, const char* key) { return json[key].get<double>(); }
std::string Text(const Json& json, const char* key) {
  return Printable(json[key].get<std::string>());
}

void PrintTitle(const char* what) {
  std::printf("%6s %10s %10s %7s  %s\n", "share", "least us", "mean us", "calls", what);
}

void PrintNumbers(const Json& row) {
  std::printf("%5.1f%% %10.1f %10.1f %7.4g", Number(row, "share") * 100, Number(row, "least_us"),
              Number(row, "total_us"), Number(row, "calls"));
}

}  // namespace

Json SummarizeProfile(const Json& profile) {
  const double runs = std::max(1.0, Number(profile, "runs"));
  std::vector<Row> nodes;
  std::map<std::string, Row> by_op;
  double total = 0, least = 0;
  for (const Json& step : profile["steps"]) {
    Row row;
    row.node = Text(step, "node");
    row.op = Text(step, "op");
    row.kernel = Text(step, "kernel");
    row.inputs = Text(step, "inputs");
    row.calls = Number(step, "calls") / runs;
    row.total_us = Number(step, "total_ns") * 1e-3 / runs;
    row.least_us = Number(step, "least_ns") * 1e-3 * row.calls;
    total += row.total_us;
    least += row.least_us;
    Row& sum = by_op[row.op + " " + row.kernel];
    sum.op = row.op;
    sum.kernel = row.kernel;
    sum.calls += row.calls;
    sum.total_us += row.total_us;
    sum.least_us += row.least_us;
    nodes.push_back(std::move(row));
  }
  std::vector<Row> operators;
  for (auto& [key, row] : by_op) operators.push_back(std::move(row));
  Json out;
  out["runs"] = runs;
  out["total_us"] = total;
  out["least_us"] = least;
  out["nodes"] = ToJson(std::move(nodes), least);
  out["operators"] = ToJson(std::move(operators), least);
  return out;
}

void PrintProfile(const Json& summary, size_t top) {
  std::printf("\nby node, %g runs (share is of the least times)\n", Number(summary, "runs"));
  PrintTitle("node, kernel, inputs");
  const Json& nodes = summary["nodes"];
  for (size_t i = 0; i < nodes.size() && (top == 0 || i < top); ++i) {
    PrintNumbers(nodes[i]);
    std::printf("  %s  %s  %s\n", Text(nodes[i], "node").c_str(), Text(nodes[i], "kernel").c_str(),
                Text(nodes[i], "inputs").c_str());
  }
  if (top != 0 && nodes.size() > top) std::printf("... %zu more\n", nodes.size() - top);
  std::printf("\nby operator\n");
  PrintTitle("operator, kernel");
  for (const Json& row : summary["operators"]) {
    PrintNumbers(row);
    std::printf("  %-24s %s\n", Text(row, "op").c_str(), Text(row, "kernel").c_str());
  }
  std::printf("100.0%% %10.1f %10.1f          all\n", Number(summary, "least_us"),
              Number(summary, "total_us"));
}

}  // namespace waybill::tools
