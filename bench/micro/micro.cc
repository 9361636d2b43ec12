// bench_micro: kernels as shares of the FMA or bandwidth peak, measured turn by turn with it.
//
// "share" is least thread CPU time against the roof: FMA for gemm and conv, reading the weights for
// one row, copying for the rest. "wanted" is what the share should be, where that is decided.
// `bench_micro --write=FOLDER` writes the models with their inputs instead, for bench_e2e.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <string_view>

#include "bench/e2e/clocks.h"
#include "bench/micro/cases.h"
#include "bench/micro/step_bench.h"

namespace waybill::bench {
namespace {

void Measure(benchmark::State& state, const std::shared_ptr<session::Env>& env,
             const KernelCase& kernel) {
  try {
    StepBench bench(env, kernel);
    for (int i = 0; i < 3; ++i) bench.Run();
    Roof roof(kernel.roof, static_cast<size_t>(kernel.work));
    double best_roof = 0;
    for (auto _ : state) {
      const int64_t start = ThreadCpuNs();
      bench.Run();
      const int64_t ns = ThreadCpuNs() - start;
      state.SetIterationTime(static_cast<double>(ns) * 1e-9);
      best_roof = std::max(best_roof, roof.Round(ns));
    }
    const double seconds = bench.LeastSeconds();
    if (seconds <= 0) {
      state.SkipWithError("no step of this operator ran");
      return;
    }
    const double rate = kernel.work / seconds;
    state.counters["least_us"] = seconds * 1e6;
    state.counters[kernel.roof == RoofKind::kFma ? "Gflop/s" : "GB/s"] = rate * 1e-9;
    state.counters["roof"] = best_roof * 1e-9;
    state.counters["share"] = rate / best_roof;
    if (kernel.wanted > 0) state.counters["wanted"] = kernel.wanted;
    state.SetLabel(bench.Kernels());
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

constexpr std::string_view kWrite = "--write=";

int Main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]).starts_with(kWrite)) {
    for (const KernelCase& kernel : AllCases()) WriteFolder(kernel, argv[1] + kWrite.size());
    return 0;
  }
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
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) { return waybill::bench::Main(argc, argv); }
