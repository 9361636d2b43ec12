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
  auto block = blocks_->Take(bytes, align, tag);
  if (!block.ok()) {
    return std::move(block).status().With("{} bytes for {}", bytes, MemoryTagName(tag));
  }
  page_->OnServe({block->data, block->bytes, align, tag, EventSource::kBlocks},
                 !blocks_->IsFresh(*block));
  return block;
}

void ValueSource::Give(BufferView block, MemoryTag tag) noexcept {
  if (!InPool(block.bytes, tag)) return heap_->Give(block, tag);
  page_->OnReturn({block.data, block.bytes, 0, tag, EventSource::kBlocks});
  blocks_->Give(block, tag);
  budget_->NoteIdle();
}

}  // namespace waybill
