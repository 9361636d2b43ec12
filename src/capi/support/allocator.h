// Our own allocators: OrtAllocator callbacks over a source of the environment.
#pragma once

#include "capi/handles.h"
#include "memory/source/arena.h"

namespace waybill::capi {

// Where `arena` is null blocks come straight from the environment's CPU source.
struct OwnAllocator : OrtAllocator {
  explicit OwnAllocator(const OrtMemoryInfo& where, std::shared_ptr<Arena> blocks = nullptr);

  OrtMemoryInfo memory;
  std::shared_ptr<Arena> arena;
  bool lent = false;  // belongs to the environment: callers do not release it
};

// The default allocator, or one that CreateAllocator or the environment made.
bool IsOurs(const OrtAllocator* allocator);
// Where blocks of one of ours come from; the environment's CPU source for any other.
std::shared_ptr<MemorySource> SourceOf(const OrtAllocator* allocator);

}  // namespace waybill::capi

// Made by CreateArenaCfg and CreateArenaCfgV2.
struct OrtArenaCfg {
  waybill::ArenaOptions options;
  std::string cuda_key;  // one that only memory of CUDA devices has, where it asks for something
};
