#include <cmath>

#include "cpu/tile/op_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/tile/math_ops.cc"
#include "cpu/simd/highway.h"
// Behind Highway's own headers.
#include "cpu/simd/math-inl.h"
#include "cpu/simd/pow-inl.h"
#include "cpu/simd/trigonometry-inl.h"
#include "cpu/tile/apply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

WB_TILE_OP(ExpOp, Exp(d, a))
WB_TILE_OP(LogOp, Log(d, a))
WB_TILE_OP(ErfOp, Erf(d, a))
WB_TILE_OP(TanhOp, Tanh(d, a))
WB_TILE_OP(SigmoidOp, Sigmoid(d, a))
WB_TILE_OP(SiluOp, hn::Mul(a, Sigmoid(d, a)))
WB_TILE_OP(EluOp, hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Mul(b, Expm1OfNegative(d, a)), a))
WB_TILE_OP(SoftplusOp, Softplus(d, a))
WB_TILE_OP(SinOp, Sin(d, a))
WB_TILE_OP(CosOp, Cos(d, a))
WB_TILE_OP(PowOp, Pow(d, a, b))

// The exponents that Pow treats apart, without the rest of it.
WB_TILE_OP(SquareOp, hn::Mul(a, a))
WB_TILE_OP(CubeOp, hn::Mul(hn::Mul(a, a), a))
WB_TILE_OP(RootOp, PowHalf(d, a))
WB_TILE_OP(InverseOp, hn::Div(hn::Set(d, 1.0f), a))

void PowOfScalar(const float* a, const float* b, const float* c, float* out, size_t n) {
  if (*b == 2.0f) return Apply<SquareOp, 1, 0>(a, b, c, out, n);
  if (*b == 3.0f) return Apply<CubeOp, 1, 0>(a, b, c, out, n);
  if (*b == 0.5f) return Apply<RootOp, 1, 0>(a, b, c, out, n);
  if (*b == -1.0f) return Apply<InverseOp, 1, 0>(a, b, c, out, n);
  Apply<PowOp, 2, 2>(a, b, c, out, n);
}

constexpr TileTable MakeMath() {
  using graph::ExprOp;
  TileTable table = {};
  const auto at = [&table](auto op) -> TileFunctions& { return table[static_cast<size_t>(op)]; };
  at(ExprOp::kPow) = {{Apply<PowOp, 2, 0>, Apply<PowOp, 2, 1>, PowOfScalar}};
  at(ExprOp::kExp) = kOneArgument<ExpOp>;
  at(ExprOp::kLog) = kOneArgument<LogOp>;
  at(ExprOp::kErf) = kOneArgument<ErfOp>;
  at(ExprOp::kTanh) = kOneArgument<TanhOp>;
  at(ExprOp::kSigmoid) = kOneArgument<SigmoidOp>;
  at(ExprOp::kElu) = kTwoArguments<EluOp>;
  at(ExprOp::kSoftplus) = kOneArgument<SoftplusOp>;
  at(ExprOp::kSin) = kOneArgument<SinOp>;
  at(ExprOp::kCos) = kOneArgument<CosOp>;
  at(TileOp::kSilu) = kOneArgument<SiluOp>;
  return table;
}

constexpr TileTable kTileMath = MakeMath();

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const TileTable& TileMath(SimdTarget target) { WB_SIMD_TABLE(target, kTileMath) }

}  // namespace waybill::cpu
#endif
