// bench_held: what the memory of models comes to once they have run.
//
// For each model folder, in a process of its own: what the library holds after some runs beside
// bound + outputs, checked against the kernel's count of the same ranges; what a trim leaves beside
// what was there after load; how anonymous memory grows over runs on fresh random inputs; which
// system calls a warm run into given outputs makes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/memory/support/arguments.h"
#include "bench/memory/support/child.h"
#include "bench/memory/support/model.h"
#include "bench/memory/support/process.h"
#include "waybill.hpp"

namespace waybill::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string data;
  size_t runs = 100, fresh = 1000;
  int threads = 1;
  bool json = false;
  std::vector<std::string> models;
};

Ort::SessionOptions OfSession(const Options& options) {
  Ort::SessionOptions out;
  out.SetIntraOpNumThreads(options.threads);
  return out;
}

// Ranges of pages that the pools of slabs and of outputs have now, by address.
std::map<uint64_t, size_t> PoolRanges(const Ort::Env& env) {
  std::map<uint64_t, size_t> ranges;
  const Json trace = Json::parse(MemoryTraceJson(env));
  if (trace["lost"] != 0) throw std::runtime_error("the trace lost events");
  for (const Json& event : trace["events"]) {
    if (event["source"] != "pages") continue;
    if (const std::string tag = event["tag"];
        tag != "slab" && tag != "output" && tag != "dynamic") {
      continue;  // weights
    }
    const uint64_t block = std::stoull(event["block"].get<std::string>());
    if (event["kind"] == "take") {
      ranges[block] = event["bytes"];
    } else {
      ranges.erase(block);
    }
  }
  return ranges;
}

// Bytes held by the pools and as outputs outside of them, and what the kernel says of the pools'.
Json Held(const Ort::Env& env, Model& model) {
  const Json memory = Json::parse(MemoryJson(env));
  const Json& blocks = memory["block_pool"];
  const size_t pool =
      memory["slab_pool"]["bytes_held"].get<size_t>() + blocks["bytes_held"].get<size_t>();
  const size_t outputs = model.OutputBytes(), in_blocks = blocks["bytes_leased"];
  size_t mapped = 0, resident = 0, ranges = 0;
  for (const auto& [address, bytes] : PoolRanges(env)) {
    const RangeBytes range = ReadRange(address, bytes);
    mapped += range.mapped;
    resident += range.resident;
    ranges += bytes;
  }
  return {{"pool_bytes", pool},      {"range_bytes", ranges},
          {"kernel_mapped", mapped}, {"kernel_resident", resident},
          {"output_bytes", outputs}, {"heap_bytes", outputs > in_blocks ? outputs - in_blocks : 0}};
}

Json MeasureRuns(const std::string& folder, const Options& options) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "held");
  SetMemoryTrace(env, true);
  Model model(env, folder, OfSession(options));
  TrimHeap();
  Json json;
  const size_t loaded = AnonymousBytes();
  for (size_t i = 0; i < options.runs; ++i) model.Run();
  const PlanReport plan = GetPlanReport(model.session());
  json["held"] = Held(env, model);
  json["bound_bytes"] = plan.bound_bytes;
  json["planned_bytes"] = plan.planned_bytes;
  json["no_reuse_bytes"] = plan.no_reuse_bytes;
  json["dynamic_values"] = plan.dynamic_values;
  SetMemoryTrace(env, false);
  model.ReleaseOutputs();
  Trim(env);
  TrimHeap();
  json["loaded_bytes"] = loaded;
  json["trimmed_bytes"] = AnonymousBytes();
  return json;
}

// Growth over runs on fresh inputs, once a tenth of them has warmed all up.
Json MeasureGrowth(const std::string& folder, const Options& options) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "held");
  Model model(env, folder, OfSession(options));
  std::mt19937 random(1);
  const auto run = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      model.Randomize(random);
      model.Run();
    }
  };
  run(std::max<size_t>(options.fresh / 10, 2));
  // The timer of the pool is a thread, which takes its first pages when it begins.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const size_t before = AnonymousBytes();
  run(options.fresh);
  const size_t after = AnonymousBytes();
  return {{"runs", options.fresh}, {"before_bytes", before}, {"after_bytes", after}};
}

// System calls of ten warm runs into the outputs of the run before.
Json MeasureCalls(const std::string& folder) {
  std::optional<Ort::Env> env;
  std::optional<Model> model;
  const auto prepare = [&] {
    env.emplace(ORT_LOGGING_LEVEL_ERROR, "held");
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    model.emplace(*env, folder, options);
    model->Run();
    for (int i = 0; i < 5; ++i) model->RunInPlace();
  };
  const auto counts = CountSystemCalls(prepare, [&] {
    for (int i = 0; i < 10; ++i) model->RunInPlace();
  });
  return counts ? Json(*counts) : Json();
}

size_t Bytes(const Json& value) { return value.get<size_t>(); }

