// Counts calls of operator new: replacing it in the program replaces it in the library too. The
// forms that do not throw call these.
#include "tools/cli/allocation_count.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> allocations{0};

void* Take(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(bytes != 0 ? bytes : 1)) return p;
  throw std::bad_alloc();
}

void* Take(size_t bytes, std::align_val_t align) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* p = nullptr;
  const size_t boundary = std::max(static_cast<size_t>(align), sizeof(void*));
  if (posix_memalign(&p, boundary, bytes != 0 ? bytes : 1) == 0) return p;
  throw std::bad_alloc();
}

}  // namespace

namespace waybill::tools {

size_t AllocationCount() { return allocations.load(std::memory_order_relaxed); }

}  // namespace waybill::tools

void* operator new(size_t bytes) { return Take(bytes); }
void* operator new[](size_t bytes) { return Take(bytes); }
void* operator new(size_t bytes, std::align_val_t align) { return Take(bytes, align); }
void* operator new[](size_t bytes, std::align_val_t align) { return Take(bytes, align); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
