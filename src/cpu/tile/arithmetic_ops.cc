#include "cpu/tile/op_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/tile/arithmetic_ops.cc"
#include "cpu/simd/highway.h"
// Behind Highway's own headers.
#include "cpu/simd/math-inl.h"
#include "cpu/tile/apply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

// NaN of either argument wins.
template <class V>
HWY_INLINE V MaxOf(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(b), b, AtLeast(b, a));
}
template <class V>
HWY_INLINE V MinOf(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(b), b, AtMost(b, a));
}
template <class D, class V>
HWY_INLINE V Clamp01(D d, V x) {
  return AtMost(hn::Set(d, 1.0f), AtLeast(hn::Zero(d), x));
}

WB_TILE_OP(AddOp, hn::Add(a, b))
WB_TILE_OP(SubOp, hn::Sub(a, b))
WB_TILE_OP(MulOp, hn::Mul(a, b))
WB_TILE_OP(DivOp, hn::Div(a, b))
WB_TILE_OP(MinOp, MinOf(a, b))
WB_TILE_OP(MaxOp, MaxOf(a, b))
WB_TILE_OP(NegOp, hn::Neg(a))
WB_TILE_OP(AbsOp, hn::Abs(a))
WB_TILE_OP(SqrtOp, hn::Sqrt(a))
WB_TILE_OP(ReciprocalOp, hn::Div(hn::Set(d, 1.0f), a))
WB_TILE_OP(ReluOp, AtLeast(hn::Zero(d), a))
WB_TILE_OP(ClipOp, AtMost(c, AtLeast(b, a)))
WB_TILE_OP(LeakyReluOp, hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Mul(b, a), a))
WB_TILE_OP(HardSigmoidOp, Clamp01(d, hn::Add(hn::Mul(b, a), c)))
WB_TILE_OP(HardSwishOp,
           hn::Mul(a, Clamp01(d, hn::MulAdd(a, hn::Set(d, 1.0f / 6), hn::Set(d, 0.5f)))))
WB_TILE_OP(FloorOp, hn::Floor(a))
WB_TILE_OP(CeilOp, hn::Ceil(a))
WB_TILE_OP(RoundOp, hn::Round(a))
WB_TILE_OP(MulAddOp, hn::Add(hn::Mul(a, b), c))
WB_TILE_OP(MulAddReluOp, AtLeast(hn::Zero(d), hn::Add(hn::Mul(a, b), c)))
WB_TILE_OP(AddMulOp, hn::Mul(hn::Add(a, b), c))
WB_TILE_OP(AddReluOp, AtLeast(hn::Zero(d), hn::Add(a, b)))

constexpr TileTable MakeArithmetic() {
  using graph::ExprOp;
  TileTable table = {};
  const auto at = [&table](auto op) -> TileFunctions& { return table[static_cast<size_t>(op)]; };
  at(ExprOp::kAdd) = kTwoArguments<AddOp>;
  at(ExprOp::kSub) = kTwoArguments<SubOp>;
  at(ExprOp::kMul) = kTwoArguments<MulOp>;
  at(ExprOp::kDiv) = kTwoArguments<DivOp>;
  at(ExprOp::kMin) = kTwoArguments<MinOp>;
  at(ExprOp::kMax) = kTwoArguments<MaxOp>;
  at(ExprOp::kNeg) = kOneArgument<NegOp>;
  at(ExprOp::kAbs) = kOneArgument<AbsOp>;
  at(ExprOp::kSqrt) = kOneArgument<SqrtOp>;
  at(ExprOp::kReciprocal) = kOneArgument<ReciprocalOp>;
  at(ExprOp::kRelu) = kOneArgument<ReluOp>;
  at(ExprOp::kClip) = kThreeArguments<ClipOp>;
  at(ExprOp::kLeakyRelu) = kTwoArguments<LeakyReluOp>;
  at(ExprOp::kHardSigmoid) = kThreeArguments<HardSigmoidOp>;
  at(ExprOp::kHardSwish) = kOneArgument<HardSwishOp>;
  at(ExprOp::kFloor) = kOneArgument<FloorOp>;
  at(ExprOp::kCeil) = kOneArgument<CeilOp>;
  at(ExprOp::kRound) = kOneArgument<RoundOp>;
  at(TileOp::kMulAdd) = kThreeArguments<MulAddOp>;
  at(TileOp::kMulAddRelu) = kThreeArguments<MulAddReluOp>;
  at(TileOp::kAddMul) = kThreeArguments<AddMulOp>;
  at(TileOp::kAddRelu) = kTwoArguments<AddReluOp>;
  return table;
}

constexpr TileTable kTileArithmetic = MakeArithmetic();

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const TileTable& TileArithmetic(SimdTarget target) { WB_SIMD_TABLE(target, kTileArithmetic) }

}  // namespace waybill::cpu
#endif
