#include "memory/source/idle_timer.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <thread>

namespace waybill {

namespace {

// Longer periods, beyond the clock's range or not, are as good as this one: 34 years.
constexpr std::chrono::milliseconds kLongestPeriod{int64_t{1} << 40};

}  // namespace

struct IdleTimer::State {
  const pid_t pid = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  bool armed = false;
  bool stopping = false;
  std::thread thread;

  void Serve(std::chrono::milliseconds period, const std::function<bool()>& tick) {
    pthread_setname_np(pthread_self(), "waybill-idle");
    std::unique_lock lock(mutex);
    while (!stopping) {
      if (!armed) {
        changed.wait(lock);
        continue;
      }
      const auto until = std::chrono::steady_clock::now() + period;
      changed.wait_until(lock, until, [this] { return stopping; });
      if (stopping) return;
      // What arms the timer while it ticks shall not be lost.
      armed = false;
      lock.unlock();
      const bool again = tick();
      lock.lock();
      armed |= again;
    }
  }
};

IdleTimer::IdleTimer(std::chrono::milliseconds period, std::function<bool()> tick)
    : period_(std::min(period, kLongestPeriod)), tick_(std::move(tick)) {}

IdleTimer::~IdleTimer() {
  if (state_ == nullptr) return;
  if (state_->pid != getpid()) {
    // The thread of a parent process can be neither stopped nor freed here.
    (void)state_.release();
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

IdleTimer::State* IdleTimer::Running() try {
  const std::lock_guard lock(mutex_);
  if (state_ != nullptr && state_->pid == getpid()) return state_.get();
  auto fresh = std::make_unique<State>();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    fresh->thread = std::thread([this, state = fresh.get()] { state->Serve(period_, tick_); });
  } catch (const std::exception&) {
    fresh = nullptr;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (fresh == nullptr) return nullptr;
  (void)state_.release();
  state_ = std::move(fresh);
  return state_.get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void IdleTimer::Arm() noexcept {
  State* const state = Running();
  if (state == nullptr) return;
  {
    const std::lock_guard lock(state->mutex);
    if (state->armed) return;
    state->armed = true;
  }
  state->changed.notify_one();
}

}  // namespace waybill
