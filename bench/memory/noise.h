// Numbers for weights and inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waybill::bench {

// Numbers between -0.5 and 0.5 that look random.
class Noise {
 public:
  std::vector<float> Take(size_t count) {
    std::vector<float> values(count);
    for (float& value : values) {
      state_ = state_ * 1664525 + 1013904223;
      value = static_cast<float>(state_ >> 8) / (1 << 24) - 0.5f;
    }
    return values;
  }

 private:
  uint32_t state_ = 1;
};

}  // namespace waybill::bench
