// How many threads a piece of work is worth.
#pragma once

#include <algorithm>
#include <cstddef>

namespace waybill {

// Work below which one more thread costs more than it brings, in nanoseconds: threads of a lease
// that are awake take about one microsecond to begin and to be waited for.
inline constexpr double kMinNsPerThread = 5000;

// Between 1 and max(width, 1). `ns`: about how long one thread would take; kernels multiply what
// they count (elements, bytes, multiplications) by what one takes on a current CPU.
inline size_t ThreadsFor(double ns, size_t width) {
  const double worth =
      std::clamp(ns / kMinNsPerThread, 1.0, static_cast<double>(std::max<size_t>(width, 1)));
  return static_cast<size_t>(worth);
}

inline size_t ThreadsFor(size_t count, double ns_each, size_t width) {
  return ThreadsFor(static_cast<double>(count) * ns_each, width);
}

}  // namespace waybill
