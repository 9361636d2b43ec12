// Pooling of f32 over [N, H, W, C].
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/conv/nhwc/pool_tile.h"

namespace waybill {
class ThreadPool;
}

namespace waybill::cpu {

// One spatial axis: output o sees the input elements o * stride - pad_begin + t * dilation.
struct PoolAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad_begin = 0, pad_end = 0;

  int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

struct Pool2d {
  size_t batch = 1;
  size_t channels = 1;
  PoolAxis h, w;
  bool average = false;
  bool count_include_pad = false;  // of the average: taps in the declared padding count
};

// How the work is done: large windows of a maximum along rows first, then along columns.
struct PoolPlan {
  Pool2d pool;
  bool separable = false;
  int64_t band_rows = 0;      // output rows done at a time
  size_t scratch_floats = 0;  // for each thread
};

// Whether the window is small enough for this code.
bool PoolFits(const Pool2d& pool);

PoolPlan MakePoolPlan(const Pool2d& pool);

// Whether y may lie where x does: one thread does all, and no output is written over an input that
// a later one sees.
bool PoolsInPlace(const PoolPlan& plan, size_t width);

struct PoolArgs {
  const float* x = nullptr;  // [batch][h.in][w.in][channels]
  float* y = nullptr;        // [batch][h.out][w.out][channels]
  size_t y_pitch = 0;        // floats from pixel to pixel of y; 0: channels
  float* scratch = nullptr;  // the plan's scratch_floats for each thread, 64-byte aligned
};

// Work is split over rows of y; results are bit-equal for every width.
void RunPool(const PoolTable& table, const PoolPlan& plan, const PoolArgs& args, ThreadPool* pool,
             size_t width);

}  // namespace waybill::cpu
