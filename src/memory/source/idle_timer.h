// IdleTimer: something to do from time to time for as long as there is a reason to.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

namespace waybill {

// One thread, started by the first Arm, that sleeps without a limit while the timer is not armed.
// In a forked child, where it does not run, the next Arm starts another. Thread-safe.
class IdleTimer {
 public:
  // Calls `tick` once per `period` while armed; a tick that returns false disarms.
  IdleTimer(std::chrono::milliseconds period, std::function<bool()> tick);
  IdleTimer(const IdleTimer&) = delete;
  IdleTimer& operator=(const IdleTimer&) = delete;
  // Waits for a tick that is under way.
  ~IdleTimer();

  // Where the system gives no thread nothing is called, and the next Arm tries again.
  void Arm() noexcept;

 private:
  struct State;
  // The state of this process, with a thread that runs; null where there is none.
  State* Running();

  const std::chrono::milliseconds period_;
  const std::function<bool()> tick_;
  std::mutex mutex_;  // of state_ itself
  std::unique_ptr<State> state_;
};

}  // namespace waybill
