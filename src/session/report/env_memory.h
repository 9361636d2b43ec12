// What the memory of a process is used for, and what happened to it, as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "exec/runner/account.h"
#include "memory/ledger/ledger.h"
#include "memory/source/hub.h"
#include "session/load/model_use.h"

namespace waybill::session {

// Who has the bytes that are out.
enum class Holder : uint8_t {
  kSession = 0,  // weights, packed weights, folded constants
  kRun,          // slabs that runs have leased, values that are known only while running
  kCaller,       // outputs, and what callers took of an allocator
  kBinding,      // outputs that runs made for a binding, as long as it has them
  kPool,         // slabs and blocks for large outputs that nobody has now
};
inline constexpr size_t kHolderCount = 5;
// "session", "run", "caller", "binding", "pool".
std::string_view HolderName(Holder holder);

struct Holding {
  uint64_t values = 0;  // blocks
  uint64_t bytes = 0;
};

// By holder, of one device. A value whose size was known only while running stays with kRun when it
// became an output, unless a binding has it. `slabs` and `blocks` are the hub's pools, `bound` is
// what bindings have of the outputs.
std::array<Holding, kHolderCount> HoldingsOf(const DeviceUse& use, const SlabPoolStats& slabs,
                                             const SlabPoolStats& blocks, const Holding& bound);

// What was asked for and how much of it was there already: saved + allocated = requested, in bytes
// as in numbers.
struct Reuse {
  uint64_t requests = 0, reused = 0;
  uint64_t requested_bytes = 0, saved_bytes = 0;

  // reused / (reused + allocated); 0 before the first request.
  double hit_rate() const;
};

// Of the host's memory. Exact when no run is under way.
struct MemoryAccount {
  uint64_t held_bytes = 0, peak_held_bytes = 0;  // from the operating system
  std::array<Holding, kHolderCount> holdings = {};
  uint64_t slab_held_bytes = 0;
  uint64_t slab_peak_held_bytes = 0, slab_peak_leased_bytes = 0;
  uint64_t runs = 0;
  Reuse values;                // the values and scratch of plans, in slabs
  Reuse leases;                // the slabs
  Reuse blocks;                // of large outputs and values of unknown size
  uint64_t donated_bytes = 0;  // of values that runs made in donated inputs
  uint64_t served_bytes = 0;   // blocks that were taken, slabs by lease

  // A slab or a block of its own costs a run one call to map it and one to unmap it.
  uint64_t system_calls_avoided() const { return 2 * (leases.reused + blocks.reused); }
  // A fresh slab or block is faulted in page by page where it is touched: so many bytes at most.
  uint64_t fault_bytes_avoided() const { return leases.saved_bytes + blocks.saved_bytes; }
  // How often each byte that was held at most was served.
  double turnover() const;
  // The part of the slabs that no run needed even when most were in use.
  double fragmentation() const;
};
MemoryAccount AccountOf(const MemoryHub& hub, const exec::RunTotals& runs);

// {"devices": [{device, total, by_tag}], "slab_pool": {...}, "block_pool": {...}, "budget": {...},
//  "admission": {...}, "holders": [{holder, values, bytes}], "account": {...}, "models": [{model,
//  sessions, bytes, why not shared}]}.
// docs/schemas/memory.schema.json describes it.
std::string WriteEnvMemory(const MemoryHub& hub, const exec::RunTotals& runs,
                           std::span<const ModelUse> models);

// {"on", "lost", "events": [{kind, time_ns, thread, source, tag, device, bytes, align, reused,
// block}]}: the last events since the trace began; see EventTrace.
std::string WriteTrace(const EventTrace& trace);

}  // namespace waybill::session
