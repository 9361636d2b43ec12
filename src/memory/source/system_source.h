// SystemSource: aligned blocks straight from the C library's heap, entered in the ledger.
#pragma once

#include <memory>

#include "memory/ledger/ledger.h"
#include "memory/source/source.h"

namespace waybill {

class SystemSource : public MemorySource {
 public:
  // `page` may be null: then nothing is counted (tests and stand-alone tools).
  explicit SystemSource(std::shared_ptr<DeviceLedger> page = nullptr) : page_(std::move(page)) {}

  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return {}; }

 private:
  std::shared_ptr<DeviceLedger> page_;
};

}  // namespace waybill
