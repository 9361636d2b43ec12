// HostSource: the heap for most blocks, huge pages for large ones that live as long as a session.
#pragma once

#include <memory>
#include <utility>

#include "memory/source/page_source.h"
#include "memory/source/system_source.h"

namespace waybill {

// Weights are streamed through again and again: in huge pages they cost neither page faults by the
// thousand at load nor misses in the address translation later. Other blocks come and go with runs,
// which mapped pages would make system calls of.
class HostSource : public MemorySource {
 public:
  explicit HostSource(std::shared_ptr<DeviceLedger> page = nullptr)
      : heap_(page), pages_(std::move(page)) {}

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    return InPages(bytes, tag) ? pages_.Take(bytes, align, tag) : heap_.Take(bytes, align, tag);
  }
  void Give(BufferView block, MemoryTag tag) noexcept override {
    InPages(block.bytes, tag) ? pages_.Give(block, tag) : heap_.Give(block, tag);
  }
  Device device() const override { return {}; }

 private:
  static bool InPages(size_t bytes, MemoryTag tag) {
    const bool lasts = tag == MemoryTag::kWeights || tag == MemoryTag::kPackedWeights;
    return lasts && bytes >= PageSource::kHugePageBytes;
  }

  SystemSource heap_;
  PageSource pages_;
};

}  // namespace waybill
