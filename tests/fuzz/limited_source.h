// A memory source under the limit of allocation_limit.h: tensors, weights and slabs.
#pragma once

#include <memory>
#include <utility>

#include "memory/source/source.h"
#include "tests/fuzz/allocation_limit.h"

namespace waybill::fuzz {

class LimitedSource : public MemorySource {
 public:
  explicit LimitedSource(std::shared_ptr<MemorySource> upstream) : upstream_(std::move(upstream)) {}

  // For session::EnvOptions::wrap_source.
  static std::shared_ptr<MemorySource> Wrap(std::shared_ptr<MemorySource> upstream) {
    return std::make_shared<LimitedSource>(std::move(upstream));
  }

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    CheckAllocation(bytes);
    return upstream_->Take(bytes, align, tag);
  }
  void Give(BufferView block, MemoryTag tag) noexcept override { upstream_->Give(block, tag); }
  Device device() const override { return upstream_->device(); }

 private:
  std::shared_ptr<MemorySource> upstream_;
};

}  // namespace waybill::fuzz
