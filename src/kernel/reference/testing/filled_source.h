// FilledSource: memory that tests fill, so that they see what a kernel leaves unwritten.
#pragma once

#include <cstring>

#include "memory/source/system_source.h"

namespace waybill::kernel {

// Every block it hands out is full of `byte`. Thread-safe.
class FilledSource final : public SystemSource {
 public:
  explicit FilledSource(int byte = 0xFF) : byte_(byte) {}
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    WB_ASSIGN_OR_RETURN(const BufferView block, SystemSource::Take(bytes, align, tag));
    std::memset(block.data, byte_, bytes);
    return block;
  }

 private:
  const int byte_;
};

}  // namespace waybill::kernel