// The targets that `json` misses, in words.
std::vector<std::string> Misses(const Json& json) {
  constexpr size_t kSmall = size_t{8} << 20, kSmallSlack = size_t{256} << 10;
  std::vector<std::string> misses;
  const Json& held = json["held"];
  const size_t bound = Bytes(json["bound_bytes"]), outputs = Bytes(held["output_bytes"]);
  const size_t pool = Bytes(held["pool_bytes"]);
  const size_t limit =
      bound > kSmall ? (bound + outputs) / 100 * 105 : bound + outputs + kSmallSlack;
  if (pool + Bytes(held["heap_bytes"]) > limit) misses.push_back("held");
  if (Bytes(held["range_bytes"]) != pool || Bytes(held["kernel_mapped"]) != pool ||
      Bytes(held["kernel_resident"]) > pool) {
    misses.push_back("kernel's count");
  }
  if (Bytes(json["trimmed_bytes"]) * 100 > Bytes(json["loaded_bytes"]) * 105) {
    misses.push_back("trim");
  }
  const Json& growth = json["growth"];
  if (Bytes(growth["after_bytes"]) > Bytes(growth["before_bytes"])) misses.push_back("growth");
  if (json["calls"].is_null()) {
    misses.push_back("system calls could not be counted");
  } else {
    for (const auto& [name, count] : json["calls"].items()) {
      if (name != "other") misses.push_back(name);
    }
  }
  return misses;
}

double KiB(size_t bytes) { return static_cast<double>(bytes) / 1024; }

void PrintRow(const std::string& name, const Json& json) {
  const Json& held = json["held"];
  const size_t outputs = Bytes(held["output_bytes"]);
  const size_t wanted = Bytes(json["bound_bytes"]) + outputs;
  const size_t have = Bytes(held["pool_bytes"]) + Bytes(held["heap_bytes"]);
  const Json& growth = json["growth"];
  std::string calls;
  for (const auto& [call, count] : json["calls"].items()) {
    if (call != "other") calls += " " + call + " " + count.dump();
  }
  std::string misses;
  for (const Json& miss : json["misses"]) misses += " " + miss.get<std::string>();
  std::printf("%-22s %10.1f %10.1f %7.3f %10.1f %9.1f %9.1f %6.3f %8.1f  %s%s%s\n", name.c_str(),
              KiB(wanted), KiB(have),
              wanted == 0 ? 1 : static_cast<double>(have) / static_cast<double>(wanted),
              KiB(Bytes(held["kernel_resident"])), KiB(Bytes(json["loaded_bytes"])),
              KiB(Bytes(json["trimmed_bytes"])),
              static_cast<double>(Bytes(json["trimmed_bytes"])) /
                  static_cast<double>(Bytes(json["loaded_bytes"])),
              KiB(Bytes(growth["after_bytes"])) - KiB(Bytes(growth["before_bytes"])),
              calls.empty() ? "none" : calls.c_str() + 1,
              misses.empty() ? "" : "  MISSED:", misses.c_str());
  std::fflush(stdout);
}

Json Measure(const std::string& folder, const Options& options) {
  Json json = Json::parse(InChild([&] { return MeasureRuns(folder, options).dump(); }));
  json["growth"] = Json::parse(InChild([&] { return MeasureGrowth(folder, options).dump(); }));
  json["calls"] = MeasureCalls(folder);
  json["misses"] = Misses(json);
  return json;
}

int MeasureAll(const Options& options) {
  Json all;
  int exit_code = 0;
  if (!options.json) {
    std::printf("%-22s %10s %10s %7s %10s %9s %9s %6s %8s  %s\n", "KiB", "bound+out", "held",
                "ratio", "resident", "loaded", "trimmed", "ratio", "growth", "system calls");
  }
  for (const std::string& folder : FindModels(options.data, options.models)) {
    const std::string name = folder.substr(folder.rfind('/') + 1);
    try {
      all[name] = Measure(folder, options);
      if (!all[name]["misses"].empty()) exit_code = 1;
      if (!options.json) PrintRow(name, all[name]);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
      exit_code = 1;
    }
  }
  if (options.json) std::printf("%s\n", all.dump(2).c_str());
  return exit_code;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  using waybill::bench::Arguments;
  waybill::bench::Options options;
  Arguments arguments("bench_held",
                      "What models hold after runs and after a trim, how they grow, and which "
                      "system calls warm runs make.");
  arguments.Add("--data", options.data, "folder of model folders", Arguments::Kind::kMust);
  arguments.Add("--runs", options.runs, "on the inputs of the folder");
  arguments.Add("--fresh", options.fresh, "runs on random inputs");
  arguments.Add("--threads", options.threads, "intra-op threads");
  arguments.Add("--json", options.json, "print JSON");
  arguments.Add("MODEL", options.models, "only these, by name");
  return arguments.Run(argc, argv, [&] { return waybill::bench::MeasureAll(options); });
}
