#include "memory/source/system_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/math/checked.h"

namespace waybill {
namespace {

// What the ledger counts and what is asked of the heap: never 0, a multiple of kBlockAlign.
std::optional<size_t> BlockBytes(size_t bytes) {
  return CheckedAlignUp(std::max<size_t>(bytes, 1), kBlockAlign);
}

// The heap's own alignment, and room for the address that it gave.
constexpr size_t kFrontBytes = alignof(std::max_align_t);
static_assert(kFrontBytes >= sizeof(void*) && kFrontBytes <= kBlockAlign);

// `request` bytes, less up to `align` of them in front of what is returned. Not aligned_alloc:
// until glibc 2.38 a block that it gave back is too small for the next one of the same size and
// alignment, so that the heap grows with each output of a run.
std::byte* AllocateAligned(size_t request, size_t align) {
  void* const given = std::malloc(request);
  if (given == nullptr) return nullptr;
  const uintptr_t front = reinterpret_cast<uintptr_t>(given) + kFrontBytes;
  auto* const data = reinterpret_cast<std::byte*>((front + align - 1) / align * align);
  std::memcpy(data - sizeof given, &given, sizeof given);
  return data;
}

void FreeAligned(std::byte* data) {
  void* given = nullptr;
  std::memcpy(&given, data - sizeof given, sizeof given);
  std::free(given);
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
  const auto request = block ? CheckedAdd(*block, wanted_align) : std::nullopt;
  std::byte* data = nullptr;
  if (request && *request <= kMaxBlockBytes) data = AllocateAligned(*request, wanted_align);
  if (data == nullptr) {
    return Error(Code::kOutOfMemory, "the system refused {} bytes for {}", bytes,
                 MemoryTagName(tag));
  }
  if (page_) page_->OnTake({data, *block, wanted_align, tag, EventSource::kHeap});
  return BufferView{data, bytes, device()};
}

void SystemSource::Give(BufferView block, MemoryTag tag) noexcept {
  if (page_) {
    page_->OnGive({block.data, *BlockBytes(block.bytes), 0, tag, EventSource::kHeap});
  }
  FreeAligned(block.data);
}

}  // namespace waybill
