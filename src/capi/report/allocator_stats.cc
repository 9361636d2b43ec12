#include "capi/report/allocator_stats.h"

#include "capi/handles.h"

namespace waybill::capi {

namespace {

void Set(OrtKeyValuePairs& out, const char* key, uint64_t value) {
  out.entries.insert_or_assign(key, Format("{}", value));
}

}  // namespace

void FillStats(const MemoryHub& hub, OrtKeyValuePairs& out) {
  const SlabPoolStats slabs = hub.slabs->Stats(), blocks = hub.blocks->Stats();
  const DeviceUse use = hub.ledger->ForDevice(hub.slabs->device())->Snapshot();
  out.entries["Limit"] = hub.budget->limited() ? Format("{}", hub.budget->limit()) : "-1";
  Set(out, "InUse", use.used_bytes);
  Set(out, "RequestedInUse", use.used_bytes);
  Set(out, "TotalAllocated", use.total.bytes_in_use);
  Set(out, "MaxInUse", use.peak_used_bytes);
  Set(out, "MaxAllocSize", use.largest_bytes);
  const MemoryUse& in_slabs = use.by_tag[static_cast<size_t>(MemoryTag::kSlab)];
  Set(out, "NumAllocs", use.total.takes - in_slabs.takes + slabs.hits + slabs.misses);
  Set(out, "NumReserves", 0);
  Set(out, "NumArenaExtensions", slabs.misses + blocks.misses);
  Set(out, "NumArenaShrinkages", slabs.trims + blocks.trims);
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
