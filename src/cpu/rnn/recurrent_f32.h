// One direction of an f32 RNN, GRU or LSTM over a whole sequence, on plain pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cpu/gemm/layout.h"
#include "cpu/simd/target.h"

namespace waybill::cpu {

enum class RecurrentCell : uint8_t { kRnnTanh, kRnnRelu, kGru, kLstm };

// Fixed by the node. Gate rows stand in ONNX's order.
struct RecurrentConfig {
  RecurrentCell cell = RecurrentCell::kLstm;
  size_t inputs = 0;
  size_t hidden = 0;
  bool linear_before_reset = false;  // GRU
  bool input_forget = false;         // LSTM
  std::optional<float> clip;

  size_t gates() const;
  size_t rows() const { return gates() * hidden; }
};

// The weights of one direction as three packed matrices: W^T [inputs x rows], R^T [hidden x
// recurrent_rows], and for a GRU that resets before the product the rest of R^T apart.
class RecurrentWeights {
 public:
  RecurrentWeights() = default;
  // Nothing when sizes do not fit in size_t.
  static std::optional<RecurrentWeights> Make(SimdTarget target, const RecurrentConfig& config);

  // 64-byte aligned floats for Pack; a multiple of 16.
  size_t floats() const { return w_floats_ + r_floats_ + last_floats_; }
  // `w` is [rows][inputs], `r` [rows][hidden]; both of any alignment. Element strides 0: splats.
  void Pack(const void* w, bool w_splat, const void* r, bool r_splat, float* out) const;

  const PackedLayout& w() const { return w_; }
  const PackedLayout& r() const { return r_; }
  const PackedLayout& last() const { return last_; }
  size_t r_offset() const { return w_floats_; }
  size_t last_offset() const { return w_floats_ + r_floats_; }

 private:
  RecurrentConfig config_;
  PackedLayout w_, r_, last_;
  size_t w_floats_ = 0, r_floats_ = 0, last_floats_ = 0;
};

// Strides count floats. Sample b of step t is row t * x_step + b * x_sample of x.
struct RecurrentArgs {
  const float* x = nullptr;
  size_t x_step = 0, x_sample = 0;  // in rows of `inputs` floats; one of them is 1
  const float* packed = nullptr;    // of RecurrentWeights
  const float* bias = nullptr;      // [2][rows]: of W, of R; or null
  const float* peephole = nullptr;  // [3][hidden] or null
  float* y = nullptr;               // state after step t of sample b; or null
  size_t y_step = 0, y_sample = 0;
  float* h = nullptr;  // [batch][state_stride]: first state in, last state out
  float* c = nullptr;  // LSTM
  size_t state_stride = 0;
  const int32_t* lengths = nullptr;  // [batch] in [0, steps], or null: all steps
  size_t steps = 0;
  size_t batch = 0;
  bool reverse = false;
  float* scratch = nullptr;  // RecurrentScratchFloats, 64-byte aligned
};

// Nothing when the size does not fit. A multiple of 16.
std::optional<size_t> RecurrentScratchFloats(const RecurrentConfig& config, size_t steps,
                                             size_t batch);

// Bit-equal results for every width. Steps after a sample's length are zero in y.
void RunRecurrent(SimdTarget target, const RecurrentConfig& config, const RecurrentWeights& weights,
                  const RecurrentArgs& args, ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
