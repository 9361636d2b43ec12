// bench_micro: kernels as shares of the FMA or bandwidth peak, measured turn by turn with it.
//
// "share" is the least time against the roof: the slowest of what the kernel must do, which is
// multiply-adds for gemm and conv or, where those are few for each byte, reading the weights or
// copying; copying for the rest. "wanted" is what the share should be, where that is decided.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/e2e/clocks.h"
#include "bench/guard.h"
#include "bench/micro/cases.h"
#include "bench/micro/step_bench.h"
#include "cpu/simd/target_limit.h"

namespace waybill::bench {
namespace {

// A kind of work of a kernel and how fast this CPU does it.
struct Limit {
  explicit Limit(const Work& of) : work(of), roof(of.kind, static_cast<size_t>(of.units)) {}
  double Seconds() const { return work.units / rate; }

  Work work;
  Roof roof;
  double rate = 0;  // units per second, the best so far
};

void Measure(benchmark::State& state, const std::shared_ptr<session::Env>& env,
             const KernelCase& kernel) {
  try {
    StepBench bench(env, kernel);
    for (int i = 0; i < 3; ++i) bench.Run();
    std::vector<Limit> limits;
    for (const Work& work : kernel.work) limits.emplace_back(work);
    for (auto _ : state) {
      const int64_t start = WallNs();
      bench.Run();
      const int64_t ns = WallNs() - start;
      state.SetIterationTime(static_cast<double>(ns) * 1e-9);
      for (Limit& limit : limits) limit.rate = std::max(limit.rate, limit.roof.Round(ns));
    }
    const double seconds = bench.LeastSeconds();
    if (seconds <= 0) {
      state.SkipWithError("no step of this operator ran");
      return;
    }
    const Limit& roof = *std::ranges::max_element(limits, {}, &Limit::Seconds);
    const double rate = roof.work.units / seconds;
    state.counters["least_us"] = seconds * 1e6;
    state.counters[roof.work.kind == RoofKind::kFma ? "Gflop/s" : "GB/s"] = rate * 1e-9;
    state.counters["roof"] = roof.rate * 1e-9;
    state.counters["share"] = rate / roof.rate;
    if (kernel.wanted > 0) state.counters["wanted"] = kernel.wanted;
    state.SetLabel(bench.Kernels());
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void PrintHelp() {
  std::printf(
      "bench_micro: kernels as shares of what this CPU does at most\n"
      "  --target=NAME   the instruction set, for kernels and roof alike; the best if not given.\n"
      "                  Of this CPU:");
  for (const cpu::SimdTarget target : cpu::AvailableTargets()) {
    std::printf(" %s", std::string(cpu::SimdTargetName(target)).c_str());
  }
  std::printf(
      "\n"
      "  --write=FOLDER  writes the models with their inputs, for bench_e2e, and measures nothing\n"
      "and those of Google Benchmark:\n");
  benchmark::PrintDefaultHelp();
}

// What follows the last argument `name`=; taken out of the arguments, all of its kind.
std::optional<std::string> TakeOption(std::string_view name, int& argc, char** argv) {
  std::optional<std::string> value;
  const auto is_it = [&](std::string_view argument) {
    if (!argument.starts_with(name) || argument.substr(name.size(), 1) != "=") return false;
    value = argument.substr(name.size() + 1);
    return true;
  };
  argc = static_cast<int>(std::remove_if(argv + 1, argv + argc, is_it) - argv);
  return value;
}

std::optional<cpu::SimdTarget> TargetOf(const std::string& name) {
  for (const cpu::SimdTarget target : cpu::AvailableTargets()) {
    if (cpu::SimdTargetName(target) == name) return target;
  }
  return std::nullopt;
}

int Main(int argc, char** argv) {
  const auto folder = TakeOption("--write", argc, argv);
  const auto name = TakeOption("--target", argc, argv);
  benchmark::Initialize(&argc, argv, PrintHelp);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (folder) {
    for (const KernelCase& kernel : AllCases()) WriteFolder(kernel, *folder);
    return 0;
  }
  const auto target = name ? TargetOf(*name) : cpu::BestTarget();
  if (!target) {
    std::fprintf(stderr, "bench_micro: this CPU has no target '%s'; --help lists them\n",
                 name->c_str());
    return 2;
  }
  const cpu::TargetLimit limit(*target);
  auto env = session::Env::Create({});
  if (!env.ok()) return 1;
  static const std::vector<KernelCase> kCases = AllCases();
  for (const KernelCase& kernel : kCases) {
    benchmark::RegisterBenchmark(
        kernel.name.c_str(),
        [env = *env, &kernel](benchmark::State& s) { Measure(s, env, kernel); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.3);
  }
  benchmark::AddCustomContext("simd_target", std::string(cpu::SimdTargetName(*target)));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  return waybill::bench::Guarded("bench_micro", 1,
                                 [&] { return waybill::bench::Main(argc, argv); });
}
