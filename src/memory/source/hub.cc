#include "memory/source/hub.h"

#include "memory/admission/budget_source.h"

namespace waybill {

MemoryHub::MemoryHub(SlabPoolOptions slab_options, const WrapSource& wrap, size_t budget_bytes)
    : ledger(std::make_shared<Ledger>()), budget(std::make_shared<MemoryBudget>(budget_bytes)) {
  const auto page = ledger->ForDevice({});
  std::shared_ptr<MemorySource> heap = std::make_shared<HostSource>(page);
  std::shared_ptr<MemorySource> pages = std::make_shared<PageSource>(page);
  if (wrap) {
    heap = wrap(std::move(heap));
    pages = wrap(std::move(pages));
  }
  // The pool gives idle slabs back by itself before it fails.
  slabs = std::make_shared<SlabPool>(std::make_shared<BudgetSource>(std::move(pages), budget),
                                     slab_options, page);
  const auto reclaim = [pool = std::weak_ptr<SlabPool>(slabs)] {
    const auto alive = pool.lock();
    return alive != nullptr ? alive->Trim(0) : 0;
  };
  system = std::make_shared<BudgetSource>(std::move(heap), budget, reclaim);
  admission =
      std::make_shared<Admission>(*budget, [pool = slabs.get()] { return pool->IdleBytes(); });
}

size_t MemoryHub::Trim() {
  size_t bytes = slabs->Trim(0);
  const std::lock_guard lock(mutex_);
  for (const auto& weak : arenas_) {
    if (const auto arena = weak.lock()) bytes += arena->Shrink();
  }
  return bytes;
}

std::shared_ptr<Arena> MemoryHub::NewArena(ArenaOptions options) {
  auto arena = std::make_shared<Arena>(system, MemoryTag::kUser, options);
  const std::lock_guard lock(mutex_);
  std::erase_if(arenas_, [](const auto& weak) { return weak.expired(); });
  arenas_.push_back(arena);
  return arena;
}

void MemoryHub::SetBudget(size_t budget_bytes) {
  budget->SetLimit(budget_bytes);
  if (budget->in_use() > budget_bytes) Trim();
}

}  // namespace waybill
