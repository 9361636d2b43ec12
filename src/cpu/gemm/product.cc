#include "cpu/gemm/product.h"

#include <algorithm>

#include "base/math/checked.h"
#include "cpu/gemm/dot.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

// Packing costs about one row's worth of a panel's multiplications for every few of these.
constexpr size_t kPlainRows = 24;  // at most: B is read where it lies
constexpr size_t kDotRows = 4;     // at most: dot products with the rows of a transposed B
constexpr size_t kDotColumns = 3;
constexpr size_t kAlignFloats = 16;

std::optional<size_t> Aligned(std::optional<size_t> floats) {
  return floats && CheckedMul(*floats, sizeof(float)) ? CheckedAlignUp(*floats, kAlignFloats)
                                                      : std::nullopt;
}

// to[m][k] = from[k][lda] turned, in squares that fit the first-level cache.
void Turn(const float* from, size_t lda, size_t m, size_t k, float* to) {
  constexpr size_t kSide = 16;
  for (size_t i0 = 0; i0 < m; i0 += kSide) {
    const size_t i1 = std::min(m, i0 + kSide);
    for (size_t p = 0; p < k; ++p) {
      for (size_t i = i0; i < i1; ++i) to[i * k + p] = from[p * lda + i];
    }
  }
}

}  // namespace

std::optional<Product> Product::Make(SimdTarget target, const ProductShape& shape) {
  const GemmF32Table& table = GemmF32(target);
  Product out;
  out.target_ = target;
  out.shape_ = shape;
  out.layout_ = PackedLayout(table, shape.k, shape.n);
  // Vectors along k serve a transposed B, and a single column, which is its own transpose.
  const bool along_k = shape.trans_b || (shape.n == 1 && shape.ldb == 1);
  const bool few = shape.m <= kDotRows || shape.n <= kDotColumns;
  const auto padded_n = CheckedAdd(shape.n, table.lanes);
  std::optional<size_t> b_floats = 0;
  if (along_k && few && shape.k >= table.lanes) {
    out.way_ = Way::kDots;
  } else if (!shape.trans_b && shape.scale == 1 && shape.m <= kPlainRows) {
    out.way_ = Way::kPlain;
    if (shape.n % table.lanes != 0) b_floats = CheckedMul(shape.k, table.nr);
  } else {
    b_floats = padded_n ? CheckedMul(shape.k, *padded_n) : std::nullopt;
  }
  const auto b = Aligned(b_floats);
  const auto a = shape.trans_a ? Aligned(CheckedMul(shape.m, shape.k)) : std::optional<size_t>(0);
  if (!a || !b || !CheckedAdd(*a, *b)) return std::nullopt;
  out.a_floats_ = *a;
  out.b_floats_ = *b;
  return out;
}

void Product::Run(const ProductArgs& args, ThreadPool* pool, size_t width) const {
  if (shape_.m == 0 || shape_.n == 0) return;
  const float* a = args.a;
  size_t lda = shape_.lda;
  float* packed = args.scratch + a_floats_;
  if (shape_.trans_a) {
    Turn(args.a, shape_.lda, shape_.m, shape_.k, args.scratch);
    a = args.scratch;
    lda = shape_.k;
  }
  if (way_ == Way::kDots) {
    DotKernels(target_).run({a, lda, args.b, shape_.ldb, args.c, args.ldc, shape_.m, shape_.n,
                             shape_.k, shape_.scale, args.accumulate});
    return;
  }
  GemmArgs gemm;
  gemm.a = a;
  gemm.lda = lda;
  gemm.m = shape_.m;
  gemm.c = args.c;
  gemm.ldc = args.ldc;
  gemm.accumulate = args.accumulate;
  UnpackedB b;
  b.data = args.b;
  b.row_stride = shape_.trans_b ? 1 : shape_.ldb;
  b.column_stride = shape_.trans_b ? shape_.ldb : 1;
  b.scale = shape_.scale;
  if (way_ == Way::kPlain) {
    const size_t last = layout_.panels() - 1;
    gemm.plain_b = args.b;
    gemm.ldb = shape_.ldb;
    gemm.packed_tail = packed;
    if (layout_.PanelColumns(last) != layout_.PanelWidth(last)) {
      PackPanel(layout_, b, last, 0, shape_.k, packed);
    }
  } else {
    gemm.packed_b = packed;
    PackB(layout_, b, packed, pool, width);
  }
  RunGemm(GemmF32(target_), layout_, gemm, pool, width);
}

}  // namespace waybill::cpu
