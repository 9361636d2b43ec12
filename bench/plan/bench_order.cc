// bench_order: looks for orders of generated problems and compares what is alive at once.
//
//   bench_order [--work N]
//
// Each row: the steps, the most alive at once as given and as found, a floor that no order is
// below, and the time that the search took. Exit code 1: an order is worse than the given one; 2:
// the arguments can not be read.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "memory/plan/order.h"
#include "memory/plan/testing/random_order.h"

namespace {

using waybill::plan::OrderLimits;
using waybill::plan::OrderProblem;
using Clock = std::chrono::steady_clock;

bool Show(const std::string& name, const OrderProblem& problem, const OrderLimits& limits) {
  const auto start = Clock::now();
  const auto found = waybill::plan::FindOrder(problem, limits);
  const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
  if (!found.ok()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), found.status().ToString().c_str());
    return false;
  }
  const auto kib = [](size_t bytes) { return static_cast<double>(bytes) / 1024; };
  std::printf("%-34s %6zu steps  given %10.1f KiB  found %10.1f (%.3f)  floor %10.1f  %7.3f ms\n",
              name.c_str(), problem.steps.size(), kib(found->given_bytes), kib(found->bytes),
              static_cast<double>(found->bytes) / static_cast<double>(found->given_bytes),
              kib(found->floor_bytes), taken.count());
  return found->bytes <= found->given_bytes;
}

}  // namespace

int main(int argc, char** argv) {
  OrderLimits limits;
  if (argc == 3 && std::string_view(argv[1]) == "--work") {
    limits.work = std::strtoull(argv[2], nullptr, 10);
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: bench_order [--work N]\n");
    return 2;
  }
  bool good = true;
  const auto show = [&](const std::string& name, const OrderProblem& problem) {
    good = Show(name, problem, limits) && good;
  };
  for (const uint32_t branches : {2, 4, 8, 16}) {
    show("branches, " + std::to_string(branches) + " wide",
         waybill::plan::BranchedOrderProblem(10, branches, 4, 65536, 4096));
  }
  for (const uint32_t cells : {1, 5, 18, 25, 200}) {
    show("searched cells, " + std::to_string(cells),
         waybill::plan::SearchedOrderProblem(cells, cells, 16384));
  }
  for (const uint32_t steps : {20, 50, 100, 250, 557, 1000, 5000, 20000}) {
    show("random, " + std::to_string(steps) + " steps",
         waybill::plan::RandomOrderProblem(steps, steps));
  }
  return good ? 0 : 1;
}
