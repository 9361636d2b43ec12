#include "capi/support/registered_source.h"

#include <algorithm>
#include <cstring>

#include "base/math/checked.h"

namespace waybill::capi {

// What Alloc gave is remembered right before the block.
Result<BufferView> RegisteredSource::Take(size_t bytes, size_t align, MemoryTag tag) {
  const size_t grain = std::max(align, alignof(void*));
  const auto all = CheckedAdd(bytes, grain + sizeof(void*));
  void* const given = all ? allocator_->Alloc(allocator_, *all) : nullptr;
  if (given == nullptr) {
    return Error(Code::kOutOfMemory, "the registered allocator gave nothing for {} bytes of {}",
                 bytes, MemoryTagName(tag));
  }
  auto* const start = static_cast<std::byte*>(given) + sizeof(void*);
  const size_t beyond = reinterpret_cast<uintptr_t>(start) % grain;
  std::byte* const data = beyond == 0 ? start : start + (grain - beyond);
  std::memcpy(data - sizeof(void*), &given, sizeof(void*));
  return BufferView{data, bytes, {}};
}

void RegisteredSource::Give(BufferView block, MemoryTag) noexcept {
  void* given = nullptr;
  std::memcpy(&given, block.data - sizeof(void*), sizeof(void*));
  allocator_->Free(allocator_, given);
}

}  // namespace waybill::capi
