#include "cpu/move/move_table.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

// The compilers keep an array in registers only where all loops over it are unrolled.
#if defined(__clang__)
#define WB_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define WB_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/move/move_table.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct Wide {
  uint64_t low, high;
};

template <typename T>
HWY_INLINE void CopyOne(std::byte* dst, const std::byte* src) {
  std::memcpy(dst, src, sizeof(T));
}

template <typename T>
void TransposePlain(std::byte* dst, ptrdiff_t dst_stride, const std::byte* src,
                    ptrdiff_t src_stride, size_t rows, size_t cols) {
  for (size_t c = 0; c < cols; ++c) {
    const std::byte* from = src + c * sizeof(T);
    std::byte* to = dst + static_cast<ptrdiff_t>(c) * dst_stride;
    for (size_t r = 0; r < rows; ++r) {
      CopyOne<T>(to + r * sizeof(T), from);
      from += src_stride;
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// One 128-bit block of a row in each block of a vector, the rows `stride` apart.
template <class D>
HWY_INLINE hn::Vec<D> LoadRows(D d, const std::byte* src, ptrdiff_t stride) {
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(D()) * sizeof(T) == 16) {
    return hn::LoadU(d, reinterpret_cast<const T*>(src));
  } else {
    const hn::Half<D> half;
    constexpr auto kBlocks = static_cast<ptrdiff_t>(hn::MaxLanes(half) * sizeof(T) / 16);
    return hn::Combine(d, LoadRows(half, src + kBlocks * stride, stride),
                       LoadRows(half, src, stride));
  }
}

// A tile of kRows columns and as many source rows as a vector has lanes; T must be narrower than 16
// bytes. The rows of block b of the vector are b * kRows and following. log2(kRows) rounds of
// interleaving row i with row i + kRows / 2 transpose each block.
template <typename T, class D>
HWY_INLINE void TransposeTile(D d, std::byte* dst, ptrdiff_t dst_stride, const std::byte* src,
                              ptrdiff_t src_stride) {
  constexpr size_t kRows = 16 / sizeof(T);
  using V = hn::Vec<D>;
  V rows[kRows];
  WB_UNROLL_ALL
  for (size_t i = 0; i < kRows; ++i) {
    rows[i] = LoadRows(d, src + static_cast<ptrdiff_t>(i) * src_stride,
                       static_cast<ptrdiff_t>(kRows) * src_stride);
  }
  WB_UNROLL_ALL
  for (size_t round = 1; round < kRows; round *= 2) {
    V next[kRows];
    WB_UNROLL_ALL
    for (size_t i = 0; i < kRows / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kRows / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kRows / 2]);
    }
    WB_UNROLL_ALL
    for (size_t i = 0; i < kRows; ++i) rows[i] = next[i];
  }
  WB_UNROLL_ALL
  for (size_t i = 0; i < kRows; ++i) {
    hn::StoreU(rows[i], d, reinterpret_cast<T*>(dst + static_cast<ptrdiff_t>(i) * dst_stride));
  }
}

// Panels of kTiles tiles one below the other, as many as fit into [*row, rows), and the columns
// that tiles leave over.
template <typename T, size_t kTiles, class D>
HWY_INLINE void TransposePanels(D d, std::byte* dst, ptrdiff_t dst_stride, const std::byte* src,
                                ptrdiff_t src_stride, size_t rows, size_t cols, size_t* row) {
  constexpr size_t kCols = 16 / sizeof(T);
  const size_t lanes = hn::Lanes(d);
  const size_t height = kTiles * lanes;
  for (; *row + height <= rows; *row += height) {
    const std::byte* from = src + static_cast<ptrdiff_t>(*row) * src_stride;
    std::byte* to = dst + *row * sizeof(T);
    size_t c = 0;
    for (; c + kCols <= cols; c += kCols) {
      for (size_t tile = 0; tile < kTiles; ++tile) {
        TransposeTile<T>(d, to + tile * lanes * sizeof(T), dst_stride,
                         from + static_cast<ptrdiff_t>(tile * lanes) * src_stride, src_stride);
      }
      from += kCols * sizeof(T);
      to += static_cast<ptrdiff_t>(kCols) * dst_stride;
    }
    TransposePlain<T>(to, dst_stride, from, src_stride, height, cols - c);
  }
}

