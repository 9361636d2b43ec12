// Text handed to callers in memory of their allocator.
#pragma once

#include <string_view>

#include "base/status/result.h"
#include "onnxruntime_c_api.h"

namespace waybill::capi {

// `bytes` of the allocator's memory; null for none of them. Errors: kOutOfMemory, of our own
// allocators with what they may have and have given out.
Result<void*> AllocateFrom(OrtAllocator* allocator, size_t bytes);

// A NUL-terminated copy of `text`.
Result<char*> CopyText(OrtAllocator* allocator, std::string_view text);

// "size of a buffer that the caller asked for by a first call with NULL": copies `text` with its
// NUL to `buffer` of `*size` bytes and sets `*size` to what it needs.
// Errors: kInvalidArgument when the buffer is too short.
Status CopyToSizedBuffer(std::string_view text, char* buffer, size_t* size);

}  // namespace waybill::capi
