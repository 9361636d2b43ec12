// A constant right-hand matrix in the layout of the product kernel.
#pragma once

#include "base/status/result.h"
#include "cpu/gemm/gemm_f32.h"
#include "kernel/api/prepare_context.h"
#include "memory/buffer/buffer.h"

namespace waybill::cpu {

class PackedMatrix {
 public:
  // Packs constant input 1, of rank 2 and f32, transposed first when asked, and says that the input
  // is replaced. Errors: kOutOfMemory.
  Status Pack(kernel::PrepareContext& ctx, bool transposed);

  const PackedLayout& layout() const { return layout_; }
  const float* data() const { return reinterpret_cast<const float*>(buffer_.view().data); }

 private:
  PackedLayout layout_;
  Buffer buffer_;
};

// Bytes of a packed k x n matrix; nothing on overflow.
std::optional<size_t> PackedBytes(const GemmF32Table& table, size_t k, size_t n);

}  // namespace waybill::cpu
