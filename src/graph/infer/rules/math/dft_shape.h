#pragma once

#include <cstdint>

namespace waybill::graph::infer {

// Length of a DFT over an axis of `dim` elements when none is given.
inline int64_t DefaultDftLength(int64_t dim, bool inverse, bool onesided) {
  return inverse && onesided ? 2 * (dim - 1) : dim;
}

}  // namespace waybill::graph::infer
