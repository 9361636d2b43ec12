// Constant 8-bit weights of a node, packed, with what turns sums into results.
#pragma once

#include <functional>
#include <optional>

#include "cpu/quant/conv.h"
#include "kernel/api/prepare_context.h"
#include "memory/buffer/buffer.h"

namespace waybill::cpu {

// Where the weights of a node are. Constants all; `zero` may be omitted.
struct WeightInputs {
  size_t weights = 0;
  size_t zero = 0;
};

class ByteWeights {
 public:
  // Filters [M, C / groups, (kernel_h,) kernel_w] of a convolution whose groups, channels, kernel
  // and dilations are set. Errors: kOutOfMemory.
  Status PackFilters(kernel::PrepareContext& ctx, const ByteConv& conv, WeightInputs inputs);
  // A matrix [K, N], or [N, K] when `transposed`.
  Status PackMatrix(kernel::PrepareContext& ctx, WeightInputs inputs, bool transposed);

  // Bias of each column (an input or none) and its factor. After packing.
  Status SetRequantize(kernel::PrepareContext& ctx, std::optional<size_t> bias_input,
                       const std::function<double(size_t column)>& factor);

  const WeightLayout& layout() const { return layout_; }
  // In the form of the depthwise kernel for a depthwise convolution, else as layout() says.
  const int32_t* packed() const { return reinterpret_cast<const int32_t*>(weights_.view().data); }
  const int32_t* bias() const { return reinterpret_cast<const int32_t*>(columns_.view().data); }
  const float* scale() const { return reinterpret_cast<const float*>(bias() + padded_); }

 private:
  Status PackChannels(kernel::PrepareContext& ctx, const ByteConv& conv, WeightInputs inputs);

  WeightLayout layout_;
  size_t groups_ = 1, group_columns_ = 0, padded_group_ = 0;
  size_t padded_ = 0;  // columns of all groups
  Buffer weights_, columns_;
};

}  // namespace waybill::cpu