// Two, three or four rows into one dense row of pairs, triples or quadruples. Returns how many of
// the columns are done.
template <typename T>
HWY_INLINE size_t InterleaveRows(std::byte* dst, const std::byte* src, ptrdiff_t src_stride,
                                 size_t rows, size_t cols) {
  if (HWY_TARGET == HWY_EMU128) return 0;  // stores there need aligned elements
  const hn::ScalableTag<T> d;
  const auto row = [&](size_t r, size_t c) HWY_ATTR {
    const std::byte* from = src + static_cast<ptrdiff_t>(r) * src_stride;
    return hn::LoadU(d, reinterpret_cast<const T*>(from) + c);
  };
  T* to = reinterpret_cast<T*>(dst);
  size_t c = 0;
  for (; c + hn::Lanes(d) <= cols; c += hn::Lanes(d)) {
    if (rows == 2) {
      hn::StoreInterleaved2(row(0, c), row(1, c), d, to + 2 * c);
    } else if (rows == 3) {
      hn::StoreInterleaved3(row(0, c), row(1, c), row(2, c), d, to + 3 * c);
    } else {
      hn::StoreInterleaved4(row(0, c), row(1, c), row(2, c), row(3, c), d, to + 4 * c);
    }
  }
  return c;
}

// The inverse: one dense row of pairs, triples or quadruples into rows. Returns how many of the
// source's rows are done.
template <typename T>
HWY_INLINE size_t SeparateRows(std::byte* dst, ptrdiff_t dst_stride, const std::byte* src,
                               size_t rows, size_t cols) {
  if (HWY_TARGET == HWY_EMU128) return 0;
  const hn::ScalableTag<T> d;
  const T* from = reinterpret_cast<const T*>(src);
  const auto store = [&](auto v, size_t c, size_t r) HWY_ATTR {
    std::byte* to = dst + static_cast<ptrdiff_t>(c) * dst_stride;
    hn::StoreU(v, d, reinterpret_cast<T*>(to) + r);
  };
  hn::Vec<decltype(d)> v0, v1, v2, v3;
  size_t r = 0;
  for (; r + hn::Lanes(d) <= rows; r += hn::Lanes(d)) {
    if (cols == 2) {
      hn::LoadInterleaved2(d, from + 2 * r, v0, v1);
    } else if (cols == 3) {
      hn::LoadInterleaved3(d, from + 3 * r, v0, v1, v2);
      store(v2, 2, r);
    } else {
      hn::LoadInterleaved4(d, from + 4 * r, v0, v1, v2, v3);
      store(v2, 2, r);
      store(v3, 3, r);
    }
    store(v0, 0, r);
    store(v1, 1, r);
  }
  return r;
}

#endif  // HWY_TARGET != HWY_SCALAR

