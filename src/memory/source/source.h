// A MemorySource hands out and takes back tensor bytes of one device. It is the only way to get
// such bytes, so its ledger knows all of them.
#pragma once

#include <cstddef>

#include "base/status/result.h"
#include "memory/buffer/view.h"
#include "memory/ledger/tag.h"

namespace waybill {

// Alignment of every block a source gives unless more is asked for: one cache line, one AVX-512
// vector.
inline constexpr size_t kBlockAlign = 64;

class MemorySource {
 public:
  virtual ~MemorySource() = default;
  MemorySource() = default;
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;

  // A block of at least `bytes` usable bytes at a multiple of `align` (a power of two; at least
  // kBlockAlign is given). `bytes` 0 gives a valid, distinct, non-null address.
  // Contents are unspecified. Thread-safe.
  // Errors: kOutOfMemory naming the bytes asked, the tag and what refused them.
  virtual Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) = 0;

  // Gives back a block exactly as taken: same data, bytes and tag. Thread-safe, never fails.
  virtual void Give(BufferView block, MemoryTag tag) noexcept = 0;

  virtual Device device() const = 0;
};

}  // namespace waybill
