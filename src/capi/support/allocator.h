// Our own allocators: OrtAllocator callbacks over a source of the environment.
#pragma once

#include "base/status/result.h"
#include "capi/handles.h"
#include "memory/source/arena.h"

namespace waybill::capi {

// Blocks come from `arena`, else from `source`, else straight from the environment's CPU source.
struct OwnAllocator : OrtAllocator {
  explicit OwnAllocator(const OrtMemoryInfo& where, std::shared_ptr<Arena> blocks = nullptr,
                        std::shared_ptr<MemorySource> other = nullptr);

  OrtMemoryInfo memory;
  std::shared_ptr<Arena> arena;
  std::shared_ptr<MemorySource> source;
  bool lent = false;  // belongs to the environment: callers do not release it
};

// The default allocator, or one that CreateAllocator or the environment made.
bool IsOurs(const OrtAllocator* allocator);
// Where blocks of one of ours come from; the environment's CPU source for any other.
std::shared_ptr<MemorySource> SourceOf(const OrtAllocator* allocator);
// As Alloc of one of ours, which can say no more than that it failed. Errors: those of its source.
Result<void*> AllocateFromOurs(const OrtAllocator* allocator, size_t bytes);

}  // namespace waybill::capi
