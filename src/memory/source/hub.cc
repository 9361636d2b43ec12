#include "memory/source/hub.h"

#include "memory/admission/budget_source.h"
#include "memory/source/value_source.h"

namespace waybill {
namespace {

// Of blocks for outputs: a caller may keep one for long, and what it has too much with it.
constexpr size_t kCloseness = 4;

}  // namespace

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
  const auto shrink = [arenas = arenas_] { return arenas->Shrink(); };
  const auto trim = [](const std::weak_ptr<SlabPool>& pool) {
    const auto alive = pool.lock();
    return alive != nullptr ? alive->Trim(0) : 0;
  };
  const auto new_pool = [&](std::shared_ptr<DeviceLedger> leases) {
    return std::make_shared<SlabPool>(std::make_shared<BudgetSource>(pages, budget, shrink),
                                      slab_options, std::move(leases));
  };
  // A pool gives what it has idle back by itself before it fails, then asks the other one.
  const auto others = std::make_shared<std::weak_ptr<SlabPool>>();
  slab_options.reclaim = [=] { return trim(*others); };
  slabs = new_pool(page);
  slab_options.reclaim = [=, runs = std::weak_ptr(slabs)] { return trim(runs); };
  slab_options.closeness = kCloseness;
  blocks = new_pool(nullptr);
  *others = blocks;
  const auto reclaim = [=, runs = std::weak_ptr(slabs)] {
    return trim(runs) + trim(*others) + shrink();
  };
  system = std::make_shared<ValueSource>(
      std::make_shared<BudgetSource>(std::move(heap), budget, reclaim), blocks, page, budget);
  admission = std::make_shared<Admission>(
      *budget, [runs = slabs.get(), values = blocks.get(), arenas = arenas_.get()] {
        return runs->IdleBytes() + values->IdleBytes() +
               arenas->idle_bytes.load(std::memory_order_relaxed);
      });
}

size_t MemoryHub::Trim() { return slabs->Trim(0) + blocks->Trim(0) + arenas_->Shrink(); }

void MemoryHub::SetIdleTrim(int64_t idle_trim_ms) {
  slabs->SetIdleTrim(idle_trim_ms);
  blocks->SetIdleTrim(idle_trim_ms);
}

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
