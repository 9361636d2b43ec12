#include "memory/admission/budget_source.h"

#include <algorithm>

#include "base/file/page_bytes.h"
#include "base/math/checked.h"

namespace waybill {
namespace {

// No source takes whole pages for less.
constexpr size_t kPagedBytes = size_t{128} << 10;

// Bytes of a budget, refunded unless they were taken.
struct Charged {
  ~Charged() {
    if (!taken) budget.Refund(bytes, tag);
  }
  MemoryBudget& budget;
  const size_t bytes;
  const MemoryTag tag;
  bool taken = false;
};

}  // namespace

size_t BudgetSource::ChargedBytes(size_t bytes) {
  const bool large = bytes >= kPagedBytes;
  const auto whole = CheckedAlignUp(std::max<size_t>(bytes, 1), large ? PageBytes() : kBlockAlign);
  return whole ? *whole : SIZE_MAX;
}

Result<BufferView> BudgetSource::TryTake(size_t bytes, size_t align, MemoryTag tag) {
  const size_t whole = ChargedBytes(bytes);
  if (!budget_->Charge(whole, tag)) {
    return Error(Code::kOutOfMemory,
                 "{} bytes for {} exceed the memory budget of {} bytes: {} are in use, of them {} "
                 "for weights",
                 bytes, MemoryTagName(tag), budget_->limit(), budget_->in_use(),
                 budget_->lasting());
  }
  Charged charged{*budget_, whole, tag};
  auto taken = upstream_->Take(bytes, align, tag);
  charged.taken = taken.ok();
  return taken;
}

Result<BufferView> BudgetSource::Take(size_t bytes, size_t align, MemoryTag tag) {
  auto taken = TryTake(bytes, align, tag);
  if (taken.ok() || taken.status().code() != Code::kOutOfMemory || !reclaim_) return taken;
  return reclaim_() != 0 ? TryTake(bytes, align, tag) : std::move(taken);
}

void BudgetSource::Give(BufferView block, MemoryTag tag) noexcept {
  const size_t charged = ChargedBytes(block.bytes);
  upstream_->Give(block, tag);
  budget_->Refund(charged, tag);
}

}  // namespace waybill
