// bench_admit: whether sessions are admitted by what they will hold.
//
// For each model folder, each look in a process of its own: what the session holds and what
// its load takes at most without a budget; that it loads within a budget of what it takes; what a
// budget of less than it holds lets it take before it is refused, which are the constants that are
// computed while loading. Models that hold nothing are left out.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/memory/support/arguments.h"
#include "bench/memory/support/child.h"
#include "bench/memory/support/model.h"
#include "waybill.hpp"

namespace waybill::bench {
namespace {

using Json = nlohmann::ordered_json;

// Loads within `budget` (0: any) and says how it went.
Json Load(const std::string& folder, uint64_t budget) {
  return Json::parse(InChild([&] {
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "admit");
    Ort::ThrowOnError(WaybillEnvSetMemoryBudget(env, budget));
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    Json json;
    try {
      const Ort::Session session(env, (folder + "/model.onnx").c_str(), options);
      json["holds"] = GetMemoryAccount(env).held_bytes;
    } catch (const Ort::Exception& error) {
      json["refused"] = error.what();
    }
    json["peak"] = GetMemoryAccount(env).peak_held_bytes;
    return json.dump();
  }));
}

std::string Measure(const std::string& folder) {
  const Json free = Load(folder, 0);
  const uint64_t holds = free["holds"], peak = free["peak"];
  if (holds < 4096) return "";
  const Json enough = Load(folder, peak), less = Load(folder, holds - holds / 100 - 1);
  std::string misses;
  if (enough.contains("refused")) misses += " not loaded: " + enough["refused"].get<std::string>();
  const uint64_t before = less["peak"];
  if (!less.contains("refused")) misses += " not refused";
  const auto kib = [](uint64_t bytes) { return static_cast<double>(bytes) / 1024; };
  std::printf("%-22s %10.1f %10.1f %12.1f %s%s\n", folder.substr(folder.rfind('/') + 1).c_str(),
              kib(holds), kib(peak), kib(before), misses.empty() ? "" : " MISSED:", misses.c_str());
  std::fflush(stdout);
  return misses;
}

int MeasureAll(const std::string& data, const std::vector<std::string>& models) {
  std::printf("%-22s %10s %10s %12s\n", "KiB", "holds", "takes", "when refused");
  int exit_code = 0;
  for (const std::string& folder : FindModels(data, models)) {
    if (!Measure(folder).empty()) exit_code = 1;
  }
  return exit_code;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  using waybill::bench::Arguments;
  std::string data;
  std::vector<std::string> models;
  Arguments arguments("bench_admit",
                      "Whether sessions are loaded within a budget of what they take, and refused "
                      "within one of less than they hold.");
  arguments.Add("--data", data, "folder of model folders", Arguments::Kind::kMust);
  arguments.Add("MODEL", models, "only these, by name");
  return arguments.Run(argc, argv, [&] { return waybill::bench::MeasureAll(data, models); });
}
