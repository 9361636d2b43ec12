// Normalization of rows, shared by LayerNormalization, RMSNormalization and their fused sisters.
#pragma once

#include <cmath>
#include <cstdint>

#include "tensor/shape/shape.h"

namespace waybill::kernel::reference {

struct RowStatistics {
  double mean = 0;
  double inverse_deviation = 0;
};

// Over `count` elements read(i). `centered`: layer normalization, otherwise root mean square (the
// mean is 0 then).
template <typename Read>
RowStatistics RowStats(int64_t count, bool centered, double epsilon, const Read& read) {
  RowStatistics out;
  const auto n = static_cast<double>(count);
  if (centered) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += read(i);
    out.mean = sum / n;
  }
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double d = read(i) - out.mean;
    squares += d * d;
  }
  out.inverse_deviation = 1.0 / std::sqrt(squares / n + epsilon);
  return out;
}

// Offset within a tensor of shape `small`, which broadcasts to `full`, of element `index` of
// `full`.
inline int64_t BroadcastOffset(const Shape& small, const Shape& full, int64_t index) {
  int64_t offset = 0, stride = 1;
  for (size_t i = 0; i < small.rank(); ++i) {
    const size_t s = small.rank() - 1 - i;
    const int64_t dim = full[full.rank() - 1 - i];
    if (small[s] != 1) offset += index % dim * stride;
    stride *= small[s];
    index /= dim;
  }
  return offset;
}

}  // namespace waybill::kernel::reference
