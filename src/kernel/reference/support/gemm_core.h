// The one inner loop of reference matrix products and convolutions: a row of A times a panel of B
// columns. B is packed panel by panel into scratch, so transposes, small floats, patches of an
// image and paddings are all the packer's business.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace waybill::kernel::reference {

inline constexpr size_t kPanel = 32;      // columns of a packed panel
inline constexpr size_t kSumChunk = 128;  // products summed in C before they go to the total

// C is what products are made in; totals of float products are kept in double.
template <typename C>
using GemmTotal = std::conditional_t<std::is_floating_point_v<C>, double, C>;

// Type of products for elements of T: unsigned integers wrap as the signed ones do.
template <typename T>
struct ComputeOf {
  using Type = double;
};
template <>
struct ComputeOf<int32_t> {
  using Type = uint32_t;
};
template <>
struct ComputeOf<uint32_t> {
  using Type = uint32_t;
};
template <>
struct ComputeOf<int64_t> {
  using Type = uint64_t;
};
template <>
struct ComputeOf<uint64_t> {
  using Type = uint64_t;
};

// total[j] = sum over k of a[k * a_stride] * panel[k * kPanel + j], in the order of k.
template <typename C, typename T>
void RowTimesPanel(const T* a, ptrdiff_t a_stride, const C* panel, size_t depth,
                   GemmTotal<C>* total) {
  for (size_t j = 0; j < kPanel; ++j) total[j] = 0;
  C sum[kPanel];
  for (size_t begin = 0; begin < depth; begin += kSumChunk) {
    const size_t end = std::min(depth, begin + kSumChunk);
    for (size_t j = 0; j < kPanel; ++j) sum[j] = 0;
    size_t k = begin;
    for (; k + 4 <= end; k += 4) {
      const T* const a_k = a + static_cast<ptrdiff_t>(k) * a_stride;
      const C a0 = static_cast<C>(a_k[0]), a1 = static_cast<C>(a_k[a_stride]),
              a2 = static_cast<C>(a_k[2 * a_stride]), a3 = static_cast<C>(a_k[3 * a_stride]);
      const C* const b = panel + k * kPanel;
      for (size_t j = 0; j < kPanel; ++j) {
        sum[j] += a0 * b[j] + a1 * b[kPanel + j] + a2 * b[2 * kPanel + j] + a3 * b[3 * kPanel + j];
      }
    }
    for (; k < end; ++k) {
      const C a0 = static_cast<C>(a[static_cast<ptrdiff_t>(k) * a_stride]);
      const C* const b = panel + k * kPanel;
      for (size_t j = 0; j < kPanel; ++j) sum[j] += a0 * b[j];
    }
    for (size_t j = 0; j < kPanel; ++j) total[j] += static_cast<GemmTotal<C>>(sum[j]);
  }
}

// Packs columns [first, first + kPanel) of a [depth, columns] matrix; columns past the end are 0.
template <typename C, typename T>
void PackPanel(const T* b, ptrdiff_t row_stride, ptrdiff_t col_stride, size_t depth, size_t columns,
               size_t first, C* panel) {
  const size_t count = std::min(kPanel, columns - first);
  for (size_t k = 0; k < depth; ++k) {
    const T* const row =
        b + static_cast<ptrdiff_t>(k) * row_stride + static_cast<ptrdiff_t>(first) * col_stride;
    C* const out = panel + k * kPanel;
    for (size_t j = 0; j < count; ++j) {
      out[j] = static_cast<C>(row[static_cast<ptrdiff_t>(j) * col_stride]);
    }
    for (size_t j = count; j < kPanel; ++j) out[j] = 0;
  }
}

// Above this many products single precision is the time that matters, and chunks of kSumChunk
// products in float keep the result within a few ulp.
inline constexpr double kManyProducts = 1 << 22;

}  // namespace waybill::kernel::reference
