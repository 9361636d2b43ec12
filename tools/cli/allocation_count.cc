// Counts calls of operator new: replacing it in the program replaces it in the library too.
#include "tools/cli/allocation_count.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> allocations{0};

void* TryTake(size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes != 0 ? bytes : 1);
}

void* TryTake(size_t bytes, std::align_val_t align) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* p = nullptr;
  const size_t boundary = std::max(static_cast<size_t>(align), sizeof(void*));
  return posix_memalign(&p, boundary, bytes != 0 ? bytes : 1) == 0 ? p : nullptr;
}

template <typename... Align>
void* Take(size_t bytes, Align... align) {
  if (void* p = TryTake(bytes, align...)) return p;
  throw std::bad_alloc();
}

}  // namespace

namespace waybill::tools {

size_t AllocationCount() { return allocations.load(std::memory_order_relaxed); }

}  // namespace waybill::tools

// Every form, since a sanitizer's runtime has each of them on its own.
using Align = std::align_val_t;
using NoThrow = std::nothrow_t;

void* operator new(size_t bytes) { return Take(bytes); }
void* operator new[](size_t bytes) { return Take(bytes); }
void* operator new(size_t bytes, Align align) { return Take(bytes, align); }
void* operator new[](size_t bytes, Align align) { return Take(bytes, align); }
void* operator new(size_t bytes, const NoThrow&) noexcept { return TryTake(bytes); }
void* operator new[](size_t bytes, const NoThrow&) noexcept { return TryTake(bytes); }
void* operator new(size_t bytes, Align a, const NoThrow&) noexcept { return TryTake(bytes, a); }
void* operator new[](size_t bytes, Align a, const NoThrow&) noexcept { return TryTake(bytes, a); }

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, Align) noexcept { std::free(p); }
void operator delete[](void* p, Align) noexcept { std::free(p); }
void operator delete(void* p, size_t, Align) noexcept { std::free(p); }
void operator delete[](void* p, size_t, Align) noexcept { std::free(p); }
void operator delete(void* p, const NoThrow&) noexcept { std::free(p); }
void operator delete[](void* p, const NoThrow&) noexcept { std::free(p); }
void operator delete(void* p, Align, const NoThrow&) noexcept { std::free(p); }
void operator delete[](void* p, Align, const NoThrow&) noexcept { std::free(p); }
