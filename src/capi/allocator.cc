// Allocators. OrtAllocator frees without a size and sources want it back, so each block has a
// header in front that remembers its source.
#include "capi/support/allocator.h"

#include <new>

#include "base/math/checked.h"
#include "capi/report/allocator_stats.h"
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

// What a block's header needs comes on top.
template <typename Take>
Result<void*> TakeBlock(std::shared_ptr<MemorySource> source, size_t size, Take&& take) {
  if (size == 0) return nullptr;
  if (size > SIZE_MAX - kHeaderBytes) {
    return Error(Code::kOutOfMemory, "{} bytes are beyond the address space", size);
  }
  WB_ASSIGN_OR_RETURN(const BufferView block, take(*source, size + kHeaderBytes));
  ::new (block.data) Header{std::move(source), block};
  return block.data + kHeaderBytes;
}

// The callbacks have nothing to say why with.
template <typename Take>
void* BlockOrNull(Take&& take) noexcept {
  try {
    const Result<void*> block = take();
    return block.ok() ? *block : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* Alloc(OrtAllocator* self, size_t size) {
  return BlockOrNull([&] { return AllocateFromOurs(self, size); });
}

void* Reserve(OrtAllocator* self, size_t size) {
  const auto& arena = static_cast<OwnAllocator*>(self)->arena;
  if (arena == nullptr) return Alloc(self, size);
  return BlockOrNull([&] {
    return TakeBlock(arena, size, [&](MemorySource&, size_t bytes) {
      return arena->Reserve(bytes, kBlockAlign);
    });
  });
}

void GiveBlock(void* p) noexcept {
  if (p == nullptr) return;
  auto* header = std::launder(reinterpret_cast<Header*>(static_cast<std::byte*>(p) - kHeaderBytes));
  const Header copy = *header;
  header->~Header();
  copy.source->Give(copy.block, MemoryTag::kUser);
}

// By the names of ONNX Runtime: those of the arena; of the environment, if there is one, for an
// allocator without.
OrtStatus* GetStats(const OrtAllocator* self, OrtKeyValuePairs** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    auto pairs = std::make_unique<OrtKeyValuePairs>();
    const auto& own = *static_cast<const OwnAllocator*>(self);
    if (own.arena != nullptr) {
      FillStats(own.arena->Stats(), *pairs);
    } else if (own.source != nullptr) {
      // The caller's own memory: it knows.
    } else if (const std::shared_ptr<session::Env> env = LiveEnv()) {
      FillStats(env->hub(), *pairs);
    }
    pairs->Sync();
    *out = pairs.release();
    return Status::Ok();
  });
}

OwnAllocator& DefaultAllocator() {
  static OwnAllocator allocator(CpuMemory());
  return allocator;
}

}  // namespace

OwnAllocator::OwnAllocator(const OrtMemoryInfo& where, std::shared_ptr<Arena> blocks,
                           std::shared_ptr<MemorySource> other)
    : OrtAllocator{}, memory(where), arena(std::move(blocks)), source(std::move(other)) {
  version = ORT_API_VERSION;
  OrtAllocator::Alloc = capi::Alloc;
  OrtAllocator::Free = [](OrtAllocator*, void* p) { GiveBlock(p); };
  OrtAllocator::Info = [](const OrtAllocator* self) {
    return &static_cast<const OwnAllocator*>(self)->memory;
  };
  OrtAllocator::Reserve = capi::Reserve;
  OrtAllocator::GetStats = capi::GetStats;
}

bool IsOurs(const OrtAllocator* allocator) { return allocator->Alloc == capi::Alloc; }

std::shared_ptr<MemorySource> SourceOf(const OrtAllocator* allocator) {
  if (IsOurs(allocator)) {
    const auto& own = *static_cast<const OwnAllocator*>(allocator);
    if (own.arena != nullptr) return own.arena;
    if (own.source != nullptr) return own.source;
  }
  return CpuSource();
}

Result<void*> AllocateFromOurs(const OrtAllocator* allocator, size_t bytes) {
  return TakeBlock(SourceOf(allocator), bytes, [](MemorySource& source, size_t with_header) {
    return source.Take(with_header, kBlockAlign, MemoryTag::kUser);
  });
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
    *out = new OwnAllocator(*mem_info, session->arena, session->registered);
    return Status::Ok();
  });
}

void ReleaseAllocator(OrtAllocator* input) {
  if (input == nullptr || input == &DefaultAllocator()) return;
  auto* own = static_cast<OwnAllocator*>(input);
  if (!own->lent) delete own;
}

}  // namespace waybill::capi
