// Doing something again and again with one allocation, or one Take of a source, failing each time.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/status/result.h"
#include "memory/source/failing_source.h"
#include "tests/support/alloc/alloc_hook.h"

namespace waybill::testing {

struct FailEachOptions {
  uint64_t first = 1;   // the first that fails
  uint64_t stride = 1;  // every stride-th from there on
  uint64_t limit = 100000;
  std::function<void()> after;  // called after each failure; may allocate
};

inline const Status& StatusOf(const Status& status) { return status; }
template <typename T>
Status StatusOf(const Result<T>& result) {
  return result.ok() ? Status::Ok() : result.status();
}

// What fn(), which returns a Status or a Result, came to; nothing for success and for running out
// of memory, the two things that it may come to.
template <typename Fn>
std::optional<std::string> UnexpectedOutcome(Fn&& fn) {
  try {
    const auto& result = fn();
    const Status& status = StatusOf(result);
    if (status.ok() || status.code() == Code::kOutOfMemory) return std::nullopt;
    return status.ToString();
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

// Calls attempt(n, fired) with n = first, first + stride ... until one says that nothing failed.
// Returns the number of failures.
template <typename Attempt>
uint64_t FailEach(const char* what, const FailEachOptions& options, Attempt&& attempt) {
  uint64_t failures = 0, unexpected = 0;
  for (uint64_t n = options.first; failures < options.limit; n += options.stride) {
    bool fired = false;
    const std::optional<std::string> outcome = attempt(n, fired);
    if (outcome) ADD_FAILURE() << what << " " << n << " failed, which led to: " << *outcome;
    if (options.after) options.after();
    if (!fired || (outcome && ++unexpected == 5)) break;
    ++failures;
  }
  return failures;
}

// Calls fn() with its first, second, third ... allocation failing, until it gets through without a
// failure. A test failure when the outcome is neither success (the memory was optional) nor out of
// memory. Nothing may leak or crash on the way: run it under the address sanitizer.
template <typename Fn>
uint64_t FailEachAllocation(Fn&& fn, const FailEachOptions& options = {}) {
  return FailEach("allocation", options, [&](uint64_t n, bool& fired) {
    FailingAllocation failing(n);
    auto outcome = UnexpectedOutcome(fn);
    fired = failing.fired();
    return outcome;
  });
}

// The same with the Takes of `source`.
template <typename Fn>
uint64_t FailEachTake(FailingSource& source, Fn&& fn, const FailEachOptions& options = {}) {
  return FailEach("take", options, [&](uint64_t n, bool& fired) {
    source.FailAt(n);
    auto outcome = UnexpectedOutcome(fn);
    fired = source.takes() >= n;
    source.FailAt(0);
    return outcome;
  });
}

}  // namespace waybill::testing
