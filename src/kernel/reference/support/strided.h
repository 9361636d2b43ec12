// One loop over an index space for any number of strided operands, and numpy's broadcast on top.
// Needs no heap memory up to rank Shape::kInlineRank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tensor/shape/shape.h"

namespace waybill::kernel::reference {

// Visits all indices of `dims` in row-major order. `strides[k]` has one stride (in elements) per
// dimension; fn(offset_0, ..., offset_N-1) gets the element offset of each operand.
template <size_t N, typename Fn>
void ForEachStrided(const Shape& dims, const std::array<Shape, N>& strides, Fn&& fn) {
  const auto call = [&]<size_t... K>(std::index_sequence<K...>,
                                     const std::array<int64_t, N>& offsets) {
    fn(offsets[K]...);
  };
  constexpr auto kAll = std::make_index_sequence<N>{};
  for (const int64_t dim : dims.dims()) {
    if (dim == 0) return;
  }
  // `fn` is called at one place, also for a scalar: it becomes part of the loop there.
  const bool scalar = dims.rank() == 0;
  const size_t last = scalar ? 0 : dims.rank() - 1;
  const int64_t row = scalar ? 1 : dims[last];
  std::array<int64_t, N> base{}, step{};
  for (size_t k = 0; k < N && !scalar; ++k) step[k] = strides[k][last];
  Shape index = Shape::Filled(dims.rank(), 0);
  while (true) {
    std::array<int64_t, N> offsets = base;
    for (int64_t j = 0; j < row; ++j) {
      call(kAll, offsets);
      for (size_t k = 0; k < N; ++k) offsets[k] += step[k];
    }
    size_t axis = last;
    while (axis > 0) {
      --axis;
      for (size_t k = 0; k < N; ++k) base[k] += strides[k][axis];
      if (++index[axis] < dims[axis]) break;
      for (size_t k = 0; k < N; ++k) base[k] -= strides[k][axis] * dims[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (last == 0) return;
  }
}

// Row-major strides of `shape`.
inline Shape RowMajorStrides(const Shape& shape) {
  Shape strides = Shape::Filled(shape.rank(), 1);
  for (size_t i = shape.rank(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// Strides with which `operand` is read over the index space of `out`: 0 where it is repeated. The
// operand broadcasts to `out` (inference has checked it).
inline Shape BroadcastStrides(const Shape& operand, const Shape& out) {
  Shape strides = Shape::Filled(out.rank(), 0);
  const size_t offset = out.rank() - operand.rank();
  int64_t stride = 1;
  for (size_t i = operand.rank(); i-- > 0;) {
    if (operand[i] != 1) strides[offset + i] = stride;
    stride *= operand[i];
  }
  return strides;
}

// Visits all elements of `out` in order; fn(i, offset_0, ...) gets the element's index and the
// offsets of the operands that broadcast to it.
template <typename Fn, typename... Shapes>
void ForEachBroadcast(const Shape& out, Fn&& fn, const Shapes&... operands) {
  int64_t i = 0;
  ForEachStrided(out, std::array<Shape, sizeof...(Shapes)>{BroadcastStrides(operands, out)...},
                 [&](auto... offsets) { fn(i++, offsets...); });
}

}  // namespace waybill::kernel::reference
