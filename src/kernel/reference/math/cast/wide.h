// Casts go through one of three wide types, so that each element type needs a loader and a storer
// only. A chunk of elements is converted at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/status/result.h"
#include "tensor/dtype/types.h"
#include "tensor/tensor/tensor.h"

namespace waybill::kernel::reference {

struct CastRounding {
  bool saturate = true;                           // float8: out of range becomes the largest value
  F8E8M0::Round e8m0_round = F8E8M0::Round::kUp;  // float8e8m0 only
};

// double holds every float type exactly, int64_t and uint64_t every integer and bool.
enum class Wide : uint8_t { kDouble, kSigned, kUnsigned };

// The wide type that holds `dtype`. Strings: that of the type they are cast to.
Wide WideOf(DType dtype);

// Elements [first, first + values.size()) of `in` (not a string tensor) as W.
template <typename W>
Status LoadWide(const TensorView& in, size_t first, std::span<W> values);
// Writes them to `out`, which may be a string tensor. `source`: the type they were cast from.
template <typename W>
Status StoreWide(std::span<const W> values, DType source, const CastRounding& rounding,
                 const TensorView& out, size_t first);

}  // namespace waybill::kernel::reference
