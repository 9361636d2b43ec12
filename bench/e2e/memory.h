// What a session costs in memory.
#pragma once

#include <cstddef>
#include <functional>

namespace waybill::bench {

struct MemoryGrowth {
  size_t resident_bytes = 0;  // after the work, above what was there before
  size_t peak_bytes = 0;      // at most during the work, above what was there before
};

// Does `prepare`, then `work` in a forked child and tells what `work` added; what it leaves must
// still be alive when it returns. Zeros when the child dies. The caller has no other threads.
MemoryGrowth MeasureMemory(const std::function<void()>& prepare, const std::function<void()>& work);

}  // namespace waybill::bench
