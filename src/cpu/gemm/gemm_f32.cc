#include "cpu/gemm/gemm_f32.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/math/checked.h"
#include "graph/fused/expression.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Floats of A that stay in the second-level cache beside a panel and the next.
constexpr size_t kBlockFloats = size_t{64} << 10;
// Rows of C that an epilogue still finds in cache.
constexpr size_t kMaxBlockRows = 144;
// With few rows a product takes as long as reading B.
constexpr double kNsPerMultiplication = 0.025;
constexpr double kNsPerElementOfB = 0.1;
// Fewer rows use a panel no longer than it takes to fetch.
constexpr size_t kFetchRows = 12;
// Products of so few rows take as long as reading B; see PanelArgs::thin.
constexpr size_t kThinRows = 4;

// Floats of C that are summed up before the epilogue visits them: they stay in the second-level
// cache beside a block of A and a panel.
constexpr size_t kEpilogueFloats = size_t{24} << 10;

// A block of rows and panels of C.
struct Part {
  size_t m0, m1;
  size_t p0, p1;
};

void SetPanel(const PackedLayout& layout, const GemmArgs& args, size_t p, size_t k0,
              PanelArgs& panel) {
  const size_t columns = layout.PanelColumns(p);
  panel.n = columns;
  if (args.packed_b != nullptr) {
    panel.panel = args.packed_b + layout.Offset(k0, panel.k, p);
    panel.ldb = 0;
  } else if (columns == layout.PanelWidth(p)) {
    panel.panel = args.plain_b + k0 * args.ldb + p * layout.nr();
    panel.ldb = args.ldb;
  } else {
    panel.panel = args.packed_tail + k0 * layout.PanelWidth(p);
    panel.ldb = 0;
  }
}

// The one that is used after panel p: the next, or behind the last the first of the next terms.
void SetNextPanel(const PackedLayout& layout, const GemmArgs& args, const Part& part, size_t p,
                  size_t k0, PanelArgs& panel) {
  panel.next_panel = nullptr;
  if (args.packed_b == nullptr || panel.m < kFetchRows) return;
  size_t terms = panel.k;
  if (++p == layout.panels()) {
    p = part.p0;
    k0 += panel.k;
    terms = std::min(layout.k() - k0, layout.block_k());
    if (terms == 0) return;
  }
  panel.next_panel = args.packed_b + layout.Offset(k0, terms, p);
  panel.next_floats = layout.PanelWidth(p) * terms;
}

// Rows [m0, m1), columns of panels [p0, p1), terms [k0, k0 + panel.k).
void RunBlock(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
              const Part& part, size_t k0, PanelArgs& panel) {
  const bool last = k0 + panel.k == layout.k();
  panel.add = args.accumulate || k0 != 0;
  panel.clamp = args.clamp && last;
  panel.m = part.m1 - part.m0;
  panel.a = args.a + part.m0 * args.lda + k0;
  for (size_t p = part.p0; p < part.p1; ++p) {
    const size_t column = p * layout.nr() - args.first_column;
    SetPanel(layout, args, p, k0, panel);
    SetNextPanel(layout, args, part, p, k0, panel);
    panel.fetch_ahead = p == part.p0;
    panel.c = args.c + part.m0 * args.ldc + column;
    panel.column_bias = args.column_bias != nullptr ? args.column_bias + column : nullptr;
    panel.residual = args.residual != nullptr && last
                         ? args.residual + part.m0 * args.residual_ld + column
                         : nullptr;
    table.run(panel);
  }
}

void RunEpilogue(const PackedLayout& layout, const GemmArgs& args, const Part& part) {
  const size_t begin = part.p0 * layout.nr();
  const size_t column = begin - args.first_column;
  const size_t columns = std::min(part.p1 * layout.nr(), layout.n()) - begin;
  std::array<EpilogueOperand, graph::kMaxExprInputs> operands;
  const size_t count = args.epilogue->num_operands();
  for (size_t i = 0; i < count; ++i) {
    operands[i] = args.operands[i];
    operands[i].data += part.m0 * operands[i].row_stride + column * operands[i].column_stride;
  }
  args.epilogue->Run(args.c + part.m0 * args.ldc + column, args.ldc, part.m1 - part.m0, columns,
                     {operands.data(), count});
}

