// Sleeping on a word until somebody changes it, and the pause of a spinning thread.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace waybill::parallel_internal {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

// Returns at once when the word is not `value` any more; may return early.
inline void FutexWait(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void FutexWakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // `yield` takes no time where a core has one thread, so that the loop would read the word of a
  // busy thread without a break; this waits for what is under way, about as long as x86's pause.
  asm volatile("isb" ::: "memory");
#endif
}

// Asks `done` again and again, for about `budget_ns`. False: the time is over.
template <typename Done>
bool Spin(int64_t budget_ns, Done&& done) {
  constexpr int kAsksPerClock = 16;
  const auto now_ns = [] {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
  };
  const int64_t end_ns = now_ns() + budget_ns;
  do {
    for (int i = 0; i < kAsksPerClock; ++i) {
      if (done()) return true;
      Pause();
    }
  } while (now_ns() < end_ns);
  return done();
}

}  // namespace waybill::parallel_internal
