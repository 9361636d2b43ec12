// PageSource: whole pages mapped from the kernel, for few and large blocks that are kept for long.
#pragma once

#include <memory>

#include "memory/ledger/ledger.h"
#include "memory/source/source.h"

namespace waybill {

// Blocks come zeroed and are rounded up to whole pages. Blocks of 2 MiB and more begin on a 2 MiB
// boundary and ask for huge pages as far as they cover them whole; their tail stays in small pages.
// Every Take and Give is a system call, so it belongs beneath a pool.
class PageSource : public MemorySource {
 public:
  static constexpr size_t kHugePageBytes = size_t{2} << 20;

  // `page` may be null: then nothing is counted.
  explicit PageSource(std::shared_ptr<DeviceLedger> page = nullptr) : page_(std::move(page)) {}

  // Errors: as MemorySource::Take; kInvalidArgument for an alignment above 2 MiB.
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override;
  void Give(BufferView block, MemoryTag tag) noexcept override;
  Device device() const override { return {}; }

 private:
  std::shared_ptr<DeviceLedger> page_;
};

}  // namespace waybill
