// ONNX Runtime's statistics of an allocator.
#pragma once

#include "memory/source/hub.h"
#include "onnxruntime_c_api.h"

namespace waybill::capi {

// Fills the keys that ONNX Runtime's arenas have, for the whole environment: InUse is what
// sessions, runs and callers have, TotalAllocated what is held, the pool's idle slabs included.
// What an arena calls an extension is here a new slab, a shrinkage one that went back; nothing is
// reserved apart.
void FillStats(const MemoryHub& hub, OrtKeyValuePairs& out);

// The same keys for one arena.
void FillStats(const ArenaStats& stats, OrtKeyValuePairs& out);

}  // namespace waybill::capi
