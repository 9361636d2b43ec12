// bench_micro: kernels as shares of the FMA or bandwidth peak, measured in the same second.
//
// "share" is least thread CPU time against the roof: FMA for gemm and conv, reading the weights for
// one row, copying for the rest. "wanted" is what the share should be, where that is decided.
#include <benchmark/benchmark.h>

#include <exception>

#include "bench/e2e/clocks.h"
#include "bench/micro/cases.h"
#include "bench/micro/peak.h"
#include "bench/micro/step_bench.h"

namespace waybill::bench {
namespace {

double RoofOf(const KernelCase& kernel) {
  switch (kernel.roof) {
    case Roof::kFma:
      return FmaPeak();
    case Roof::kRead:
      return ReadBandwidth(static_cast<size_t>(kernel.work));
    case Roof::kCopy:
      return CopyBandwidth(static_cast<size_t>(kernel.work));
  }
  return 0;
}

void Measure(benchmark::State& state, const std::shared_ptr<session::Env>& env,
             const KernelCase& kernel) {
  try {
    StepBench bench(env, kernel);
    for (int i = 0; i < 3; ++i) bench.Run();
    double roof = RoofOf(kernel);
    for (auto _ : state) {
      const int64_t start = ThreadCpuNs();
      bench.Run();
      state.SetIterationTime(static_cast<double>(ThreadCpuNs() - start) * 1e-9);
    }
    roof = std::max(roof, RoofOf(kernel));
    const double seconds = bench.LeastSeconds();
    if (seconds <= 0) {
      state.SkipWithError("no step of this operator ran");
      return;
    }
    const double rate = kernel.work / seconds;
    state.counters["least_us"] = seconds * 1e6;
    state.counters[kernel.roof == Roof::kFma ? "Gflop/s" : "GB/s"] = rate * 1e-9;
    state.counters["roof"] = roof * 1e-9;
    state.counters["share"] = rate / roof;
    if (kernel.wanted > 0) state.counters["wanted"] = kernel.wanted;
    state.SetLabel(bench.Kernels());
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

int Main(int argc, char** argv) {
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
