// f32 matrix product over panels of B, on plain pointers.
#pragma once

#include <cstddef>
#include <limits>

#include "cpu/gemm/layout.h"
#include "cpu/gemm/tile.h"
#include "cpu/tile/epilogue.h"

namespace waybill::cpu {

struct GemmArgs {
  const float* a = nullptr;  // [m][lda]
  size_t lda = 0;
  size_t m = 0;

  // B: packed whole, or row-major where it lies with its last panel packed apart when n is not a
  // whole number of vectors (PackPanel of all k rows).
  const float* packed_b = nullptr;
  const float* plain_b = nullptr;  // [k][ldb], when packed_b is null
  size_t ldb = 0;
  const float* packed_tail = nullptr;

  float* c = nullptr;  // [m][ldc]
  size_t ldc = 0;
  size_t first_column = 0;             // of B, for C's first (RunGemmPanels)
  bool accumulate = false;             // C += A * B; no bias then
  const float* column_bias = nullptr;  // [n] or null
  const float* residual = nullptr;     // [m][residual_ld] or null, added after the bias
  size_t residual_ld = 0;
  bool clamp = false;  // min(max(C, low), high) at the end; NaN stays NaN
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  // Applied to each block of C as soon as it is summed up, after everything above; or null. It has
  // epilogue->num_operands() operands, which point at the whole C's first element.
  const Epilogue* epilogue = nullptr;
  const EpilogueOperand* operands = nullptr;
};

// C = A * B + bias. Work is split over parts of C; results are bit-equal for every width.
void RunGemm(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
             ThreadPool* pool, size_t width);

// The columns of panels [p0, p1) alone, on the calling thread. C, bias, residual and operands begin
// at args.first_column.
void RunGemmPanels(const GemmF32Table& table, const PackedLayout& layout, const GemmArgs& args,
                   size_t p0, size_t p1);

}  // namespace waybill::cpu
