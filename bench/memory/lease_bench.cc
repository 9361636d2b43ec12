// What it costs a run to get its memory and to give it back: a warm slab, and being admitted.
#include <benchmark/benchmark.h>

#include <memory>

#include "memory/buffer/buffer.h"
#include "memory/source/hub.h"

namespace waybill {
namespace {

MemoryHub& Hub() {
  static MemoryHub hub({.idle_trim_ms = 30'000});
  return hub;
}

void LeaseAndReturn(benchmark::State& state) {
  const std::shared_ptr<MemorySource> pool = Hub().slabs;
  const auto bytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    auto slab = Buffer::Allocate(pool, bytes, kBlockAlign, MemoryTag::kSlab);
    benchmark::DoNotOptimize(slab->view().data);
  }
}
BENCHMARK(LeaseAndReturn)->Arg(64 << 10)->Arg(1 << 20)->Arg(64 << 20)->Threads(1)->Threads(2);

// A run within a run: the outer slab stays leased.
void LeaseWithinALease(benchmark::State& state) {
  const std::shared_ptr<MemorySource> pool = Hub().slabs;
  const auto outer = Buffer::Allocate(pool, 1 << 20, kBlockAlign, MemoryTag::kSlab);
  for (auto _ : state) {
    auto slab = Buffer::Allocate(pool, 64 << 10, kBlockAlign, MemoryTag::kSlab);
    benchmark::DoNotOptimize(slab->view().data);
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

BENCHMARK_MAIN();
