// What this CPU can do at most, now: one thread, by its CPU time.
#pragma once

#include <cstddef>

namespace waybill::bench {

// Single-precision operations per second, a fused multiply-add counted as two.
double FmaPeak();

// Bytes per second that are read from a buffer of this size, again and again.
double ReadBandwidth(size_t bytes);

// Bytes per second, read and written ones added, when a buffer is copied to another of its size.
// `bytes` is both together.
double CopyBandwidth(size_t bytes);

}  // namespace waybill::bench
