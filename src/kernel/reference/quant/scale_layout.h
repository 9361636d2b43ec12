// Which scale (and zero point) belongs to which element: one for the whole tensor, one per index of
// an axis, or one per block along an axis.
#pragma once

#include <cstdint>

#include "base/status/result.h"
#include "tensor/shape/shape.h"

namespace waybill::kernel::reference {

struct ScaleLayout {
  int64_t outer = 1, axis = 1, inner = 1;  // the data
  int64_t block = 0;                       // elements along the axis that share; 0: the whole axis
  int64_t blocks = 1;                      // scales along the axis
  bool per_inner = false;                  // blocked form: the scales vary along `inner` too

  // Errors: kInvalidArgument naming the shapes when they do not fit.
  static Result<ScaleLayout> Of(const Shape& data, const Shape& scale, int64_t axis,
                                int64_t block_size);

  // Calls fn(i, s) for every element i of the data in order with the index s of its scale.
  template <typename Fn>
  void ForEach(Fn&& fn) const {
    int64_t i = 0;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t a = 0; a < axis; ++a) {
        const int64_t at = block == 0 ? 0 : a / block;
        if (!per_inner) {
          for (int64_t n = 0; n < inner; ++n) fn(i++, at);
        } else {
          const int64_t first = (o * blocks + at) * inner;
          for (int64_t n = 0; n < inner; ++n) fn(i++, first + n);
        }
      }
    }
  }
};

}  // namespace waybill::kernel::reference
