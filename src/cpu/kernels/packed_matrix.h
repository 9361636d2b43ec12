// A constant right-hand matrix in packed form, for MatMul and its sisters.
#pragma once

#include <cstddef>
#include <optional>

#include "base/status/status.h"
#include "cpu/gemm/layout.h"
#include "kernel/api/prepare_context.h"
#include "memory/buffer/view.h"

namespace waybill::cpu {

// Bytes of a packed [k x n] matrix; nothing when they do not fit in size_t.
std::optional<size_t> PackedBytes(const GemmF32Table& table, size_t k, size_t n);

class PackedMatrix {
 public:
  // Packs constant input 1, which is f32 or f16 of rank 2, times `scale`; `transposed`: it is
  // [n][k]. Errors: those of the allocation, kOutOfMemory for sizes that do not fit.
  Status Pack(kernel::PrepareContext& ctx, bool transposed, float scale = 1);

  const PackedLayout& layout() const { return layout_; }
  const float* data() const { return reinterpret_cast<const float*>(packed_.data()); }

 private:
  SharedView packed_;
  PackedLayout layout_;
};

}  // namespace waybill::cpu
