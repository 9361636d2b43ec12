// The inner kernel of all f32 matrix products: rows of A times one panel of B.
#pragma once

#include <cstddef>
#include <limits>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// C[m x n] = A[m x k] * B[k x n], one panel wide.
//
// A packed panel holds k rows of `width` floats, where width is n rounded up to whole vectors (at
// most the table's `nr`); columns past n are zero there and never stored. A panel of whole vectors
// may also be read where it lies in a row-major B. Every element of C is summed in the order of k
// on its own, so results do not depend on how C is cut into calls.
struct PanelArgs {
  const float* a = nullptr;      // [m][lda]
  size_t lda = 0;                // floats from row to row
  const float* panel = nullptr;  // [k][ldb]
  size_t ldb = 0;                // 0: the packed width
  float* c = nullptr;            // [m][ldc]
  size_t ldc = 0;
  size_t m = 0;
  size_t n = 0;                        // 1 .. nr
  size_t k = 0;                        // 0 gives the bias or zero
  bool add = false;                    // C += instead of C =; the biases are ignored then
  bool thin = false;                   // see GemmF32Table
  const float* column_bias = nullptr;  // [n], added to each row; or null
  const float* row_bias = nullptr;     // [m], added to each column; or null
  const float* residual = nullptr;     // [m][residual_ld], added after the bias; or null
  size_t residual_ld = 0;
  // Read next, in the last-level cache at best: fetched while this panel is used. Or null.
  const float* next_panel = nullptr;
  size_t next_floats = 0;
  bool fetch_ahead = false;  // rows of A too: no panel has been multiplied by them yet
  bool clamp = false;        // min(max(C, low), high) at the very end; NaN stays NaN
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

struct GemmF32Table {
  size_t lanes = 1;  // floats in a vector
  size_t nr = 1;     // floats in a full panel's row
  size_t mr = 1;     // rows that one pass over a full panel computes
  // With `thin`, m is 1 to 4 and B is fetched ahead, since reading it takes longest; elements of
  // one or two rows are summed in several strands, in an order of their own, since they would else
  // wait for each addition. The caller decides by the rows of the whole product.
  void (*run)(const PanelArgs& args) = nullptr;
};

const GemmF32Table& GemmF32(SimdTarget target);

}  // namespace waybill::cpu
