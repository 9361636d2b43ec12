// bench_account: what keeping the account of memory adds to a run.
//
// A run enters its slab in the account of its program, its outputs in the ledger when they are
// taken and when they come back, and looks whether the trace is on. Least time of several rounds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "bench/memory/support/arguments.h"
#include "exec/plan/plan.h"
#include "exec/runner/account.h"
#include "memory/ledger/ledger.h"

namespace {

using waybill::BlockNote;
using waybill::MemoryTag;

double LeastNs(const std::function<void(int)>& work) {
  constexpr int kRounds = 50, kTimes = 20000;
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work(kTimes);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / kTimes);
  }
  return least;
}

int Measure(double max_ns) {
  waybill::Ledger ledger;
  const auto page = ledger.ForDevice({});
  waybill::exec::RunAccount account;
  const auto counts = account.OpenPage();
  waybill::exec::PlanFigures plan;
  plan.requests = 100;
  plan.no_reuse_bytes = 1 << 20;
  const BlockNote output{&plan, 4096, 64, MemoryTag::kOutput};
  const auto enter = [&](int times) {
    for (int i = 0; i < times; ++i) {
      counts->Enter(plan, false);
      counts->CountRun();
    }
  };
  const auto take_and_give = [&](int times) {
    for (int i = 0; i < times; ++i) {
      page->OnTake(output);
      page->OnGive(output);
    }
  };
  const double slab = LeastNs(enter), block = LeastNs(take_and_give);
  ledger.trace().Start();
  const double traced = LeastNs(take_and_give);
  const double run = slab + block;
  std::printf("slab in the account         %6.1f ns\n", slab);
  std::printf("an output, out and back     %6.1f ns (with the trace on %.1f)\n", block, traced);
  std::printf("a run with one output       %6.1f ns, at most %.0f\n", run, max_ns);
  return run <= max_ns ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  double max_ns = 50;
  waybill::bench::Arguments arguments("bench_account",
                                      "What keeping the account of memory adds to a run.");
  arguments.Add("--max-ns", max_ns, "a run with one output may pay");
  return arguments.Run(argc, argv, [&] { return Measure(max_ns); });
}
