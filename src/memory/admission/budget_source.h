// BudgetSource: stands before a source of memory and takes no more than a budget allows.
#pragma once

#include <functional>
#include <memory>

#include "memory/admission/budget.h"
#include "memory/source/source.h"

namespace waybill {

class BudgetSource : public MemorySource {
 public:
  // Gives back what is held without need and returns the bytes.
  using Reclaim = std::function<size_t()>;

  // `reclaim`, where not empty, is asked before a Take is refused, by the budget or by `upstream`.
  BudgetSource(std::shared_ptr<MemorySource> upstream, std::shared_ptr<MemoryBudget> budget,
               Reclaim reclaim = {})
      : upstream_(std::move(upstream)), budget_(std::move(budget)), reclaim_(std::move(reclaim)) {}

  // Errors: as those of upstream; kOutOfMemory naming the budget and what is in use.
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return upstream_->device(); }

  // What a block counts: whole cache lines, and whole pages where it is large. No less than a
  // ledger counts for it.
  static size_t ChargedBytes(size_t bytes);

 private:
  Result<BufferView> TryTake(size_t bytes, size_t align, MemoryTag tag);

  const std::shared_ptr<MemorySource> upstream_;
  const std::shared_ptr<MemoryBudget> budget_;
  const Reclaim reclaim_;
};

}  // namespace waybill
