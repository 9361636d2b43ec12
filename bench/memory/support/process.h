// What the kernel says of this process's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace waybill::bench {

// Anonymous memory of the process: heap, slabs, packed weights, stacks; pages of mapped files are
// not in it. Counted page by page, not from the kernel's running estimate. Throws
// std::runtime_error where the kernel does not tell.
size_t AnonymousBytes();

struct RangeBytes {
  size_t mapped = 0;    // that may be written
  size_t resident = 0;  // with a page of memory behind them
};

// Of [address, address + bytes). Throws std::runtime_error where the kernel does not tell.
RangeBytes ReadRange(uint64_t address, size_t bytes);

// The heap gives back what it can, so that what is left is in use.
void TrimHeap();

}  // namespace waybill::bench
