// Short names for the generated tables.
#pragma once

#include "graph/schema/schema.h"

namespace waybill::graph::schema::tables {

inline constexpr DTypeMask F32 = MaskOf(DType::kF32);
inline constexpr DTypeMask U8 = MaskOf(DType::kU8);
inline constexpr DTypeMask I8 = MaskOf(DType::kI8);
inline constexpr DTypeMask U16 = MaskOf(DType::kU16);
inline constexpr DTypeMask I16 = MaskOf(DType::kI16);
inline constexpr DTypeMask I32 = MaskOf(DType::kI32);
inline constexpr DTypeMask I64 = MaskOf(DType::kI64);
inline constexpr DTypeMask STR = MaskOf(DType::kString);
inline constexpr DTypeMask BOOL = MaskOf(DType::kBool);
inline constexpr DTypeMask F16 = MaskOf(DType::kF16);
inline constexpr DTypeMask F64 = MaskOf(DType::kF64);
inline constexpr DTypeMask U32 = MaskOf(DType::kU32);
inline constexpr DTypeMask U64 = MaskOf(DType::kU64);
inline constexpr DTypeMask C64 = MaskOf(DType::kC64);
inline constexpr DTypeMask C128 = MaskOf(DType::kC128);
inline constexpr DTypeMask BF16 = MaskOf(DType::kBF16);
inline constexpr DTypeMask E4M3FN = MaskOf(DType::kF8E4M3FN);
inline constexpr DTypeMask E4M3FNUZ = MaskOf(DType::kF8E4M3FNUZ);
inline constexpr DTypeMask E5M2 = MaskOf(DType::kF8E5M2);
inline constexpr DTypeMask E5M2FNUZ = MaskOf(DType::kF8E5M2FNUZ);
inline constexpr DTypeMask U4 = MaskOf(DType::kU4);
inline constexpr DTypeMask I4 = MaskOf(DType::kI4);
inline constexpr DTypeMask E2M1 = MaskOf(DType::kF4E2M1);
inline constexpr DTypeMask E8M0 = MaskOf(DType::kF8E8M0);
inline constexpr DTypeMask U2 = MaskOf(DType::kU2);
inline constexpr DTypeMask I2 = MaskOf(DType::kI2);

// Groups that many operators share.
inline constexpr DTypeMask F3 = F16 | F32 | F64;
inline constexpr DTypeMask INTS = U8 | U16 | U32 | U64 | I8 | I16 | I32 | I64;
inline constexpr DTypeMask CPLX = C64 | C128;
inline constexpr DTypeMask F8 = E4M3FN | E4M3FNUZ | E5M2 | E5M2FNUZ;

}  // namespace waybill::graph::schema::tables
