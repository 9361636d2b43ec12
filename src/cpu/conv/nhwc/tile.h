// The inner kernel of dense convolutions over [N, H, W, C]: pixels times one panel of weights.
#pragma once

#include <cstddef>
#include <limits>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// C[m x n] = sum over runs r of A_r[m x run_length] * B_r[run_length x n], one panel wide.
//
// A run is what a row of C reads of A in one piece: all channels under one tap, or all of a row of
// taps. Each element of C is summed in the order of runs and, within them, of k, on its own, so
// results do not depend on how C is cut into calls.
struct RunTileArgs {
  // Run r of C's row i begins at rows[r * rows_stride + i] + r * run_step + offset.
  const float* const* rows = nullptr;
  size_t rows_stride = 0;
  size_t run_step = 0;  // only where rows_stride is 0
  size_t offset = 0;
  size_t runs = 0;  // 0 gives the bias or zero
  size_t run_length = 0;
  bool fetch_ahead = false;  // the rows are not in cache yet: fetch those of the next tile
  // The panel that the next call will read, fetched meanwhile; or null.
  const float* next_panel = nullptr;
  size_t next_floats = 0;
  const float* panel = nullptr;  // [runs * run_length][n rounded up to vectors], 64-byte aligned
  float* c = nullptr;            // [m][ldc]
  size_t ldc = 0;
  size_t m = 0;
  size_t n = 0;                     // 1 .. the table's max_vectors * lanes
  bool add = false;                 // C += instead of C =; the bias is ignored then
  const float* bias = nullptr;      // [n], added to each row; or null
  const float* residual = nullptr;  // [m][residual_ld], added to C; or null
  size_t residual_ld = 0;
  bool clamp = false;  // at the very end: min(max(C, low), high), NaN stays
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

struct RunTileTable {
  size_t lanes = 1;        // floats in a vector
  size_t max_vectors = 1;  // widest panel
  void (*run)(const RunTileArgs& args) = nullptr;
};

const RunTileTable& RunTiles(SimdTarget target);

}  // namespace waybill::cpu
