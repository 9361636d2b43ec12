#include "memory/admission/budget.h"

namespace waybill {
namespace {

bool Lasts(MemoryTag tag) {
  return tag == MemoryTag::kWeights || tag == MemoryTag::kPackedWeights ||
         tag == MemoryTag::kFolded;
}

}  // namespace

void MemoryBudget::SetLimit(size_t limit_bytes) noexcept {
  limit_.store(limit_bytes, std::memory_order_seq_cst);
  NoteIdle();
}

bool MemoryBudget::Charge(size_t bytes, MemoryTag tag) noexcept {
  size_t used = in_use_.load(std::memory_order_relaxed);
  do {
    const size_t limit = limit_.load(std::memory_order_relaxed);
    if (used > limit || bytes > limit - used) {
      refusals_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  } while (!in_use_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used + bytes &&
         !peak_.compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {
  }
  if (Lasts(tag)) lasting_.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

void MemoryBudget::Refund(size_t bytes, MemoryTag tag) noexcept {
  if (Lasts(tag)) lasting_.fetch_sub(bytes, std::memory_order_relaxed);
  in_use_.fetch_sub(bytes, std::memory_order_seq_cst);
  NoteIdle();
}

}  // namespace waybill
