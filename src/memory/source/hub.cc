#include "memory/source/hub.h"

#include "memory/admission/budget_source.h"

namespace waybill {

// Those that were made and may live. It outlives the hub with the sources that ask it for bytes.
struct MemoryHub::Arenas {
  void Add(const std::shared_ptr<Arena>& arena) {
    const std::lock_guard lock(mutex);
    std::erase_if(made, [](const auto& weak) { return weak.expired(); });
    made.push_back(arena);
  }
  size_t Shrink() {
    size_t bytes = 0;
    const std::lock_guard lock(mutex);
    for (const auto& weak : made) {
      if (const auto arena = weak.lock()) bytes += arena->Shrink();
    }
    return bytes;
  }

  std::mutex mutex;
  std::vector<std::weak_ptr<Arena>> made;
  std::atomic<size_t> idle_bytes{0};  // of all
};

MemoryHub::MemoryHub(SlabPoolOptions slab_options, const WrapSource& wrap, size_t budget_bytes)
    : ledger(std::make_shared<Ledger>()),
      budget(std::make_shared<MemoryBudget>(budget_bytes)),
      arenas_(std::make_shared<Arenas>()) {
  const auto page = ledger->ForDevice({});
  std::shared_ptr<MemorySource> heap = std::make_shared<HostSource>(page);
  std::shared_ptr<MemorySource> pages = std::make_shared<PageSource>(page);
  if (wrap) {
    heap = wrap(std::move(heap));
    pages = wrap(std::move(pages));
  }
  // The pool gives idle slabs back by itself before it fails.
  const auto shrink = [arenas = arenas_] { return arenas->Shrink(); };
  slabs = std::make_shared<SlabPool>(
      std::make_shared<BudgetSource>(std::move(pages), budget, shrink), slab_options, page);
  const auto reclaim = [pool = std::weak_ptr<SlabPool>(slabs), shrink] {
    const auto alive = pool.lock();
    return (alive != nullptr ? alive->Trim(0) : 0) + shrink();
  };
  system = std::make_shared<BudgetSource>(std::move(heap), budget, reclaim);
  admission = std::make_shared<Admission>(*budget, [pool = slabs.get(), arenas = arenas_.get()] {
    return pool->IdleBytes() + arenas->idle_bytes.load(std::memory_order_relaxed);
  });
}

size_t MemoryHub::Trim() { return slabs->Trim(0) + arenas_->Shrink(); }

std::shared_ptr<Arena> MemoryHub::NewArena(ArenaOptions options) {
  // Part of what all arenas hold together: it lives as long as any of them.
  std::shared_ptr<std::atomic<size_t>> idle(arenas_, &arenas_->idle_bytes);
  auto arena = std::make_shared<Arena>(system, MemoryTag::kUser, options, std::move(idle));
  arenas_->Add(arena);
  return arena;
}

void MemoryHub::SetBudget(size_t budget_bytes) {
  budget->SetLimit(budget_bytes);
  if (budget->in_use() > budget_bytes) Trim();
}

}  // namespace waybill
