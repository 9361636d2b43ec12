// A stream of choices: from fuzzer bytes while there are any, then from a seeded generator, so that
// every input is a complete, repeatable decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace waybill::fuzz {

class Choices {
 public:
  explicit Choices(uint64_t seed, std::span<const uint8_t> bytes = {})
      : bytes_(bytes), state_(seed + 0x9E3779B97F4A7C15u) {}

  // A number in [0, n); 0 when n is 0.
  uint64_t Below(uint64_t n) { return n == 0 ? 0 : Next() % n; }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  bool Chance(uint64_t percent) { return Below(100) < percent; }
  // In [-1, 1].
  float Unit() { return static_cast<float>(Between(-1000, 1000)) / 1000.0f; }

 private:
  uint64_t Next() {
    if (used_ < bytes_.size()) return bytes_[used_++];
    // splitmix64
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  std::span<const uint8_t> bytes_;
  size_t used_ = 0;
  uint64_t state_;
};

}  // namespace waybill::fuzz
