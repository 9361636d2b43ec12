// Elementwise loops over runs of one row for types and operations outside of tile programs, one
// table per SIMD target. Plain loops that the compiler vectorises.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/simd/target.h"
#include "tensor/dtype/dtype.h"

namespace waybill::cpu {

// A row of n elements; the strides (in elements) are 1, or 0 for one element that is repeated.
struct RowOperand {
  const void* data;
  size_t stride;
};

using BinaryRowFn = void (*)(RowOperand a, RowOperand b, void* out, size_t n);
using WhereRowFn = void (*)(RowOperand condition, RowOperand x, RowOperand y, void* out, size_t n);
using CastFn = void (*)(const void* in, void* out, size_t n);
using UnaryRowFn = CastFn;

enum class TypedOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
};
enum class TypedUnaryOp : uint8_t { kNeg, kAbs, kNot };
inline constexpr size_t kNumTypedUnaryOps = 3;
inline constexpr size_t kNumTypedOps = 10;

// Null where there is none. Arithmetic is for int32 and int64 and wraps; comparisons are for f32,
// int32 and int64 (Equal for bool too); And and Or are for bool.
BinaryRowFn TypedRow(SimdTarget target, TypedOp op, DType dtype);
// Null where there is none. Neg and Abs are for int32 and int64 and wrap; Not is for bool.
UnaryRowFn TypedUnaryRow(SimdTarget target, TypedUnaryOp op, DType dtype);
// By the width of an element: 1, 2, 4 or 8 bytes; null for others.
WhereRowFn WhereRow(SimdTarget target, size_t bytes);
// As the operator Cast does it: floats are cut toward zero; past the range of int32 and int64 they
// become the most negative one, as does NaN; narrower integers keep the low bits. Null where there
// is none: among f32, int32, int64, uint8 and bool there is one for every pair of two types.
CastFn CastRow(SimdTarget target, DType from, DType to);

}  // namespace waybill::cpu
