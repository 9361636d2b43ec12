#include "memory/ledger/ledger.h"

namespace waybill {

namespace {

void RaiseTo(std::atomic<uint64_t>& most, uint64_t value) noexcept {
  uint64_t seen = most.load(std::memory_order_relaxed);
  while (seen < value && !most.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

void DeviceLedger::Level::Add(uint64_t more) noexcept {
  RaiseTo(peak, bytes.fetch_add(more, std::memory_order_relaxed) + more);
}

void DeviceLedger::Level::ResetPeak() noexcept {
  peak.store(bytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void DeviceLedger::Trace(const BlockNote& block, EventKind kind, bool reused) noexcept {
  if (trace_ == nullptr || !trace_->on()) return;
  MemoryEvent event;
  event.kind = kind;
  event.source = block.source;
  event.tag = block.tag;
  event.reused = reused;
  event.device = device_;
  event.bytes = block.bytes;
  event.align = block.align;
  event.block = reinterpret_cast<uintptr_t>(block.data);
  trace_->Record(event);
}

void DeviceLedger::OnTake(const BlockNote& block) noexcept {
  Counters& counters = by_tag_[static_cast<size_t>(block.tag)];
  counters.takes.fetch_add(1, std::memory_order_relaxed);
  counters.taken_bytes.fetch_add(block.bytes, std::memory_order_relaxed);
  counters.level.Add(block.bytes);
  total_.Add(block.bytes);
  if (block.tag != MemoryTag::kSlab) used_.Add(block.bytes);
  RaiseTo(largest_, block.bytes);
  Trace(block, EventKind::kTake, false);
}

void DeviceLedger::OnGive(const BlockNote& block) noexcept {
  Counters& counters = by_tag_[static_cast<size_t>(block.tag)];
  counters.gives.fetch_add(1, std::memory_order_relaxed);
  counters.level.Sub(block.bytes);
  total_.Sub(block.bytes);
  if (block.tag != MemoryTag::kSlab) used_.Sub(block.bytes);
  Trace(block, EventKind::kGive, false);
}

void DeviceLedger::Move(size_t bytes, MemoryTag from, MemoryTag to) noexcept {
  Counters& before = by_tag_[static_cast<size_t>(from)];
  before.gives.fetch_add(1, std::memory_order_relaxed);
  before.level.Sub(bytes);
  Counters& after = by_tag_[static_cast<size_t>(to)];
  after.takes.fetch_add(1, std::memory_order_relaxed);
  after.level.Add(bytes);
}

void DeviceLedger::OnServe(const BlockNote& block, bool reused) noexcept {
  const bool is_slab = block.tag == MemoryTag::kSlab;
  if (is_slab) leased_.Add(block.bytes);
  if (is_slab || reused) used_.Add(block.bytes);
  if (!is_slab && reused) {
    Move(block.bytes, MemoryTag::kSlab, block.tag);
    by_tag_[static_cast<size_t>(block.tag)].taken_bytes.fetch_add(block.bytes,
                                                                  std::memory_order_relaxed);
  }
  Trace(block, EventKind::kTake, reused);
}

void DeviceLedger::OnReturn(const BlockNote& block) noexcept {
  if (block.tag == MemoryTag::kSlab) {
    leased_.Sub(block.bytes);
  } else {
    Move(block.bytes, block.tag, MemoryTag::kSlab);
  }
  used_.Sub(block.bytes);
  Trace(block, EventKind::kGive, false);
}

DeviceUse DeviceLedger::Snapshot() const {
  const auto read = [](const std::atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  DeviceUse use;
  use.device = device_;
  use.total.bytes_in_use = read(total_.bytes);
  use.total.peak_bytes = read(total_.peak);
  use.largest_bytes = read(largest_);
  use.used_bytes = read(used_.bytes);
  use.peak_used_bytes = read(used_.peak);
  use.leased_bytes = read(leased_.bytes);
  use.peak_leased_bytes = read(leased_.peak);
  for (size_t i = 0; i < kMemoryTagCount; ++i) {
    const Counters& counters = by_tag_[i];
    use.by_tag[i] = {read(counters.level.bytes), read(counters.level.peak), read(counters.takes),
                     read(counters.gives)};
    use.taken_bytes[i] = read(counters.taken_bytes);
    use.total.takes += use.by_tag[i].takes;
    use.total.gives += use.by_tag[i].gives;
  }
  return use;
}

void DeviceLedger::ResetPeaks() noexcept {
  total_.ResetPeak();
  used_.ResetPeak();
  for (Counters& counters : by_tag_) counters.level.ResetPeak();
}

std::shared_ptr<DeviceLedger> Ledger::ForDevice(Device device) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, page] : pages_) {
    if (known == device) return page;
  }
  pages_.emplace_back(device, std::make_shared<DeviceLedger>(device, trace_));
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
