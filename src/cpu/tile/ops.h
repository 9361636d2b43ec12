// The instructions of tile programs: elementwise f32 functions of up to three arguments over a run
// of numbers, one table per SIMD target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/simd/target.h"
#include "graph/fused/expression.h"

namespace waybill::cpu {

// The operations of expressions, in their order, and combinations of them that save a pass.
enum class TileOp : uint8_t {
  kFirstCombined = graph::kNumExprOps,
  kMulAdd = kFirstCombined,  // a * b + c
  kAddMul,                   // (a + b) * c
  kAddRelu,                  // relu(a + b)
  kMulAddRelu,               // relu(a * b + c)
  kSilu,                     // a * sigmoid(a)
};
inline constexpr size_t kNumTileOps = graph::kNumExprOps + 5;

constexpr TileOp ToTileOp(graph::ExprOp op) { return static_cast<TileOp>(op); }
size_t ArityOf(TileOp op);

// out[i] = op(a[i], b[i], c[i]) for i in [0, n), n > 0, at any alignment of float. Arguments past
// the arity may be null. `out` may be the very array of an argument. Every element is computed the
// same way wherever it lies in a run.
using TileFn = void (*)(const float* a, const float* b, const float* c, float* out, size_t n);

// The variants of one operation, by which arguments are one number instead of n: bit k stands for
// argument k. Where every argument is one number there is none: that is variant 0 with n = 1.
struct TileFunctions {
  TileFn by_scalars[8] = {};
};

const TileFunctions& TileFunctionsOf(SimdTarget target, TileOp op);

}  // namespace waybill::cpu
