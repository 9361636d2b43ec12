#include "memory/source/failing_source.h"

namespace waybill {

Result<BufferView> FailingSource::Take(size_t bytes, size_t align, MemoryTag tag) {
  const uint64_t n = taken_.fetch_add(1, std::memory_order_relaxed) + 1;
  const uint64_t at = fail_at_.load(std::memory_order_relaxed);
  if (at != 0 && (n == at || (n > at && and_later_.load(std::memory_order_relaxed)))) {
    return Error(Code::kOutOfMemory, "take {} of {} bytes for {} was refused by a test", n, bytes,
                 MemoryTagName(tag));
  }
  return upstream_->Take(bytes, align, tag);
}

}  // namespace waybill
