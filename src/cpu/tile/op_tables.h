// Parts of the instruction table (see ops.h); null functions where the other part has the op.
#pragma once

#include <array>

#include "cpu/tile/ops.h"

namespace waybill::cpu {

using TileTable = std::array<TileFunctions, kNumTileOps>;

const TileTable& TileArithmetic(SimdTarget target);
const TileTable& TileMath(SimdTarget target);  // what calls cpu/simd/math-inl.h

}  // namespace waybill::cpu
