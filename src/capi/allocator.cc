// Allocators. OrtAllocator frees without a size and sources want it back, so each block has a
// header in front that remembers its source.
#include "capi/support/allocator.h"

#include <new>

#include "base/math/checked.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/text.h"
#include "memory/source/source.h"

namespace waybill::capi {
namespace {

struct Header {
  std::shared_ptr<MemorySource> source;
  BufferView block;
};
constexpr size_t kHeaderBytes = kBlockAlign;
static_assert(sizeof(Header) <= kHeaderBytes);

void* TakeBlock(size_t size) noexcept {
  if (size == 0 || size > SIZE_MAX - kHeaderBytes) return nullptr;
  try {
    std::shared_ptr<MemorySource> source = CpuSource();
    Result<BufferView> block = source->Take(size + kHeaderBytes, kBlockAlign, MemoryTag::kUser);
    if (!block.ok()) return nullptr;
    ::new (block->data) Header{std::move(source), *block};
    return block->data + kHeaderBytes;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void GiveBlock(void* p) noexcept {
  if (p == nullptr) return;
  auto* header = std::launder(reinterpret_cast<Header*>(static_cast<std::byte*>(p) - kHeaderBytes));
  const Header copy = *header;
  header->~Header();
  copy.source->Give(copy.block, MemoryTag::kUser);
}

OrtStatus* EmptyStats(const OrtAllocator*, OrtKeyValuePairs** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    *out = new OrtKeyValuePairs;
    return Status::Ok();
  });
}

struct OwnAllocator : OrtAllocator {
  explicit OwnAllocator(const OrtMemoryInfo& where) : OrtAllocator{}, memory(where) {
    version = ORT_API_VERSION;
    OrtAllocator::Alloc = [](OrtAllocator*, size_t size) { return TakeBlock(size); };
    OrtAllocator::Free = [](OrtAllocator*, void* p) { GiveBlock(p); };
    OrtAllocator::Info = [](const OrtAllocator* self) {
      return &static_cast<const OwnAllocator*>(self)->memory;
    };
    OrtAllocator::Reserve = OrtAllocator::Alloc;
    OrtAllocator::GetStats = EmptyStats;
  }
  OrtMemoryInfo memory;
};

OwnAllocator& DefaultAllocator() {
  static OwnAllocator allocator(CpuMemory());
  return allocator;
}

}  // namespace

bool IsOurs(const OrtAllocator* allocator) {
  return allocator->Alloc == DefaultAllocator().OrtAllocator::Alloc;
}

OrtStatus* GetAllocatorWithDefaultOptions(OrtAllocator** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    *out = &DefaultAllocator();
    return Status::Ok();
  });
}

OrtStatus* AllocatorAlloc(OrtAllocator* ort_allocator, size_t size, void** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ort_allocator);
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(*out, AllocateFrom(ort_allocator, size));
    return Status::Ok();
  });
}

OrtStatus* AllocatorFree(OrtAllocator* ort_allocator, void* p) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ort_allocator);
    if (p != nullptr) ort_allocator->Free(ort_allocator, p);
    return Status::Ok();
  });
}

OrtStatus* AllocatorGetInfo(const OrtAllocator* ort_allocator, const OrtMemoryInfo** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ort_allocator);
    WB_NOT_NULL(out);
    *out = ort_allocator->Info(ort_allocator);
    return Status::Ok();
  });
}

OrtStatus* AllocatorGetStats(const OrtAllocator* ort_allocator, OrtKeyValuePairs** out) {
  constexpr uint32_t kFirstWithStats = 23;
  OrtStatus* failed = Guard([&]() -> Status {
    WB_NOT_NULL(ort_allocator);
    WB_NOT_NULL(out);
    if (ort_allocator->version < kFirstWithStats || ort_allocator->GetStats == nullptr) {
      return Error(Code::kNotImplemented, "the allocator has no statistics");
    }
    return Status::Ok();
  });
  return failed != nullptr ? failed : ort_allocator->GetStats(ort_allocator, out);
}

OrtStatus* CreateAllocator(const OrtSession* session, const OrtMemoryInfo* mem_info,
                           OrtAllocator** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(mem_info);
    WB_NOT_NULL(out);
    if (mem_info->device_type != OrtMemoryInfoDeviceType_CPU) {
      return Error(Code::kInvalidArgument, "the session has no allocator for '{}' memory",
                   mem_info->name);
    }
    *out = new OwnAllocator(*mem_info);
    return Status::Ok();
  });
}

void ReleaseAllocator(OrtAllocator* input) {
  if (input == nullptr || input == &DefaultAllocator()) return;
  delete static_cast<OwnAllocator*>(input);
}

}  // namespace waybill::capi
