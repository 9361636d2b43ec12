// What happens to tensor bytes, one event at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "memory/device/device.h"
#include "memory/ledger/tag.h"

namespace waybill {

enum class EventKind : uint8_t {
  kTake = 0,  // a source hands out a block
  kGive,      // the block comes back
  kRunBegin,  // a run of a session; `block` is the session's address
  kRunEnd,
};
inline constexpr size_t kEventKindCount = 4;

// Who hands a block out. Blocks of a pool or an arena lie within blocks of the heap or of pages,
// so bytes held are those of kHeap and kPages alone.
enum class EventSource : uint8_t {
  kHeap = 0,  // the C library's heap
  kPages,     // pages mapped from the kernel
  kSlabs,     // the slab pool: one lease per run
  kBlocks,    // the pool of large outputs and values
  kArena,     // an arena that a caller made
  kRun,       // of kRunBegin and kRunEnd
};
inline constexpr size_t kEventSourceCount = 6;

// "take", "give", "run begin", "run end".
std::string_view EventKindName(EventKind kind);
// "heap", "pages", "slabs", "blocks", "arena", "run".
std::string_view EventSourceName(EventSource source);

struct MemoryEvent {
  EventKind kind = EventKind::kTake;
  EventSource source = EventSource::kHeap;
  MemoryTag tag = MemoryTag::kUser;
  bool reused = false;  // kTake: bytes that the source held already; else they are new
  Device device;
  size_t bytes = 0;
  size_t align = 0;    // kTake: power of two; 0 where the source does not say
  uint64_t block = 0;  // address: a give belongs to the last take of the same source and block

  // Set by the trace.
  int64_t time_ns = 0;  // of the steady clock
  uint32_t thread = 0;  // equal for events of one thread
};

}  // namespace waybill
