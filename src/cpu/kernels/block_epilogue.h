// The epilogue of a convolution: what attribute `expr` says is done to the result (x0) with further
// inputs (x1, ...), block by block.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "base/status/result.h"
#include "cpu/conv/nhwc/block.h"
#include "cpu/tile/epilogue.h"
#include "kernel/api/kernel.h"

namespace waybill::cpu {

// How one operand is read: floats from one image, pixel or channel to the next; 0 repeats.
struct BlockOperand {
  size_t input = 0;
  size_t image = 0, pixel = 0, channel = 0;
  bool expand = false;  // no such strides exist: it is copied to the shape of the output first
  size_t scratch = 0;   // index of the booking for that copy
};

// What a plan knows of the operands.
struct BlockOperands {
  std::vector<BlockOperand> list;
  Shape output;
  size_t images = 0, pixels = 0, channels = 0;  // pixels of one image
  bool channels_last = true;
  // Rows of the operands go on from one image to the next.
  bool flat = true;
  bool residual = false;  // operand 1 is added before the clamp and has the output's shape
};

class ConvEpilogue {
 public:
  // Inputs from `first_input` on are the operands. Errors: kInvalidArgument for a wrong `expr`.
  static Result<ConvEpilogue> Make(const graph::NodeRef& node, size_t first_input);

  // Checks the operands against the output, [N, spatial..., C] or [N, C, spatial...], and books
  // scratch. Errors: kInvalidArgument when they do not fit.
  Result<BlockOperands> Plan(kernel::PlanContext& ctx, const Shape& output,
                             bool channels_last) const;

  bool empty() const { return epilogue_.empty(); }
  // Whether operand 1, planned as `operands`, is all that is added, so that a producer that can add
  // a residual reads each of its elements as it writes that of the output, and nothing follows.
  bool IsResidual(const BlockOperands& operands) const { return is_residual_ && operands.residual; }
  bool IsRelu() const {
    return is_clamp_ && clamp_ && low_ == 0 && high_ == std::numeric_limits<float>::infinity();
  }

 private:
  friend class EpilogueRun;

  size_t first_input_ = 0;
  Epilogue epilogue_;
  bool is_clamp_ = true;      // of x0
  bool is_residual_ = false;  // of x0 + x1
  bool clamp_ = false;
  float low_ = 0, high_ = 0;
};

// One run. Sets what the producer does itself, and serves as the context of its BlockEpilogue; must
// outlive the producer's call.
class EpilogueRun {
 public:
  EpilogueRun(const ConvEpilogue& epilogue, const BlockOperands& operands,
              const kernel::RunContext& ctx);

  // Clamp, residual (if the producer can add one) and block epilogue of `args`.
  void Configure(NhwcConvArgs& args, bool can_add_residual) const;
  // Does the epilogue on rows [begin, end) of images * channels of an output [N, C, spatial...].
  void RunChannelsFirst(size_t begin, size_t end) const;

 private:
  static void RunBlock(const void* self, const OutputBlock& block);
  void RunImages(const OutputBlock& block) const;

  const ConvEpilogue& epilogue_;
  const BlockOperands& operands_;
  float* y_;
  size_t pitch_;  // floats from pixel to pixel of channels-last outputs
  const float* residual_ = nullptr;
  std::array<const float*, graph::kMaxExprInputs> data_ = {};
};

}  // namespace waybill::cpu
