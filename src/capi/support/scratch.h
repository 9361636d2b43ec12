// A list whose length is known when it is made, on the stack as long as it is short: what a run
// needs, without the heap.
#pragma once

#include "session/io/small_array.h"

namespace waybill::capi {

template <typename T, size_t kInline = 16>
using Scratch = session::SmallArray<T, kInline>;

}  // namespace waybill::capi
