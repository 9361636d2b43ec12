// What this CPU can do at most, now: one thread, by its CPU time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waybill::bench {

enum class RoofKind {
  kFma,   // single-precision operations, a fused multiply-add counted as two
  kRead,  // bytes read from a buffer
  kCopy,  // bytes read from one buffer and written to another, added
};

struct Work {
  RoofKind kind;
  double units;  // of one run: operations for kFma, else bytes
};

// Measures the roof in rounds, so that they can take turns with what is held against it: both then
// meet the same clock frequency and the same neighbours.
class Roof {
 public:
  // `bytes` is the size of the buffer, of both together for kCopy.
  Roof(RoofKind kind, size_t bytes);

  // Works for about so long. Returns units per second.
  double Round(int64_t ns);

 private:
  double WorkOnce();

  RoofKind kind_;
  std::vector<float> from_, to_;
};

}  // namespace waybill::bench
