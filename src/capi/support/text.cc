#include "capi/support/text.h"

#include <cstring>

#include "capi/support/allocator.h"

namespace waybill::capi {

Result<void*> AllocateFrom(OrtAllocator* allocator, size_t bytes) {
  if (IsOurs(allocator)) return AllocateFromOurs(allocator, bytes);
  void* block = allocator->Alloc(allocator, bytes);
  if (block == nullptr && bytes != 0) {
    return Error(Code::kOutOfMemory, "the allocator refused {} bytes", bytes);
  }
  return block;
}

Result<char*> CopyText(OrtAllocator* allocator, std::string_view text) {
  WB_ASSIGN_OR_RETURN(void* block, AllocateFrom(allocator, text.size() + 1));
  auto* out = static_cast<char*>(block);
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

Status CopyToSizedBuffer(std::string_view text, char* buffer, size_t* size) {
  const size_t needed = text.size() + 1;
  if (buffer != nullptr) {
    if (*size < needed) {
      const size_t given = *size;
      *size = needed;
      return Error(Code::kInvalidArgument, "the buffer has {} bytes, the text needs {}", given,
                   needed);
    }
    std::memcpy(buffer, text.data(), text.size());
    buffer[text.size()] = '\0';
  }
  *size = needed;
  return Status::Ok();
}

}  // namespace waybill::capi
