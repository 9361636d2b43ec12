#include "bench/e2e/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text/format.h"

namespace waybill::bench {

namespace {

using Json = nlohmann::ordered_json;

double Ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::string Today() {
  char text[32];
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &parts);
  return text;
}

// Geometric mean of a ratio over all models that have it.
template <typename Of>
double GeometricMean(const std::vector<ModelResult>& results, Of&& of) {
  double sum = 0;
  size_t count = 0;
  for (const ModelResult& result : results) {
    if (!result.error.empty()) continue;
    const double ratio = Ratio(of(result.figures[0]), of(result.figures[1]));
    if (ratio <= 0) continue;
    sum += std::log(ratio);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / static_cast<double>(count));
}

Json ToJson(const Figures& figures) {
  return {{"run_cpu_us", figures.run_cpu},
          {"run_wall_us", figures.run_wall},
          {"first_cpu_us", figures.first_cpu},
          {"first_wall_us", figures.first_wall},
          {"load_cpu_us", figures.load_cpu},
          {"load_wall_us", figures.load_wall},
          {"runs", figures.runs},
          {"resident_bytes", figures.memory.resident_bytes},
          {"peak_bytes", figures.memory.peak_bytes}};
}

Json ToJson(const OneNodeFigures& figures) {
  return {{"run_us", figures.run_us},
          {"run_in_place_us", figures.run_in_place_us},
          {"load_us", figures.load_us},
          {"idle_cpu_ms", figures.idle_cpu_ms},
          {"idle_seconds", figures.idle_seconds}};
}

}  // namespace

void PrintHeader(const RunInfo& info) {
  for (size_t i = 0; i < 2; ++i) {
    std::printf("%s  %s, ONNX Runtime API %s (%s)\n", i == 0 ? "A" : "B", info.names[i].c_str(),
                info.versions[i].c_str(), info.paths[i].c_str());
  }
  std::printf("%s UTC, %s. Threads: A %d, B %d. Run: %s.\n\n", Today().c_str(), CpuName().c_str(),
              info.threads[0], info.threads[1],
              info.threads == std::array{1, 1} ? "least CPU time of the thread"
                                               : "mean CPU time of the process");
  std::printf("%-24s %11s %11s %6s %6s  %9s %9s %6s  %9s %9s %6s  %7s %7s  %s\n", "model",
              "A run us", "B run us", "A/B", "wall", "A load ms", "B load ms", "A/B", "A 1st us",
              "B 1st us", "A/B", "A MiB", "B MiB", "difference");
}

void PrintModel(const ModelResult& result) {
  if (!result.error.empty()) {
    std::printf("%-24s %s\n", result.name.c_str(), result.error.c_str());
    std::fflush(stdout);
    return;
  }
  const Figures &a = result.figures[0], &b = result.figures[1];
  constexpr double kMiB = 1 << 20;
  std::printf(
      "%-24s %11.1f %11.1f %6.2f %6.2f  %9.2f %9.2f %6.2f  %9.0f %9.0f %6.2f  %7.1f %7.1f  %.1e "
      "%s\n",
      result.name.c_str(), a.run_cpu, b.run_cpu, Ratio(a.run_cpu, b.run_cpu),
      Ratio(a.run_wall, b.run_wall), a.load_cpu * 1e-3, b.load_cpu * 1e-3,
      Ratio(a.load_cpu, b.load_cpu), a.first_cpu, b.first_cpu, Ratio(a.first_cpu, b.first_cpu),
      static_cast<double>(a.memory.resident_bytes) / kMiB,
      static_cast<double>(b.memory.resident_bytes) / kMiB, result.difference.relative,
      result.difference.problem.c_str());
  std::fflush(stdout);
}

void PrintSummary(const std::vector<ModelResult>& results) {
  double worst = 0;
  size_t failed = 0;
  for (const ModelResult& result : results) {
    failed += result.error.empty() ? 0 : 1;
    if (result.error.empty()) {
      worst = std::max(worst, Ratio(result.figures[0].run_cpu, result.figures[1].run_cpu));
    }
  }
  std::printf("\ngeometric mean A/B: run %.3f (wall %.3f, worst %.2f), load %.3f, first run %.3f",
              GeometricMean(results, [](const Figures& f) { return f.run_cpu; }),
              GeometricMean(results, [](const Figures& f) { return f.run_wall; }), worst,
              GeometricMean(results, [](const Figures& f) { return f.load_cpu; }),
              GeometricMean(results, [](const Figures& f) { return f.first_cpu; }));
  std::printf(failed == 0 ? "\n" : "; %zu failed\n", failed);
}

void PrintOneNode(const std::string& name, const OneNodeFigures& figures) {
  std::printf(
      "%-12s one node: run %.2f us, into given outputs %.2f us, load %.2f ms; idle: %.1f ms CPU in "
      "%.0f s\n",
      name.c_str(), figures.run_us, figures.run_in_place_us, figures.load_us * 1e-3,
      figures.idle_cpu_ms, figures.idle_seconds);
}

std::string ToJson(const RunInfo& info, const std::vector<ModelResult>& results,
                   const std::array<OneNodeFigures, 2>* one_node) {
  Json json;
  json["date"] = Today();
  json["cpu"] = CpuName();
  json["threads"] = info.threads;
  for (size_t i = 0; i < 2; ++i) {
    json["libraries"].push_back(
        {{"name", info.names[i]}, {"version", info.versions[i]}, {"path", info.paths[i]}});
  }
  json["models"] = Json::array();
  for (const ModelResult& result : results) {
    Json model = {{"name", result.name}};
    if (!result.error.empty()) {
      model["error"] = result.error;
    } else {
      model["a"] = ToJson(result.figures[0]);
      model["b"] = ToJson(result.figures[1]);
      model["ratio"] = Ratio(result.figures[0].run_cpu, result.figures[1].run_cpu);
      model["load_ratio"] = Ratio(result.figures[0].load_cpu, result.figures[1].load_cpu);
      model["largest_difference"] = result.difference.largest;
      model["relative_difference"] = result.difference.relative;
      if (!result.difference.problem.empty()) model["problem"] = result.difference.problem;
    }
    json["models"].push_back(std::move(model));
  }
  json["geometric_mean"] = GeometricMean(results, [](const Figures& f) { return f.run_cpu; });
  json["load_geometric_mean"] = GeometricMean(results, [](const Figures& f) { return f.load_cpu; });
  if (one_node != nullptr) {
    json["one_node"] = {{"a", ToJson((*one_node)[0])}, {"b", ToJson((*one_node)[1])}};
  }
  return json.dump(2) + "\n";
}

}  // namespace waybill::bench
