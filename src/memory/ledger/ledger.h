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
#include "memory/ledger/tag.h"

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
};

// The page of one device. Thread-safe and lock-free; counters are relaxed, so a snapshot taken
// while others allocate may be off by the calls in flight.
class DeviceLedger {
 public:
  explicit DeviceLedger(Device device) : device_(device) {}
  DeviceLedger(const DeviceLedger&) = delete;
  DeviceLedger& operator=(const DeviceLedger&) = delete;

  void OnTake(size_t bytes, MemoryTag tag) noexcept;
  void OnGive(size_t bytes, MemoryTag tag) noexcept;
  DeviceUse Snapshot() const;
  // Peaks start again from what is in use now.
  void ResetPeaks() noexcept;

 private:
  struct Counters {
    std::atomic<uint64_t> in_use{0};
    std::atomic<uint64_t> peak{0};
    std::atomic<uint64_t> takes{0};
    std::atomic<uint64_t> gives{0};

    void Take(uint64_t bytes) noexcept;
    void Give(uint64_t bytes) noexcept;
    MemoryUse Read() const noexcept;
  };

  Device device_;
  Counters total_;
  std::array<Counters, kMemoryTagCount> by_tag_;
};

// The pages of all devices. Thread-safe.
class Ledger {
 public:
  // The device's page, made on first use; it lives on while the caller holds it.
  std::shared_ptr<DeviceLedger> ForDevice(Device device);

  // One entry per device that was ever asked for, in that order.
  std::vector<DeviceUse> Snapshot() const;
  void ResetPeaks();

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<Device, std::shared_ptr<DeviceLedger>>> pages_;
};

}  // namespace waybill
