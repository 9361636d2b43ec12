// HostSource: the heap for most blocks, pages of their own for weights that are large.
#pragma once

#include <memory>
#include <utility>

#include "base/file/page_bytes.h"
#include "memory/source/page_source.h"
#include "memory/source/system_source.h"

namespace waybill {

// Weights are streamed through again and again: in huge pages they cost neither page faults by the
// thousand at load nor misses in the address translation later. Smaller ones, and what folding
// makes of them, mostly goes when it is packed, or with its session: a heap would keep the memory.
// Other blocks come and go with runs, which mapped pages would make system calls of.
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
  // A page's rounding is 3 % of it.
  static size_t LeastPageBlock() { return 32 * PageBytes(); }

  static bool InPages(size_t bytes, MemoryTag tag) {
    const bool is_weight =
        tag == MemoryTag::kWeights || tag == MemoryTag::kPackedWeights || tag == MemoryTag::kFolded;
    return is_weight && bytes >= LeastPageBlock();
  }

  SystemSource heap_;
  PageSource pages_;
};

}  // namespace waybill
