#include "memory/source/page_source.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "base/file/page_bytes.h"
#include "base/math/checked.h"

namespace waybill {
namespace {

std::optional<size_t> BlockBytes(size_t bytes) {
  return CheckedAlignUp(std::max<size_t>(bytes, 1), PageBytes());
}

// `bytes` of fresh pages at a multiple of `align`, both multiples of the page size; null on
// failure.
std::byte* MapAligned(size_t bytes, size_t align) {
  const size_t slack = align > PageBytes() ? align : 0;
  const auto total = CheckedAdd(bytes, slack);
  if (!total) return nullptr;
  void* mapped = mmap(nullptr, *total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* first = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<uintptr_t>(first);
  const size_t before = AlignUp(address, align) - address;
  if (before != 0) munmap(first, before);
  if (slack > before) munmap(first + before + bytes, slack - before);
  return first + before;
}

}  // namespace

Result<BufferView> PageSource::Take(size_t bytes, size_t align, MemoryTag tag) {
  if (!IsPowerOfTwo(align) || align > kHugePageBytes) {
    return Error(Code::kInvalidArgument, "pages can not be aligned to {} bytes", align);
  }
  const auto block = BlockBytes(bytes);
  std::byte* data = nullptr;
  if (block) {
    const bool huge = *block >= kHugePageBytes;
    data = MapAligned(*block, huge ? kHugePageBytes : std::max(align, PageBytes()));
    if (data != nullptr && huge) {
      // Advice only: a kernel without huge pages serves small ones.
      (void)madvise(data, *block & ~(kHugePageBytes - 1), MADV_HUGEPAGE);
    }
  }
  if (data == nullptr) {
    return Error(Code::kOutOfMemory, "the system refused {} bytes of pages for {}", bytes,
                 MemoryTagName(tag));
  }
  if (page_) page_->OnTake({data, *block, align, tag, EventSource::kPages});
  return BufferView{data, bytes, device()};
}

void PageSource::Give(BufferView block, MemoryTag tag) noexcept {
  const size_t bytes = *BlockBytes(block.bytes);
  if (page_) page_->OnGive({block.data, bytes, 0, tag, EventSource::kPages});
  munmap(block.data, bytes);
}

}  // namespace waybill
