// The discrete Fourier transform by its definition, in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace waybill::kernel::reference {

struct Complex {
  double re = 0, im = 0;
};

// Element k of the transform of `n` elements; at(i) gives element i. The angle is reduced before
// the sine is taken, so long transforms stay exact. Not scaled.
template <typename At>
Complex FourierElement(int64_t n, int64_t k, bool inverse, At&& at) {
  Complex sum;
  int64_t turn = 0;  // i * k modulo n
  for (int64_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(n);
    const double cos = std::cos(angle), sin = inverse ? std::sin(angle) : -std::sin(angle);
    const Complex x = at(i);
    sum.re += x.re * cos - x.im * sin;
    sum.im += x.re * sin + x.im * cos;
    turn += k;
    if (turn >= n) turn -= n;
  }
  return sum;
}

}  // namespace waybill::kernel::reference
