// What all convolutions over [N, H, W, C] share: their arguments and what happens to a finished
// block of the output.
#pragma once

#include <cstddef>
#include <limits>

namespace waybill::cpu {

// A rectangle of the output seen as [pixels of all images][channels].
struct OutputBlock {
  size_t pixel = 0, pixels = 0;
  size_t channel = 0, channels = 0;
};

// Called once for each block, when it is finished and still in cache, on the thread that made it;
// the blocks cover the output once.
struct BlockEpilogue {
  void (*fn)(const void* context, const OutputBlock& block) = nullptr;
  const void* context = nullptr;

  void operator()(const OutputBlock& block) const {
    if (fn != nullptr && block.pixels != 0) fn(context, block);
  }
};

struct NhwcConvArgs {
  const float* x = nullptr;        // [batch][in_h][in_w][in_channels]
  const float* weights = nullptr;  // packed
  const float* bias = nullptr;     // [out_channels] or null
  float* y = nullptr;              // [batch][out_h][out_w][out_channels]
  size_t y_pitch = 0;              // floats from pixel to pixel of y; 0: out_channels
  bool clamp = false;              // min(max(y, low), high), NaN stays
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  const float* residual = nullptr;  // as a dense y; added before the clamp; or null (dense only)
  BlockEpilogue epilogue;           // after all that
  float* scratch = nullptr;         // the plan's scratch_floats for each thread, 64-byte aligned

  size_t PitchOf(size_t out_channels) const { return y_pitch != 0 ? y_pitch : out_channels; }
};

}  // namespace waybill::cpu