// Blocks of columns keep the destination lines of a block in the first cache until they are full.
template <typename T>
void Transpose(std::byte* dst, ptrdiff_t dst_stride, const std::byte* src, ptrdiff_t src_stride,
               size_t rows, size_t cols) {
#if HWY_TARGET != HWY_SCALAR
  const auto width = static_cast<ptrdiff_t>(sizeof(T));
  if (rows >= 2 && rows <= 4 && dst_stride == static_cast<ptrdiff_t>(rows) * width) {
    const size_t done = InterleaveRows<T>(dst, src, src_stride, rows, cols);
    return TransposePlain<T>(dst + static_cast<ptrdiff_t>(done) * dst_stride, dst_stride,
                             src + done * sizeof(T), src_stride, rows, cols - done);
  }
  if (cols >= 2 && cols <= 4 && src_stride == static_cast<ptrdiff_t>(cols) * width) {
    const size_t done = SeparateRows<T>(dst, dst_stride, src, rows, cols);
    return TransposePlain<T>(dst + done * sizeof(T), dst_stride,
                             src + static_cast<ptrdiff_t>(done) * src_stride, src_stride,
                             rows - done, cols);
  }
  const hn::ScalableTag<T> d;
  constexpr size_t kBlock = 64 / sizeof(T);
  constexpr size_t kTiles = hn::MaxLanes(d) >= kBlock ? 1 : kBlock / hn::MaxLanes(d);
  for (size_t c = 0; c < cols; c += kBlock) {
    const size_t n = std::min(kBlock, cols - c);
    const std::byte* from = src + c * sizeof(T);
    std::byte* to = dst + static_cast<ptrdiff_t>(c) * dst_stride;
    size_t row = 0;
    // Whole cache lines of the destination at once, then what is left.
    TransposePanels<T, kTiles>(d, to, dst_stride, from, src_stride, rows, n, &row);
    TransposePanels<T, 1>(d, to, dst_stride, from, src_stride, rows, n, &row);
    TransposePanels<T, 1>(hn::Full128<T>(), to, dst_stride, from, src_stride, rows, n, &row);
    TransposePlain<T>(to + row * sizeof(T), dst_stride,
                      from + static_cast<ptrdiff_t>(row) * src_stride, src_stride, rows - row, n);
  }
#else
  TransposePlain<T>(dst, dst_stride, src, src_stride, rows, cols);
#endif
}

#if HWY_TARGET != HWY_SCALAR
// Every second element of T, as many as whole vectors hold. Returns how many.
template <typename T>
HWY_INLINE size_t GatherPairs(std::byte* dst, const std::byte* src, size_t count) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  // The last pair's second half may lie beyond the source.
  for (; i + lanes < count; i += lanes) {
    const T* at = reinterpret_cast<const T*>(src + i * 2 * sizeof(T));
    const auto even = hn::ConcatEven(d, hn::LoadU(d, at + lanes), hn::LoadU(d, at));
    hn::StoreU(even, d, reinterpret_cast<T*>(dst + i * sizeof(T)));
  }
  return i;
}
#endif

// `count` copies of one element.
template <typename T>
HWY_INLINE void Fill(std::byte* dst, const std::byte* src, size_t count) {
  T value;
  std::memcpy(&value, src, sizeof(T));
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) <= 8) {
    const hn::ScalableTag<T> d;
    const auto values = hn::Set(d, value);
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      hn::StoreU(values, d, reinterpret_cast<T*>(dst + i * sizeof(T)));
    }
  }
#endif
  for (; i < count; ++i) std::memcpy(dst + i * sizeof(T), &value, sizeof(T));
}

template <typename T>
void GatherLine(std::byte* dst, const std::byte* src, ptrdiff_t src_stride, size_t count) {
  size_t i = 0;
  if (src_stride == 0) return Fill<T>(dst, src, count);
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 4) {
    if (src_stride == 8) i = GatherPairs<T>(dst, src, count);
  }
#endif
  src += static_cast<ptrdiff_t>(i) * src_stride;
  for (; i < count; ++i, src += src_stride) CopyOne<T>(dst + i * sizeof(T), src);
}

constexpr MoveTable kMoveTable = {{Transpose<uint8_t>, Transpose<uint16_t>, Transpose<uint32_t>,
                                   Transpose<uint64_t>, TransposePlain<Wide>},
                                  {GatherLine<uint8_t>, GatherLine<uint16_t>, GatherLine<uint32_t>,
                                   GatherLine<uint64_t>, GatherLine<Wide>}};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const MoveTable& MoveFunctions(SimdTarget target) { WB_SIMD_TABLE(target, kMoveTable) }

}  // namespace waybill::cpu
#endif
