#include "memory/ledger/ledger.h"

namespace waybill {

void DeviceLedger::Counters::Take(uint64_t bytes) noexcept {
  takes.fetch_add(1, std::memory_order_relaxed);
  const uint64_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t seen = peak.load(std::memory_order_relaxed);
  while (seen < now && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

void DeviceLedger::Counters::Give(uint64_t bytes) noexcept {
  gives.fetch_add(1, std::memory_order_relaxed);
  in_use.fetch_sub(bytes, std::memory_order_relaxed);
}

MemoryUse DeviceLedger::Counters::Read() const noexcept {
  MemoryUse use;
  use.bytes_in_use = in_use.load(std::memory_order_relaxed);
  use.peak_bytes = peak.load(std::memory_order_relaxed);
  use.takes = takes.load(std::memory_order_relaxed);
  use.gives = gives.load(std::memory_order_relaxed);
  return use;
}

void DeviceLedger::OnTake(size_t bytes, MemoryTag tag) noexcept {
  total_.Take(bytes);
  by_tag_[static_cast<size_t>(tag)].Take(bytes);
}

void DeviceLedger::OnGive(size_t bytes, MemoryTag tag) noexcept {
  total_.Give(bytes);
  by_tag_[static_cast<size_t>(tag)].Give(bytes);
}

DeviceUse DeviceLedger::Snapshot() const {
  DeviceUse use;
  use.device = device_;
  use.total = total_.Read();
  for (size_t i = 0; i < kMemoryTagCount; ++i) use.by_tag[i] = by_tag_[i].Read();
  return use;
}

void DeviceLedger::ResetPeaks() noexcept {
  const auto reset = [](Counters& counters) {
    counters.peak.store(counters.in_use.load(std::memory_order_relaxed), std::memory_order_relaxed);
  };
  reset(total_);
  for (Counters& counters : by_tag_) reset(counters);
}

std::shared_ptr<DeviceLedger> Ledger::ForDevice(Device device) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, page] : pages_) {
    if (known == device) return page;
  }
  pages_.emplace_back(device, std::make_shared<DeviceLedger>(device));
  return pages_.back().second;
}

std::vector<DeviceUse> Ledger::Snapshot() const {
  const std::lock_guard lock(mutex_);
  std::vector<DeviceUse> uses;
  uses.reserve(pages_.size());
  for (const auto& [device, page] : pages_) uses.push_back(page->Snapshot());
  return uses;
}

void Ledger::ResetPeaks() {
  const std::lock_guard lock(mutex_);
  for (const auto& [device, page] : pages_) page->ResetPeaks();
}

}  // namespace waybill
