#include "memory/source/system_source.h"

#include <algorithm>
#include <cstdlib>

#include "base/math/checked.h"

namespace waybill {
namespace {

// What the ledger counts and what is asked of the heap: never 0, a multiple of kBlockAlign.
std::optional<size_t> BlockBytes(size_t bytes) {
  return CheckedAlignUp(std::max<size_t>(bytes, 1), kBlockAlign);
}

// Half of a 48-bit address space: no system gives more, and some heaps die of being asked.
constexpr size_t kMaxBlockBytes = size_t{1} << 47;

}  // namespace

Result<BufferView> SystemSource::Take(size_t bytes, size_t align, MemoryTag tag) {
  if (!IsPowerOfTwo(align)) {
    return Error(Code::kInvalidArgument, "alignment {} is no power of two", align);
  }
  const size_t wanted_align = std::max(align, kBlockAlign);
  const auto block = BlockBytes(bytes);
  const auto request = block ? CheckedAlignUp(*block, wanted_align) : std::nullopt;
  void* data = nullptr;
  if (request && *request <= kMaxBlockBytes) {
    data = std::aligned_alloc(wanted_align, *request);
  }
  if (data == nullptr) {
    return Error(Code::kOutOfMemory, "the system refused {} bytes for {}", bytes,
                 MemoryTagName(tag));
  }
  if (page_) page_->OnTake({data, *block, wanted_align, tag, EventSource::kHeap});
  return BufferView{static_cast<std::byte*>(data), bytes, device()};
}

void SystemSource::Give(BufferView block, MemoryTag tag) noexcept {
  if (page_) {
    page_->OnGive({block.data, *BlockBytes(block.bytes), 0, tag, EventSource::kHeap});
  }
  std::free(block.data);
}

}  // namespace waybill
