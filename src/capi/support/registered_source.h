// RegisteredSource: an allocator of the caller's as a source of memory.
#pragma once

#include "memory/source/source.h"
#include "onnxruntime_c_api.h"

namespace waybill::capi {

// Blocks of any alignment out of Alloc and Free, which are called from any thread. They are the
// caller's bytes: neither a ledger nor a budget counts them.
class RegisteredSource final : public MemorySource {
 public:
  // Borrowed: it outlives all blocks.
  explicit RegisteredSource(OrtAllocator* allocator) : allocator_(allocator) {}

  // Errors: kOutOfMemory when Alloc gives nothing.
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return {}; }

 private:
  OrtAllocator* const allocator_;
};

}  // namespace waybill::capi
