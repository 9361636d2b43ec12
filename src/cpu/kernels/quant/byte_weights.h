// Constant 8-bit weights of a node, packed, with what turns sums into results.
#pragma once

#include <functional>
#include <optional>

#include "cpu/quant/byte_conv.h"
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
  // `padded`: the convolution may have padding.
  Status PackFilters(kernel::PrepareContext& ctx, const ByteConv& conv, bool padded,
                     WeightInputs inputs);
  // A matrix [K, N], or [N, K] when `transposed`.
  Status PackMatrix(kernel::PrepareContext& ctx, WeightInputs inputs, bool transposed);

  // Bias of each column (an input or none) and its factor. After packing.
  Status SetRequantize(kernel::PrepareContext& ctx, std::optional<size_t> bias_input,
                       const std::function<double(size_t column)>& factor);

  // Scratch for RunConvolution with that many threads; nothing when there can not be so much.
  std::optional<size_t> Scratch(const ByteConv& conv, size_t width) const;
  // args has x, its zero point, y, the kind of result and scratch; the rest is filled in.
  void RunConvolution(const ByteConv& conv, ByteConvArgs args, ThreadPool* pool,
                      size_t width) const;

  size_t length() const { return length_; }  // rows of a matrix
  size_t columns() const { return group_columns_ * groups_; }

 private:
  Status PackChannels(kernel::PrepareContext& ctx, const ByteConv& conv, WeightInputs inputs);
  // Rows of K weights for each of `columns`, where `at` says that (column, k) lies. False when they
  // do not fit in bytes, or bytes are no gain here.
  Result<bool> PackBytes(kernel::PrepareContext& ctx, WeightInputs inputs, size_t k, size_t n,
                         bool by_columns);

  const int32_t* packed() const { return reinterpret_cast<const int32_t*>(weights_.data()); }
  const int32_t* bias() const { return reinterpret_cast<const int32_t*>(columns_.view().data); }

  WeightLayout layout_;
  std::optional<BytePanels> panels_;  // in place of layout_
  size_t length_ = 0;
  bool scaled_ = false;
  size_t groups_ = 1, group_columns_ = 0, padded_group_ = 0;
  size_t padded_ = 0;  // columns of all groups
  SharedView weights_;
  Buffer columns_;
};

}  // namespace waybill::cpu
