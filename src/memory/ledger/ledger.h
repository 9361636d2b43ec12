// The ledger: how many bytes of each device are out, for what. Sources write it, reports read it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/device/device.h"
#include "memory/ledger/event.h"
#include "memory/ledger/tag.h"
#include "memory/ledger/trace.h"

namespace waybill {

// Use of one device for one tag, or for all of them. Bytes are those of whole blocks, so rounding
// to the block alignment is in them.
struct MemoryUse {
  uint64_t bytes_in_use = 0;
  uint64_t peak_bytes = 0;  // largest bytes_in_use so far, or since the last ResetPeaks
  uint64_t takes = 0;
  uint64_t gives = 0;

  bool operator==(const MemoryUse&) const = default;
};

struct DeviceUse {
  Device device;
  MemoryUse total;
  std::array<MemoryUse, kMemoryTagCount> by_tag = {};
  // Sum of the bytes of all takes so far, whether they came back or not.
  std::array<uint64_t, kMemoryTagCount> taken_bytes = {};
  uint64_t largest_bytes = 0;  // of one block so far
  // The part of total.bytes_in_use that is handed out: all but slabs that no run has. And its peak.
  uint64_t used_bytes = 0, peak_used_bytes = 0;
  uint64_t leased_bytes = 0, peak_leased_bytes = 0;  // of slabs alone; the peak is of all time
};

// A block as the source sees that hands it out. `bytes` are those of the whole block.
struct BlockNote {
  const void* data = nullptr;
  size_t bytes = 0;
  size_t align = 0;  // that was asked for; 0 when the block comes back
  MemoryTag tag = MemoryTag::kUser;
  EventSource source = EventSource::kHeap;
};

// The page of one device. Thread-safe and lock-free; counters are relaxed, so a snapshot taken
// while others allocate may be off by the calls in flight.
class DeviceLedger {
 public:
  // `trace` may be null: then only counters are kept.
  explicit DeviceLedger(Device device, std::shared_ptr<EventTrace> trace = nullptr)
      : device_(device), trace_(std::move(trace)) {}
  DeviceLedger(const DeviceLedger&) = delete;
  DeviceLedger& operator=(const DeviceLedger&) = delete;

  // Bytes from the operating system and back: counted, and traced.
  void OnTake(const BlockNote& block) noexcept;
  void OnGive(const BlockNote& block) noexcept;
  void OnTake(size_t bytes, MemoryTag tag) noexcept { OnTake(BlockNote{nullptr, bytes, 0, tag}); }
  void OnGive(size_t bytes, MemoryTag tag) noexcept { OnGive(BlockNote{nullptr, bytes, 0, tag}); }

  // A pool serves a block from bytes that were entered as taken, and gets it back. Slabs count as
  // used and leased meanwhile. Blocks with another tag were taken for that tag, or, `reused`, are
  // idle and count as slabs' until they are served; when they return they do so again.
  void OnServe(const BlockNote& block, bool reused) noexcept;
  void OnReturn(const BlockNote& block) noexcept;

  // Of slabs that are served; without the rest of the snapshot.
  uint64_t leased_bytes() const noexcept { return leased_.bytes.load(std::memory_order_relaxed); }
  DeviceUse Snapshot() const;
  // Peaks start again from what is in use now.
  void ResetPeaks() noexcept;

 private:
  // Bytes out now and the most so far.
  struct Level {
    std::atomic<uint64_t> bytes{0};
    std::atomic<uint64_t> peak{0};  // grows only, but for ResetPeak

    void Add(uint64_t more) noexcept;
    void Sub(uint64_t less) noexcept { bytes.fetch_sub(less, std::memory_order_relaxed); }
    void ResetPeak() noexcept;
  };
  // Threads that take for different purposes do not share a cache line.
  struct alignas(64) Counters {
    Level level;
    std::atomic<uint64_t> takes{0};
    std::atomic<uint64_t> gives{0};
    std::atomic<uint64_t> taken_bytes{0};
  };

  void Move(size_t bytes, MemoryTag from, MemoryTag to) noexcept;
  void Trace(const BlockNote& block, EventKind kind, bool reused) noexcept;

  Device device_;
  std::shared_ptr<EventTrace> trace_;
  // On one line: whoever writes one of them writes another, and waits for one line only.
  alignas(64) Level leased_;
  Level used_, total_;
  std::atomic<uint64_t> largest_{0};
  std::array<Counters, kMemoryTagCount> by_tag_;
};

// The pages of all devices and the trace of their events. Thread-safe.
class Ledger {
 public:
  EventTrace& trace() const { return *trace_; }

  // The device's page, made on first use; it lives on while the caller holds it.
  std::shared_ptr<DeviceLedger> ForDevice(Device device);

  // One entry per device that was ever asked for, in that order.
  std::vector<DeviceUse> Snapshot() const;
  void ResetPeaks();

 private:
  const std::shared_ptr<EventTrace> trace_ = std::make_shared<EventTrace>();
  mutable std::mutex mutex_;
  std::vector<std::pair<Device, std::shared_ptr<DeviceLedger>>> pages_;
};

}  // namespace waybill
