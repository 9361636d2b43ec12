// What it costs a run to get its memory and to give it back: a warm slab, and being admitted.
#include <benchmark/benchmark.h>

#include <memory>

#include "memory/source/hub.h"
#include "memory/source/lease.h"

namespace waybill {
namespace {

MemoryHub& Hub() {
  static MemoryHub hub({.idle_trim_ms = 30'000});
  return hub;
}

void LeaseAndReturn(benchmark::State& state) {
  MemorySource& pool = *Hub().slabs;
  const auto bytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    Lease slab;
    benchmark::DoNotOptimize(slab.Take(pool, bytes, kBlockAlign).ok());
    benchmark::DoNotOptimize(slab.view().data);
  }
}
BENCHMARK(LeaseAndReturn)->Arg(64 << 10)->Arg(1 << 20)->Arg(64 << 20)->Threads(1)->Threads(2);

// A run within a run: the outer slab stays leased.
void LeaseWithinALease(benchmark::State& state) {
  MemorySource& pool = *Hub().slabs;
  Lease outer;
  benchmark::DoNotOptimize(outer.Take(pool, 1 << 20, kBlockAlign).ok());
  for (auto _ : state) {
    Lease slab;
    benchmark::DoNotOptimize(slab.Take(pool, 64 << 10, kBlockAlign).ok());
    benchmark::DoNotOptimize(slab.view().data);
  }
}
BENCHMARK(LeaseWithinALease);

// Counted, within a budget, or neither; nobody waits.
void Admit(benchmark::State& state) {
  MemoryHub hub({}, {}, state.range(1) != 0 ? size_t{1} << 30 : MemoryBudget::kUnlimited);
  AdmissionRequest request;
  request.slab_bytes = 1 << 20;
  request.max_inflight = static_cast<uint32_t>(state.range(0));
  for (auto _ : state) {
    AdmissionTicket ticket;
    benchmark::DoNotOptimize(hub.admission->Enter(request, ticket).ok());
    ticket.Settle();
  }
}
BENCHMARK(Admit)->ArgNames({"counted", "budget"})->Args({0, 0})->Args({4, 0})->Args({4, 1});

}  // namespace
}  // namespace waybill

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
