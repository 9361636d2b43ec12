#include "cpu/tile/ops.h"

#include "cpu/tile/op_tables.h"

namespace waybill::cpu {

size_t ArityOf(TileOp op) {
  switch (op) {
    case TileOp::kMulAdd:
    case TileOp::kAddMul:
    case TileOp::kMulAddRelu:
      return 3;
    case TileOp::kAddRelu:
      return 2;
    case TileOp::kSilu:
      return 1;
    default:
      return graph::InfoOf(static_cast<graph::ExprOp>(op)).arity;
  }
}

const TileFunctions& TileFunctionsOf(SimdTarget target, TileOp op) {
  const auto index = static_cast<size_t>(op);
  const TileFunctions& arithmetic = TileArithmetic(target)[index];
  return arithmetic.by_scalars[0] != nullptr ? arithmetic : TileMath(target)[index];
}

}  // namespace waybill::cpu
