#include "cpu/reduce/reduce.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/reduce/reduce.cc"
#include "cpu/simd/highway.h"
// Behind Highway's own headers.
#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Float sums run over so many numbers or rows before they go to the total.
constexpr size_t kPieceElems = 4096;
constexpr size_t kPieceRows = 128;

// Take: a value takes in a number. Join: two values become one. JoinNumbers: the same for totals.
struct SumOp {
  static constexpr float kStart = 0;
  template <class V>
  static HWY_INLINE V Take(V value, V x) {
    return hn::Add(value, x);
  }
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
    return hn::Add(a, b);
  }
  static double JoinNumbers(double a, double b) { return a + b; }
};
struct SumSquareOp : SumOp {
  template <class V>
  static HWY_INLINE V Take(V value, V x) {
    return hn::MulAdd(x, x, value);
  }
};
struct SumAbsOp : SumOp {
  template <class V>
  static HWY_INLINE V Take(V value, V x) {
    return hn::Add(value, hn::Abs(x));
  }
};
struct MaxOp {
  static constexpr float kStart = -kInfinity;
  template <class V>
  static HWY_INLINE V Take(V value, V x) {
    return hn::IfThenElse(hn::IsNaN(x), x, AtLeast(x, value));
  }
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
    return Take(a, b);
  }
  static double JoinNumbers(double a, double b) { return b > a || b != b ? b : a; }
};
struct MinOp {
  static constexpr float kStart = kInfinity;
  template <class V>
  static HWY_INLINE V Take(V value, V x) {
    return hn::IfThenElse(hn::IsNaN(x), x, AtMost(x, value));
  }
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
    return Take(a, b);
  }
  static double JoinNumbers(double a, double b) { return b < a || b != b ? b : a; }
};
struct ProductOp {
  static constexpr float kStart = 1;
  template <class V>
  static HWY_INLINE V Take(V value, V x) {
    return hn::Mul(value, x);
  }
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
    return hn::Mul(a, b);
  }
  static double JoinNumbers(double a, double b) { return a * b; }
};

// A piece of a row, with four running vectors.
template <class Op>
HWY_INLINE double TakePiece(double value, const float* x, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  if (n >= lanes) {
    auto s0 = hn::Set(d, Op::kStart), s1 = s0, s2 = s0, s3 = s0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      s0 = Op::Take(s0, hn::LoadU(d, x + i));
      s1 = Op::Take(s1, hn::LoadU(d, x + i + lanes));
      s2 = Op::Take(s2, hn::LoadU(d, x + i + 2 * lanes));
      s3 = Op::Take(s3, hn::LoadU(d, x + i + 3 * lanes));
    }
    for (; i + lanes <= n; i += lanes) s0 = Op::Take(s0, hn::LoadU(d, x + i));
    HWY_ALIGN float sums[hn::MaxLanes(hn::ScalableTag<float>())];
    hn::Store(Op::Join(Op::Join(s0, s1), Op::Join(s2, s3)), d, sums);
    for (size_t k = 0; k < lanes; ++k) {
      value = Op::JoinNumbers(value, static_cast<double>(sums[k]));
    }
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    const auto taken = Op::Take(hn::Set(one, Op::kStart), hn::LoadU(one, x + i));
    value = Op::JoinNumbers(value, static_cast<double>(hn::GetLane(taken)));
  }
  return value;
}

template <class Op>
double TakeRow(double value, const float* x, size_t n) {
  for (size_t i = 0; i < n; i += kPieceElems) {
    value = TakePiece<Op>(value, x + i, std::min(kPieceElems, n - i));
  }
  return value;
}

// kVectors vectors of columns over all rows.
template <class Op, size_t kVectors, class D>
HWY_INLINE void TakeColumnBlock(D d, const float* x, size_t rows, size_t stride, float* totals) {
  using V = hn::Vec<D>;
  const size_t lanes = hn::Lanes(d);
  for (size_t first = 0; first < rows; first += kPieceRows) {
    const size_t last = std::min(rows, first + kPieceRows);
    V sums[kVectors];
    for (size_t k = 0; k < kVectors; ++k) sums[k] = hn::Set(d, Op::kStart);
    for (size_t r = first; r < last; ++r) {
      const float* row = x + r * stride;
      for (size_t k = 0; k < kVectors; ++k) {
        sums[k] = Op::Take(sums[k], hn::LoadU(d, row + k * lanes));
      }
    }
    for (size_t k = 0; k < kVectors; ++k) {
      hn::StoreU(Op::Join(hn::LoadU(d, totals + k * lanes), sums[k]), d, totals + k * lanes);
    }
  }
}

template <class Op>
void TakeColumns(const float* x, size_t rows, size_t stride, size_t columns, float* totals) {
  if (rows == 0) return;  // and x may be null
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t c = 0;
  for (; c + 8 * lanes <= columns; c += 8 * lanes) {
    TakeColumnBlock<Op, 8>(d, x + c, rows, stride, totals + c);
  }
  for (; c + 2 * lanes <= columns; c += 2 * lanes) {
    TakeColumnBlock<Op, 2>(d, x + c, rows, stride, totals + c);
  }
  for (; c + lanes <= columns; c += lanes) {
    TakeColumnBlock<Op, 1>(d, x + c, rows, stride, totals + c);
  }
  const hn::CappedTag<float, 1> one;
  for (; c < columns; ++c) TakeColumnBlock<Op, 1>(one, x + c, rows, stride, totals + c);
}

template <class Op>
constexpr Reduction kReduction = {{static_cast<double>(Op::kStart), TakeRow<Op>},
                                  {Op::kStart, TakeColumns<Op>}};

struct ReductionTable {
  Reduction by_op[6];
};
constexpr ReductionTable kReductionTable = {{kReduction<SumOp>, kReduction<SumSquareOp>,
                                             kReduction<SumAbsOp>, kReduction<MaxOp>,
                                             kReduction<MinOp>, kReduction<ProductOp>}};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const Reduction& ReductionOf(SimdTarget target, ReduceOp op) {
  const auto at = static_cast<size_t>(op);
  WB_SIMD_TABLE(target, kReductionTable.by_op[at])
}

}  // namespace waybill::cpu
#endif
