// waybill bench: what loading and running a model costs.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/cli/profile.h"
#include "tools/values/printable.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

using Json = nlohmann::ordered_json;

double WallUs() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// CPU time of all threads.
double CpuUs() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

size_t PeakResidentBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

// The value that `share` of the sorted times do not exceed.
double Percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[std::min(rank, sorted.size() - 1)];
}

struct Runner {
  Ort::Session& session;
  Inputs inputs;
  std::vector<std::string> outputs;
  std::vector<const char*> input_names, output_names;

  Runner(Ort::Session& from, const InputArgs& args)
      : session(from), inputs(GatherInputs(from, args)), outputs(from.GetOutputNames()) {
    input_names = inputs.NamePointers();
    for (const std::string& name : outputs) output_names.push_back(name.c_str());
  }

  void Once() {
    (void)session.Run(Ort::RunOptions{nullptr}, input_names.data(), inputs.values.data(),
                      inputs.values.size(), output_names.data(), output_names.size());
  }
};

Json Measure(Runner& runner, const BenchArgs& args) {
  Json json;
  double start = WallUs();
  runner.Once();
  json["first_us"] = WallUs() - start;
  for (size_t i = 0; i < args.warmup; ++i) runner.Once();
  if (args.allocations != nullptr) {
    const size_t before = args.allocations();
    runner.Once();
    json["allocations"] = args.allocations() - before;
  }
  std::vector<double> times;
  const double cpu = CpuUs(), begin = WallUs();
  const size_t limit = args.runs != 0 ? args.runs : 1000000;
  while (times.size() < limit) {
    start = WallUs();
    runner.Once();
    const double end = WallUs();
    times.push_back(end - start);
    if (args.runs == 0 && end - begin > args.seconds * 1e6 && times.size() >= 3) break;
  }
  json["cpu_us"] = (CpuUs() - cpu) / static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  json["runs"] = times.size();
  json["min_us"] = times.front();
  json["p50_us"] = Percentile(times, 0.5);
  json["p90_us"] = Percentile(times, 0.9);
  json["p95_us"] = Percentile(times, 0.95);
  json["p99_us"] = Percentile(times, 0.99);
  return json;
}

void Print(const Json& json) {
  const auto number = [](const Json& value) { return value.get<double>(); };
  const Json& load = json["load"];
  std::printf(
      "load   %.2f ms: read %.2f, import %.2f, rewrite %.2f, select %.2f, pack %.2f, "
      "order %.2f\n",
      number(load["total_us"]) / 1e3, number(load["read_us"]) / 1e3,
      number(load["import_us"]) / 1e3, number(load["rewrite_us"]) / 1e3,
      number(load["select_us"]) / 1e3, number(load["pack_us"]) / 1e3,
      number(load["order_us"]) / 1e3);
  const Json& run = json["run"];
  std::printf("first  %.1f us\n", number(run["first_us"]));
  std::printf("run    min %.1f us, p50 %.1f, p90 %.1f, p95 %.1f, p99 %.1f (%zu runs)\n",
              number(run["min_us"]), number(run["p50_us"]), number(run["p90_us"]),
              number(run["p95_us"]), number(run["p99_us"]), run["runs"].get<size_t>());
  std::printf("cpu    %.1f us a run\n", number(run["cpu_us"]));
  if (run.contains("allocations")) {
    std::printf("heap   %zu allocations a run\n", run["allocations"].get<size_t>());
  }
  const Json& memory = json["memory"];
  if (memory.contains("plan")) {
    const Json& plan = memory["plan"];
    std::printf("plan   %s planned, bound %s, without reuse %s\n",
                BytesText(number(plan["planned_bytes"])).c_str(),
                BytesText(number(plan["bound_bytes"])).c_str(),
                BytesText(number(plan["no_reuse_bytes"])).c_str());
  }
  std::printf("memory peak resident %s\n",
              BytesText(number(memory["peak_resident_bytes"])).c_str());
}

// Runs apart from the measured ones, since reading clocks takes time.
Json Profile(Ort::Session& session, const BenchArgs& args, Runner& runner) {
  SetProfiling(session, true);
  const double begin = WallUs();
  for (size_t i = 0; i < (args.runs != 0 ? args.runs : 1000000); ++i) {
    runner.Once();
    if (args.runs == 0 && WallUs() - begin > args.seconds * 1e6) break;
  }
  SetProfiling(session, false);
  return SummarizeProfile(Json::parse(ProfileJson(session)));
}

}  // namespace

int Bench(const BenchArgs& args) {
  Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "waybill");
  Ort::Session session(env, args.model.c_str(), MakeOptions(args.session, args.model));
  const LoadReport load = GetLoadReport(session);
  Runner runner(session, args.inputs);
  for (const std::string& note : runner.inputs.notes) {
    std::fprintf(stderr, "note: %s\n", Printable(note).c_str());
  }
  Json json;
  json["model"] = args.model;
  const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1e3; };
  json["load"] = {{"read_us", us(load.read_ns)},       {"import_us", us(load.import_ns)},
                  {"rewrite_us", us(load.rewrite_ns)}, {"select_us", us(load.select_ns)},
                  {"pack_us", us(load.pack_ns)},       {"order_us", us(load.order_ns)},
                  {"total_us", us(load.total_ns)}};
  json["run"] = Measure(runner, args);
  if (args.ops) json["profile"] = Profile(session, args, runner);
  const PlanReport plan = GetPlanReport(session);
  json["memory"]["plan"] = {{"planned_bytes", plan.planned_bytes},
                            {"bound_bytes", plan.bound_bytes},
                            {"no_reuse_bytes", plan.no_reuse_bytes},
                            {"dynamic_values", plan.dynamic_values}};
  json["memory"]["peak_resident_bytes"] = PeakResidentBytes();
  json["memory"]["ledger"] = Json::parse(MemoryJson(env));
  if (args.json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    Print(json);
    if (args.ops) PrintProfile(json["profile"], args.top);
  }
  return 0;
}

}  // namespace waybill::tools
