#include "tests/support/alloc/alloc_hook.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace waybill::testing {
namespace {

std::atomic<uint64_t> g_allocations{0};
std::atomic<uint64_t> g_frees{0};
std::atomic<uint64_t> g_bytes{0};
std::atomic<int64_t> g_until_failure{0};  // 0: off; 1: the next one fails
std::atomic<bool> g_fired{false};

bool MustFail() {
  if (g_until_failure.load(std::memory_order_relaxed) <= 0) return false;
  if (g_until_failure.fetch_sub(1, std::memory_order_relaxed) != 1) return false;
  g_fired.store(true, std::memory_order_relaxed);
  return true;
}

void* Allocate(std::size_t bytes, std::size_t align) noexcept {
  if (MustFail()) return nullptr;
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  g_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes == 0) bytes = 1;
  if (align <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(bytes);
  void* data = nullptr;
  return posix_memalign(&data, align, bytes) == 0 ? data : nullptr;
}

void* AllocateOrThrow(std::size_t bytes, std::size_t align) {
  void* data = Allocate(bytes, align);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void Free(void* data) noexcept {
  if (data == nullptr) return;
  g_frees.fetch_add(1, std::memory_order_relaxed);
  std::free(data);
}

}  // namespace

AllocCounts ReadAllocCounts() {
  return {g_allocations.load(std::memory_order_relaxed), g_frees.load(std::memory_order_relaxed),
          g_bytes.load(std::memory_order_relaxed)};
}

FailingAllocation::FailingAllocation(uint64_t n) {
  g_fired.store(false, std::memory_order_relaxed);
  g_until_failure.store(static_cast<int64_t>(n), std::memory_order_relaxed);
}
FailingAllocation::~FailingAllocation() { g_until_failure.store(0, std::memory_order_relaxed); }
bool FailingAllocation::fired() const { return g_fired.load(std::memory_order_relaxed); }

}  // namespace waybill::testing

using waybill::testing::Allocate;
using waybill::testing::AllocateOrThrow;
using waybill::testing::Free;
using Align = std::align_val_t;

void* operator new(std::size_t n) { return AllocateOrThrow(n, 0); }
void* operator new[](std::size_t n) { return AllocateOrThrow(n, 0); }
void* operator new(std::size_t n, Align a) { return AllocateOrThrow(n, std::size_t(a)); }
void* operator new[](std::size_t n, Align a) { return AllocateOrThrow(n, std::size_t(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return Allocate(n, 0); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return Allocate(n, 0); }
void* operator new(std::size_t n, Align a, const std::nothrow_t&) noexcept {
  return Allocate(n, std::size_t(a));
}
void* operator new[](std::size_t n, Align a, const std::nothrow_t&) noexcept {
  return Allocate(n, std::size_t(a));
}
void operator delete(void* p) noexcept { Free(p); }
void operator delete[](void* p) noexcept { Free(p); }
void operator delete(void* p, std::size_t) noexcept { Free(p); }
void operator delete[](void* p, std::size_t) noexcept { Free(p); }
void operator delete(void* p, Align) noexcept { Free(p); }
void operator delete[](void* p, Align) noexcept { Free(p); }
void operator delete(void* p, std::size_t, Align) noexcept { Free(p); }
void operator delete[](void* p, std::size_t, Align) noexcept { Free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { Free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { Free(p); }
void operator delete(void* p, Align, const std::nothrow_t&) noexcept { Free(p); }
void operator delete[](void* p, Align, const std::nothrow_t&) noexcept { Free(p); }
