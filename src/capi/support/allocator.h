// Our own allocators: OrtAllocator callbacks over the environment's CPU source.
#pragma once

#include "capi/handles.h"

namespace waybill::capi {

// The default allocator, or one that CreateAllocator made; for these the bytes of a tensor may come
// straight from the source.
bool IsOurs(const OrtAllocator* allocator);

}  // namespace waybill::capi
