// What the operating system says of this process, and children to try things in.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace waybill::test {

// Whether memory and time of this build tell nothing about what users get.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// Skips a test that measures memory of the process.
#define WAYBILL_MEASURES_MEMORY() \
  if (::waybill::test::kSanitized) GTEST_SKIP() << "memory of a sanitizer's build is its own"

// Anonymous bytes that are resident, counted page by page (/proc/self/smaps_rollup).
size_t AnonymousBytes();
// All resident bytes, those of mapped files too.
size_t ResidentBytes();
// The most that ResidentBytes was since the last ResetPeak; 0 where the kernel does not tell.
size_t PeakResidentBytes();
void ResetPeak();

size_t ThreadCount();
// CPU time of all threads of this process.
double CpuSeconds();

// What a forked child came to: its exit code (254 where an expectation failed in it), or minus the
// signal that ended it (minus SIGALRM when it ran longer than the limit), and everything that it
// wrote to stdout and stderr.
struct ChildResult {
  int exit_code = 0;
  std::string output;
};
ChildResult InChild(const std::function<int()>& body, unsigned limit_seconds = 60);

}  // namespace waybill::test
