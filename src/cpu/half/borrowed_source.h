// The memory of a PrepareContext as a MemorySource, for a kernel inside a kernel.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "kernel/api/prepare_context.h"
#include "memory/source/source.h"

namespace waybill::cpu {

// Blocks are packed weights, whatever tag is asked for. Thread-safe.
class BorrowedSource final : public MemorySource {
 public:
  // `context` is borrowed until Close.
  explicit BorrowedSource(kernel::PrepareContext& context) : context_(&context) {}

  // From here on nothing can be taken any more.
  void Close() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag) override {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return Error(Code::kInternal, "weights are packed before runs only");
    WB_ASSIGN_OR_RETURN(Buffer buffer, context_->AllocatePacked(bytes, align));
    const BufferView view = buffer.view();
    blocks_.emplace(view.data, std::move(buffer));
    return view;
  }

  void Give(BufferView block, MemoryTag) noexcept override {
    const std::lock_guard lock(mutex_);
    blocks_.erase(block.data);
  }

  Device device() const override { return {}; }

 private:
  std::mutex mutex_;
  kernel::PrepareContext* context_;
  std::map<const std::byte*, Buffer> blocks_;
};

}  // namespace waybill::cpu
