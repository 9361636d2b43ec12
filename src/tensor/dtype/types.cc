#include "tensor/dtype/types.h"

#include <bit>

namespace waybill {

F8E8M0 F8E8M0::FromFloat(float value, Round round, bool saturate) {
  const uint32_t magnitude = std::bit_cast<uint32_t>(value) & 0x7FFFFFFFu;
  uint32_t exponent = magnitude >> 23;
  const uint32_t mantissa = magnitude & 0x7FFFFFu;
  if (exponent == 0xFF) return FromBits(0xFF);
  // Between two powers of two the middle is 1.5 times the lower one. Below 2^-126 the only powers
  // are 2^-127 (mantissa 0x400000, code 0) and what lies under it, which code 0 stands for too.
  bool up = false;
  if (exponent == 0) {
    up = round == Round::kUp ? mantissa > 0x400000u
                             : round == Round::kNearest && mantissa >= 0x600000u;
  } else {
    up = round == Round::kUp ? mantissa != 0 : round == Round::kNearest && mantissa >= 0x400000u;
  }
  if (up && !(exponent == 0xFE && saturate)) ++exponent;
  return FromBits(static_cast<uint8_t>(exponent));
}

float F8E8M0::ToFloat() const {
  if (bits == 0xFF) return std::bit_cast<float>(0x7FC00000u);
  if (bits == 0) return std::bit_cast<float>(0x00400000u);
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 23);
}

}  // namespace waybill
