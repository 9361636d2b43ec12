// EventTrace: the last events of the memory of a process, for drawing them. Off until somebody
// asks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/ledger/event.h"

namespace waybill {

// A ring that many threads write without waiting for each other. Off, an event costs one relaxed
// load; on, a clock reading and a few stores. Thread-safe.
class EventTrace {
 public:
  // Events that are kept; older ones give way.
  static constexpr uint64_t kCapacity = uint64_t{1} << 16;

  EventTrace() = default;
  EventTrace(const EventTrace&) = delete;
  EventTrace& operator=(const EventTrace&) = delete;

  // Begins to record and forgets what was recorded before. The ring of some 3 MB is taken at the
  // first Start and kept. Throws std::bad_alloc.
  void Start();
  void Stop() { on_.store(false, std::memory_order_release); }
  bool on() const { return on_.load(std::memory_order_relaxed); }

  // `time_ns` and `thread` are filled in.
  void Record(const MemoryEvent& event) noexcept {
    if (on()) Write(event);
  }

  struct Reading {
    std::vector<MemoryEvent> events;  // in the order of their numbers
    uint64_t lost = 0;                // recorded since Start, but not kept
  };
  // Whether it is on or off. Events in the middle of being written count as lost.
  Reading Read() const;

 private:
  struct Slot {
    std::atomic<uint64_t> stamp{0};  // number of the event + 1; 0: none, kBusy: being written
    std::atomic<uint64_t> block{0}, bytes{0}, time_ns{0}, kinds{0}, thread{0};
  };
  static constexpr uint64_t kBusy = UINT64_MAX;

  void Write(const MemoryEvent& event) noexcept;

  std::atomic<bool> on_{false};
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> first_{0};
  std::atomic<Slot*> slots_{nullptr};
  std::mutex start_mutex_;
  std::unique_ptr<Slot[]> storage_;  // guarded by start_mutex_
};

}  // namespace waybill
