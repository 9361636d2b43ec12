#include "memory/ledger/trace.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <thread>

namespace waybill {
namespace {

int64_t NowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// The small members of an event in one word, so that a slot is one cache line.
uint64_t Pack(const MemoryEvent& event) {
  const auto align = event.align == 0 ? 0xFF : static_cast<uint64_t>(std::countr_zero(event.align));
  return static_cast<uint64_t>(event.kind) | static_cast<uint64_t>(event.source) << 8 |
         static_cast<uint64_t>(event.tag) << 16 | static_cast<uint64_t>(event.reused) << 24 |
         static_cast<uint64_t>(event.device.kind) << 32 | align << 40 |
         static_cast<uint64_t>(static_cast<uint16_t>(event.device.index)) << 48;
}

void Unpack(uint64_t word, MemoryEvent& event) {
  const auto byte = [word](int shift) { return static_cast<uint8_t>(word >> shift); };
  event.kind = static_cast<EventKind>(byte(0));
  event.source = static_cast<EventSource>(byte(8));
  event.tag = static_cast<MemoryTag>(byte(16));
  event.reused = byte(24) != 0;
  event.device.kind = static_cast<DeviceKind>(byte(32));
  event.device.index = static_cast<int16_t>(static_cast<uint16_t>(word >> 48));
  event.align = byte(40) == 0xFF ? 0 : size_t{1} << byte(40);
}

}  // namespace

void EventTrace::Start() {
  const std::lock_guard lock(start_mutex_);
  if (storage_ == nullptr) {
    storage_ = std::make_unique<Slot[]>(kCapacity);
    slots_.store(storage_.get(), std::memory_order_release);
  }
  first_.store(next_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  on_.store(true, std::memory_order_release);
}

void EventTrace::Write(const MemoryEvent& event) noexcept {
  Slot* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return;
  const uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
  Slot& slot = slots[number % kCapacity];
  // A writer that a whole round overtook keeps the slot until it is done; then this event is lost.
  uint64_t seen = slot.stamp.load(std::memory_order_relaxed);
  if (seen > number || !slot.stamp.compare_exchange_strong(seen, kBusy, std::memory_order_acq_rel,
                                                           std::memory_order_relaxed)) {
    return;
  }
  // Release and, in Read, acquire: who sees a new word sees that the slot is busy, too.
  constexpr auto kOrder = std::memory_order_release;
  slot.block.store(event.block, kOrder);
  slot.bytes.store(event.bytes, kOrder);
  slot.time_ns.store(static_cast<uint64_t>(NowNs()), kOrder);
  slot.kinds.store(Pack(event), kOrder);
  slot.thread.store(std::hash<std::thread::id>()(std::this_thread::get_id()), kOrder);
  slot.stamp.store(number + 1, kOrder);
}

EventTrace::Reading EventTrace::Read() const {
  Reading reading;
  const Slot* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return reading;
  const uint64_t first = first_.load(std::memory_order_relaxed);
  const uint64_t end = next_.load(std::memory_order_relaxed);
  const uint64_t kept = end > kCapacity ? std::max(first, end - kCapacity) : first;
  reading.events.reserve(end - kept);
  for (uint64_t number = kept; number < end; ++number) {
    const Slot& slot = slots[number % kCapacity];
    constexpr auto kOrder = std::memory_order_acquire;
    if (slot.stamp.load(kOrder) != number + 1) continue;
    MemoryEvent event;
    event.block = slot.block.load(kOrder);
    event.bytes = slot.bytes.load(kOrder);
    event.time_ns = static_cast<int64_t>(slot.time_ns.load(kOrder));
    Unpack(slot.kinds.load(kOrder), event);
    event.thread = static_cast<uint32_t>(slot.thread.load(kOrder));
    if (slot.stamp.load(std::memory_order_relaxed) == number + 1) reading.events.push_back(event);
  }
  reading.lost = end - first - reading.events.size();
  return reading;
}

}  // namespace waybill
