#include "tests/fuzz/allocation_limit.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

namespace waybill::fuzz {
namespace {

std::atomic<size_t> limit{std::numeric_limits<size_t>::max()};

void* Allocate(size_t bytes, size_t align) {
  CheckAllocation(bytes);
  if (bytes == 0) bytes = 1;
  void* block = align == 0 ? std::malloc(bytes)
                           : std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void SetAllocationLimit(size_t bytes) { limit = bytes; }

void CheckAllocation(size_t bytes) {
  if (bytes <= limit.load(std::memory_order_relaxed)) return;
  std::fprintf(stderr, "allocation of %zu bytes is over the limit\n", bytes);
  std::abort();
}

}  // namespace waybill::fuzz

void* operator new(size_t bytes) { return waybill::fuzz::Allocate(bytes, 0); }
void* operator new[](size_t bytes) { return waybill::fuzz::Allocate(bytes, 0); }
void* operator new(size_t bytes, std::align_val_t align) {
  return waybill::fuzz::Allocate(bytes, static_cast<size_t>(align));
}
void* operator new[](size_t bytes, std::align_val_t align) {
  return waybill::fuzz::Allocate(bytes, static_cast<size_t>(align));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { std::free(block); }
