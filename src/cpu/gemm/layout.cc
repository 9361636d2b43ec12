#include "cpu/gemm/layout.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"
#include "tensor/dtype/types.h"

namespace waybill::cpu {
namespace {

// Rows of the panel that are written side by side while B is read along k.
constexpr size_t kStripe = 16;
constexpr double kNsPerFloat = 0.15;

template <typename T>
float LoadAs(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<float>(value);
}

// Rows of B lie in one piece.
template <typename T>
void CopyRows(const std::byte* from, size_t row_bytes, size_t rows, size_t columns, size_t width,
              float* to) {
  for (size_t k = 0; k < rows; ++k, to += width, from += row_bytes) {
    if constexpr (std::is_same_v<T, float>) {
      std::memcpy(to, from, columns * sizeof(float));
    } else {
      for (size_t j = 0; j < columns; ++j) to[j] = LoadAs<T>(from + j * sizeof(T));
    }
    std::fill(to + columns, to + width, 0.0f);
  }
}

// Any strides; columns of B in one piece are read in order.
template <typename T>
void GatherRows(const std::byte* from, size_t row_bytes, size_t column_bytes, size_t rows,
                size_t columns, size_t width, float* to) {
  for (size_t k0 = 0; k0 < rows; k0 += kStripe) {
    const size_t stripe = std::min(rows - k0, kStripe);
    for (size_t j = 0; j < columns; ++j) {
      const std::byte* at = from + k0 * row_bytes + j * column_bytes;
      float* out = to + k0 * width + j;
      for (size_t k = 0; k < stripe; ++k) out[k * width] = LoadAs<T>(at + k * row_bytes);
    }
    for (size_t k = k0; k < k0 + stripe; ++k) {
      std::fill(to + k * width + columns, to + (k + 1) * width, 0.0f);
    }
  }
}

template <typename T>
void PackRows(const PackedLayout& layout, const UnpackedB& b, size_t panel, size_t k0, size_t rows,
              float* out) {
  const size_t columns = layout.PanelColumns(panel);
  const size_t width = layout.PanelWidth(panel);
  const size_t row_bytes = b.row_stride * sizeof(T);
  const size_t column_bytes = b.column_stride * sizeof(T);
  const std::byte* from = static_cast<const std::byte*>(b.data) + (k0 - b.first_row) * row_bytes +
                          (panel * layout.nr() - b.first_column) * column_bytes;
  if (b.column_stride == 1) {
    CopyRows<T>(from, row_bytes, rows, columns, width, out);
  } else {
    GatherRows<T>(from, row_bytes, column_bytes, rows, columns, width, out);
  }
}

}  // namespace

void PackPanel(const PackedLayout& layout, const UnpackedB& b, size_t panel, size_t k0, size_t rows,
               float* out) {
  if (b.half) {
    PackRows<Half>(layout, b, panel, k0, rows, out);
  } else {
    PackRows<float>(layout, b, panel, k0, rows, out);
  }
  if (b.scale == 1) return;
  const size_t floats = rows * layout.PanelWidth(panel);
  for (size_t i = 0; i < floats; ++i) out[i] *= b.scale;
}

void PackB(const PackedLayout& layout, const UnpackedB& b, float* out) {
  PackB(layout, b, out, nullptr, 1);
}

void PackB(const PackedLayout& layout, const UnpackedB& b, float* out, ThreadPool* pool,
           size_t width) {
  const size_t panels = layout.panels();
  const size_t blocks = (layout.k() + layout.block_k() - 1) / layout.block_k();
  const size_t threads = ThreadsFor(layout.floats(), kNsPerFloat, width);
  ParallelFor(pool, panels * blocks, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t k0 = i / panels * layout.block_k();
      const size_t rows = std::min(layout.k() - k0, layout.block_k());
      PackPanel(layout, b, i % panels, k0, rows, out + layout.Offset(k0, rows, i % panels));
    }
  });
}

void PackBPart(const PackedLayout& layout, const UnpackedB& b, size_t rows, size_t columns,
               float* out) {
  const size_t p0 = b.first_column / layout.nr();
  const size_t p1 = (b.first_column + columns + layout.nr() - 1) / layout.nr();
  const size_t end = b.first_row + rows;
  for (size_t k = b.first_row; k < end;) {
    const size_t k0 = k / layout.block_k() * layout.block_k();
    const size_t block_rows = std::min(layout.k() - k0, layout.block_k());
    const size_t stop = std::min(end, k0 + block_rows);
    for (size_t panel = p0; panel < p1; ++panel) {
      PackPanel(layout, b, panel, k, stop - k,
                out + layout.Offset(k0, block_rows, panel) + (k - k0) * layout.PanelWidth(panel));
    }
    k = stop;
  }
}

}  // namespace waybill::cpu
