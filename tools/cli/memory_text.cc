#include "tools/cli/memory_text.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "tools/cli/memory_peak.h"
#include "tools/cli/options.h"
#include "tools/values/printable.h"

namespace waybill::tools {
namespace {

using Json = nlohmann::ordered_json;

double Number(const Json& value) { return value.get<double>(); }
size_t Count(const Json& value) { return value.get<size_t>(); }
std::string Bytes(const Json& value) { return BytesText(Number(value)); }
std::string Text(const Json& value) { return Printable(value.get<std::string>()); }

void PrintHeader(const Json& report) {
  std::printf("%s", Text(report["model"]).c_str());
  const char* between = ": ";
  for (const Json& shape : report["shapes"]) {
    std::printf("%s%s %s", between, Text(shape["input"]).c_str(), shape["shape"].dump().c_str());
    between = ", ";
  }
  std::printf("\n");
}

// What the last run leased in all: by lease, the largest of what was taken for it.
double LeasedBytes(const Json& plan) {
  std::vector<double> regions = {Number(plan["planned_bytes"]) + Number(plan["reserve_bytes"])};
  for (const Json& tail : plan["tails"]) {
    if (!tail["opens_region"].get<bool>()) continue;
    const size_t region = Count(tail["region"]);
    if (region >= regions.size()) regions.resize(region + 1);
    regions[region] = std::max(regions[region], Number(tail["planned_bytes"]));
  }
  return std::accumulate(regions.begin(), regions.end(), 0.0);
}

void PrintPlan(const Json& plan, const Json& balance) {
  const double bound = Number(plan["bound_bytes"]), planned = Number(plan["planned_bytes"]);
  const double no_reuse = Number(plan["no_reuse_bytes"]);
  std::printf("plan, %zu steps\n", plan["steps"].size());
  std::printf("  no reuse  %12s  every value at a place of its own\n", BytesText(no_reuse).c_str());
  std::printf("  bound     %12s  no placement of these values needs less\n",
              BytesText(bound).c_str());
  std::printf("  planned   %12s", BytesText(planned).c_str());
  if (bound > 0) {
    std::printf("  %.3f x bound, saves %.1f %%", planned / bound, 100 * (1 - planned / no_reuse));
  }
  std::printf("\n");
  for (const Json& look : balance) {
    if (look["when"] != "outputs released") continue;
    const double held = Number(look["environment"]["slab_pool"]["bytes_held"]);
    std::printf("  held      %12s", BytesText(held).c_str());
    const double leased = LeasedBytes(plan);
    if (leased > planned) {
      std::printf("  %.3f x the %s that a run leases in all, by the pool", held / leased,
                  BytesText(leased).c_str());
    } else if (planned > 0) {
      std::printf("  %.3f x planned, by the pool", held / planned);
    }
    std::printf("\n");
  }
  std::printf("  %zu values planned, %zu of them in place; %zu views, %zu constants, %zu dynamic\n",
              Count(plan["planned_values"]), Count(plan["in_place"]), Count(plan["views"]),
              Count(plan["constant_values"]), Count(plan["dynamic_values"]));
}

// What another order of the steps than that of the file has saved.
void PrintStepOrder(const Json& order) {
  if (Text(order["not_tried"]) != "") {
    std::printf("  steps of the main graph in the order of the file, no other was looked for: %s\n",
                Text(order["not_tried"]).c_str());
    return;
  }
  if (Count(order["moved_steps"]) == 0) {
    std::printf(
        "  steps of the main graph in the order of the file, none that saves 3 %% was found");
  } else {
    const double file = Number(order["file_bound_bytes"]), bound = Number(order["bound_bytes"]);
    std::printf("  %zu steps moved for memory: bound %s instead of %s, saves %.1f %%",
                Count(order["moved_steps"]), Bytes(order["bound_bytes"]).c_str(),
                Bytes(order["file_bound_bytes"]).c_str(), 100 * (1 - bound / file));
  }
  if (const size_t open = Count(order["open_dimensions_as"]); open != 0) {
    std::printf(" (open dimensions taken as %zu)", open);
  }
  std::printf("\n");
}

// What the last run planned when it had found out sizes.
void PrintTails(const Json& plan) {
  if (const size_t reserve = Count(plan["reserve_bytes"]); reserve != 0) {
    std::printf("  %s more are leased, for sizes of at most what kernels promise\n",
                BytesText(static_cast<double>(reserve)).c_str());
  }
  for (const Json& tail : plan["tails"]) {
    std::printf("then, after step %zu, %s\n", Count(tail["after_step"]),
                Text(tail["node"]).c_str());
    std::printf("  %zu values planned: %s without reuse, bound %s, ", Count(tail["planned_values"]),
                Bytes(tail["no_reuse_bytes"]).c_str(), Bytes(tail["bound_bytes"]).c_str());
    if (tail["opens_region"].get<bool>()) {
      std::printf("in a slab of their own of %s", Bytes(tail["planned_bytes"]).c_str());
    } else {
      std::printf("in room that is there");
    }
    std::printf("; %zu dynamic\n", Count(tail["dynamic_values"]));
  }
}

// Live values and their bytes by holder, and what was taken and given so far.
void PrintBalance(const Json& balance) {
  std::printf("balance: live values and their bytes by holder; blocks taken and given so far\n");
  std::printf("  %-17s", "");
  for (const Json& holder : balance.front()["environment"]["holders"]) {
    std::printf("%19s", Text(holder["holder"]).c_str());
  }
  std::printf("%9s%9s\n", "taken", "given");
  for (const Json& look : balance) {
    const Json& environment = look["environment"];
    std::printf("  %-17s", Text(look["when"]).c_str());
    for (const Json& holder : environment["holders"]) {
      std::printf("%6zu %12s", Count(holder["values"]), Bytes(holder["bytes"]).c_str());
    }
    size_t taken = 0, given = 0;
    for (const Json& device : environment["devices"]) {
      taken += Count(device["total"]["takes"]);
      given += Count(device["total"]["gives"]);
    }
    std::printf("%9zu%9zu\n", taken, given);
  }
}

// What the sessions of each model hold of weights, and why what is not shared is not.
void PrintModels(const Json& models) {
  for (const Json& model : models) {
    const Json& bytes = model["bytes"];
    std::printf(
        "weights: %zu session(s) live, %zu made; the first added %s, each further one none\n",
        Count(model["sessions_live"]), Count(model["sessions_created"]),
        Bytes(model["first_added"]).c_str());
    std::printf("  %s mapped, %s read, %s of the caller's, %s placed, %s packed\n",
                Bytes(bytes["mapped"]).c_str(), Bytes(bytes["read"]).c_str(),
                Bytes(bytes["caller"]).c_str(), Bytes(bytes["placed"]).c_str(),
                Bytes(bytes["packed"]).c_str());
    if (model["why_alone"] != "") {
      std::printf("  no other session shares the model: %s\n", Text(model["why_alone"]).c_str());
    }
    constexpr size_t kMost = 10;
    const Json& not_shared = model["not_shared"];
    for (size_t i = 0; i < not_shared.size() && i < kMost; ++i) {
      std::printf("  not shared: %s, %s\n", Text(not_shared[i]["initializer"]).c_str(),
                  Text(not_shared[i]["why"]).c_str());
    }
    if (not_shared.size() > kMost) {
      std::printf("  not shared: %zu more, see --json\n", not_shared.size() - kMost);
    }
  }
}

void PrintReuse(const char* what, const Json& reuse) {
  const size_t requests = Count(reuse["requests"]), reused = Count(reuse["reused"]);
  const double requested = Number(reuse["requested_bytes"]), saved = Number(reuse["saved_bytes"]);
  std::printf("  %-7s %zu of %zu reused, %.1f %%; %s requested = %s saved + %s allocated\n", what,
              reused, requests, 100 * Number(reuse["hit_rate"]), BytesText(requested).c_str(),
              BytesText(saved).c_str(), BytesText(requested - saved).c_str());
}

void PrintAccount(const Json& account) {
  if (account["runs"] == 0) return;
  std::printf("account of %zu runs\n", Count(account["runs"]));
  PrintReuse("values", account["values"]);
  PrintReuse("slabs", account["leases"]);
  if (account["blocks"]["requests"] != 0) PrintReuse("outputs", account["blocks"]);
  std::printf("  turnover %.1f, fragmentation %.1f %%, %zu system calls avoided\n",
              Number(account["turnover"]), 100 * Number(account["fragmentation"]),
              Count(account["system_calls_avoided"]));
}

}  // namespace

void PrintMemory(const Json& report) {
  PrintHeader(report);
  PrintPlan(report["session"]["plan"], report["balance"]);
  PrintBodies(report["session"]["plan"]);
  PrintStepOrder(report["session"]["plan"]["step_order"]);
  PrintTails(report["session"]["plan"]);
  PrintPeak(report["session"]["plan"]);
  PrintModels(report["balance"].front()["environment"]["models"]);
  PrintBalance(report["balance"]);
  PrintAccount(report["balance"].back()["environment"]["account"]);
}

}  // namespace waybill::tools
