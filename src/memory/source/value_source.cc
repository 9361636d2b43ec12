#include "memory/source/value_source.h"

#include <utility>

namespace waybill {

ValueSource::ValueSource(std::shared_ptr<MemorySource> heap, std::shared_ptr<SlabPool> blocks,
                         std::shared_ptr<DeviceLedger> page, std::shared_ptr<MemoryBudget> budget)
    : heap_(std::move(heap)),
      blocks_(std::move(blocks)),
      page_(std::move(page)),
      budget_(std::move(budget)) {}

Result<BufferView> ValueSource::Take(size_t bytes, size_t align, MemoryTag tag) {
  if (!InPool(bytes, tag)) return heap_->Take(bytes, align, tag);
  // Within a budget what a run asks for beforehand is what it takes.
  SlabRequest request{bytes, align, device(), {}, tag, budget_->limited()};
  WB_ASSIGN_OR_RETURN(const BufferView block, blocks_->Lease(request));
  page_->OnServe({block.data, block.bytes, align, tag, EventSource::kBlocks},
                 !blocks_->IsFresh(block));
  return block;
}

void ValueSource::Give(BufferView block, MemoryTag tag) noexcept {
  if (!InPool(block.bytes, tag)) return heap_->Give(block, tag);
  page_->OnReturn({block.data, block.bytes, 0, tag, EventSource::kBlocks});
  blocks_->Give(block, tag);
  budget_->NoteIdle();
}

}  // namespace waybill
