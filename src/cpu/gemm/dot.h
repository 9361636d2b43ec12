// f32 products of rows by rows: C = A * B^T with both read along k where they lie. For few rows of
// A or few of B, where packing would cost more than it saves.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

struct DotArgs {
  const float* a = nullptr;  // [m][lda]
  size_t lda = 0;
  const float* b = nullptr;  // [n][ldb]
  size_t ldb = 0;
  float* c = nullptr;  // [m][ldc]
  size_t ldc = 0;
  size_t m = 0;
  size_t n = 0;
  size_t k = 0;
  float scale = 1;
  bool accumulate = false;  // C += instead of C =
};

// Every element is computed the same way wherever it stands.
struct DotTable {
  void (*run)(const DotArgs& args) = nullptr;
};

const DotTable& DotKernels(SimdTarget target);

}  // namespace waybill::cpu