// All terms of one block of rows, for the last terms in groups of panels that the epilogue follows.
void RunRows(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
             const Part& part, PanelArgs& panel) {
  size_t k0 = 0;
  do {
    panel.k = std::min(layout.k() - k0, layout.block_k());
    if (args.epilogue == nullptr || k0 + panel.k < layout.k()) {
      RunBlock(table, layout, args, part, k0, panel);
    } else {
      const size_t rows = part.m1 - part.m0;
      const size_t group = std::max<size_t>(kEpilogueFloats / (rows * layout.nr()), 1);
      for (size_t p = part.p0; p < part.p1; p += group) {
        const Part block = {part.m0, part.m1, p, std::min(p + group, part.p1)};
        RunBlock(table, layout, args, block, k0, panel);
        RunEpilogue(layout, args, block);
      }
    }
    k0 += panel.k;
  } while (k0 < layout.k());
}

void RunPart(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
             const Part& part) {
  PanelArgs panel;
  panel.lda = args.lda;
  panel.ldc = args.ldc;
  panel.residual_ld = args.residual_ld;
  panel.low = args.low;
  panel.high = args.high;
  panel.thin = args.m <= kThinRows;
  // Equal blocks of rows, in whole tiles.
  const size_t depth = std::clamp<size_t>(layout.k(), 1, layout.block_k());
  const size_t most = std::clamp(kBlockFloats / depth, kFetchRows, kMaxBlockRows);
  const size_t rows = part.m1 - part.m0;
  const size_t block = CeilDiv(CeilDiv(rows, CeilDiv(rows, most)), table.mr) * table.mr;
  for (size_t row = part.m0; row < part.m1; row += block) {
    RunRows(table, layout, args, {row, std::min(row + block, part.m1), part.p0, part.p1}, panel);
  }
}

size_t Threads(const PackedLayout& layout, size_t m, size_t width) {
  const size_t elements = layout.n() * std::max<size_t>(layout.k(), 1);
  if (m <= kThinRows) return ThreadsFor(elements, kNsPerElementOfB, width);
  return ThreadsFor(m * elements, kNsPerMultiplication, width);
}

struct PartGrid {
  size_t down = 1, across = 1;
};

// About `parts` parts of C: whole tiles of rows down, whole panels across. Each part down reads all
// of B again and each part across all of A, so that what is larger is cut first.
PartGrid ChooseGrid(const PackedLayout& layout, size_t m, size_t tiles, size_t parts) {
  PartGrid best;
  size_t least = std::numeric_limits<size_t>::max();
  for (size_t down = 1; down <= std::min(tiles, parts); ++down) {
    const size_t across = std::min(layout.panels(), CeilDiv(parts, down));
    if (down * across < parts && down < tiles) continue;
    const size_t columns = down * layout.n() + across * m;
    if (columns >= least) continue;
    least = columns;
    best = {down, across};
  }
  return best;
}

}  // namespace

void RunGemm(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
             ThreadPool* pool, size_t width) {
  if (args.m == 0 || layout.n() == 0) return;
  const size_t panels = layout.panels();
  const size_t threads = Threads(layout, args.m, width);
  if (threads == 1) {
    RunPart(table, layout, args, {0, args.m, 0, panels});
    return;
  }
  const size_t tiles = args.m <= kThinRows ? 1 : CeilDiv(args.m, table.mr);
  const PartGrid grid = ChooseGrid(layout, args.m, tiles, threads * 4);
  ParallelFor(pool, grid.down * grid.across, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t row = i % grid.down;
      const size_t column = i / grid.down;
      const Part part = {tiles * row / grid.down * table.mr,
                         row + 1 == grid.down ? args.m : tiles * (row + 1) / grid.down * table.mr,
                         panels * column / grid.across, panels * (column + 1) / grid.across};
      RunPart(table, layout, args, part);
    }
  });
}

void RunGemmPanels(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
                   size_t p0, size_t p1) {
  if (args.m != 0 && p0 < p1) RunPart(table, layout, args, {0, args.m, p0, p1});
}

}  // namespace waybill::cpu
