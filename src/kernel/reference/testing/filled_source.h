// FilledSource: memory in which no byte is zero by chance, so that tests see what a kernel leaves
// unwritten.
#pragma once

#include <cstring>

#include "memory/source/system_source.h"

namespace waybill::kernel {

// Every block it hands out is full of bytes 0xFF. Thread-safe.
class FilledSource final : public SystemSource {
 public:
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    WB_ASSIGN_OR_RETURN(const BufferView block, SystemSource::Take(bytes, align, tag));
    std::memset(block.data, 0xFF, bytes);
    return block;
  }
};

}  // namespace waybill::kernel
