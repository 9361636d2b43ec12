// The clocks of all measurements.
#pragma once

#include <cstdint>
#include <ctime>

namespace waybill::bench {

inline int64_t ReadClockNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

inline int64_t WallNs() { return ReadClockNs(CLOCK_MONOTONIC); }
// Of the calling thread: what other programs do to this one hardly shows in it.
inline int64_t ThreadCpuNs() { return ReadClockNs(CLOCK_THREAD_CPUTIME_ID); }
// Of all threads of this process.
inline int64_t ProcessCpuNs() { return ReadClockNs(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace waybill::bench
