#include "capi/report/allocator_stats.h"

#include <algorithm>

#include "capi/handles.h"

namespace waybill::capi {

namespace {

void Set(OrtKeyValuePairs& out, const char* key, uint64_t value) {
  out.entries.insert_or_assign(key, Format("{}", value));
}

}  // namespace

void FillStats(const MemoryHub& hub, OrtKeyValuePairs& out) {
  const SlabPoolStats slabs = hub.slabs->Stats();
  const DeviceUse use = hub.ledger->ForDevice(hub.slabs->device())->Snapshot();
  const uint64_t held = use.total.bytes_in_use;
  const uint64_t in_use = held - std::min<uint64_t>(slabs.bytes_idle(), held);
  out.entries["Limit"] = hub.budget->limited() ? Format("{}", hub.budget->limit()) : "-1";
  Set(out, "InUse", in_use);
  Set(out, "RequestedInUse", in_use);
  Set(out, "TotalAllocated", held);
  Set(out, "MaxInUse", use.total.peak_bytes);
  Set(out, "MaxAllocSize", use.largest_bytes);
  Set(out, "NumAllocs", use.total.takes + slabs.hits);
  Set(out, "NumReserves", 0);
  Set(out, "NumArenaExtensions", slabs.misses);
  Set(out, "NumArenaShrinkages", slabs.trims);
}

void FillStats(const ArenaStats& stats, OrtKeyValuePairs& out) {
  const bool limited = stats.limit_bytes != SIZE_MAX;
  out.entries["Limit"] = limited ? Format("{}", stats.limit_bytes) : "-1";
  Set(out, "InUse", stats.bytes_in_use);
  Set(out, "RequestedInUse", stats.requested_bytes_in_use);
  Set(out, "TotalAllocated", stats.bytes_held);
  Set(out, "MaxInUse", stats.peak_bytes_in_use);
  Set(out, "MaxAllocSize", stats.largest_chunk_bytes);
  Set(out, "NumAllocs", stats.takes);
  Set(out, "NumReserves", stats.reserves);
  Set(out, "NumArenaExtensions", stats.extensions);
  Set(out, "NumArenaShrinkages", stats.shrinkages);
}

}  // namespace waybill::capi
