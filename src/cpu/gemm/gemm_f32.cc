#include "cpu/gemm/gemm_f32.h"

#include <algorithm>
#include <cstring>

#include "base/math/checked.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

// Rows of A whose block of kBlockK columns stays in the second-level cache beside a panel.
constexpr size_t kBlockM = 144;
// Multiplications below which a second thread costs more than it brings.
constexpr size_t kMinWorkPerThread = size_t{1} << 19;

float LoadFloat(const std::byte* at) {
  float value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Rows [m0, m1) of C, panels [p0, p1).
void RunPart(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args, size_t m0,
             size_t m1, size_t p0, size_t p1) {
  PanelArgs panel;
  panel.lda = args.lda;
  panel.ldc = args.ldc;
  size_t k0 = 0;
  do {
    panel.k = std::min(layout.k() - k0, PackedLayout::kBlockK);
    panel.add = k0 != 0;
    panel.relu = args.relu && k0 + panel.k == layout.k();
    for (size_t row = m0; row < m1; row += kBlockM) {
      panel.m = std::min(m1 - row, kBlockM);
      panel.a = args.a + row * args.lda + k0;
      for (size_t p = p0; p < p1; ++p) {
        const size_t column = p * layout.nr();
        panel.n = layout.PanelColumns(p);
        panel.panel = args.packed_b + layout.Offset(k0, panel.k, p);
        panel.c = args.c + row * args.ldc + column;
        panel.column_bias = args.column_bias != nullptr ? args.column_bias + column : nullptr;
        table.run(panel);
      }
    }
    k0 += panel.k;
  } while (k0 < layout.k());
}

}  // namespace

void PackB(const PackedLayout& layout, const void* b, size_t row_stride, size_t column_stride,
           float* out) {
  const auto* bytes = static_cast<const std::byte*>(b);
  for (size_t k0 = 0; k0 < layout.k(); k0 += PackedLayout::kBlockK) {
    const size_t block_k = std::min(layout.k() - k0, PackedLayout::kBlockK);
    for (size_t p = 0; p < layout.panels(); ++p) {
      const size_t columns = layout.PanelColumns(p);
      const size_t panel_width = layout.PanelWidth(p);
      float* to = out + layout.Offset(k0, block_k, p);
      for (size_t k = k0; k < k0 + block_k; ++k, to += panel_width) {
        const std::byte* from =
            bytes + sizeof(float) * (k * row_stride + p * layout.nr() * column_stride);
        if (column_stride == 1) {
          std::memcpy(to, from, columns * sizeof(float));
        } else {
          for (size_t j = 0; j < columns; ++j) {
            to[j] = LoadFloat(from + sizeof(float) * j * column_stride);
          }
        }
        std::fill(to + columns, to + panel_width, 0.0f);
      }
    }
  }
}

void RunGemm(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
             ThreadPool* pool, size_t width) {
  if (args.m == 0 || layout.n() == 0) return;
  const size_t work = args.m * layout.n() * std::max<size_t>(layout.k(), 1);
  const size_t threads =
      std::clamp<size_t>(work / kMinWorkPerThread, 1, std::max<size_t>(width, 1));
  // A grid over C: whole panels across, whole tiles of rows down, about four parts per thread.
  const size_t panels = layout.panels();
  const size_t tiles = CeilDiv(args.m, table.mr);
  const size_t parts = threads == 1 ? 1 : threads * 4;
  const size_t down = std::min(tiles, parts);
  const size_t across = std::min(panels, CeilDiv(parts, down));
  ParallelFor(pool, down * across, threads, [&](size_t begin, size_t end) {
    for (size_t part = begin; part < end; ++part) {
      const size_t i = part % down;
      const size_t j = part / down;
      const size_t m0 = tiles * i / down * table.mr;
      const size_t m1 = std::min(tiles * (i + 1) / down * table.mr, args.m);
      RunPart(table, layout, args, m0, m1, panels * j / across, panels * (j + 1) / across);
    }
  });
}

}  // namespace waybill::cpu
