// Batched matrix products over strides: the body of MatMul, Gemm, and their fused sisters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math/checked.h"
#include "base/status/result.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/gemm_core.h"
#include "tensor/dtype/types.h"
#include "tensor/shape/shape.h"

namespace waybill::kernel::reference {

// Y [batch..., m, n] = A x B with A's element (row, k) at row * a_row + k * a_k and B's element
// (k, col) at k * b_k + col * b_col within their matrix; all strides in elements.
struct ProductSpec {
  Shape batch;             // broadcast batch dimensions
  Shape a_batch, b_batch;  // stride of each batch dimension, 0 where broadcast
  int64_t m = 0, k = 0, n = 0;
  int64_t a_row = 0, a_k = 0, b_k = 0, b_col = 0;
};

// MatMul's reading of two shapes (numpy.matmul: rank 1 operands are a row and a column).
// `output` gets the shape of the result. Errors: kInvalidArgument when they do not fit.
Result<ProductSpec> MatMulSpec(const Shape& a, const Shape& b, Shape* output);

// Scratch that RunProduct needs for `depth` products a sum and `width` threads.
// Errors: kInvalidArgument when the size does not fit.
Result<size_t> ProductScratchBytes(int64_t depth, size_t width);

namespace product_internal {

// Offset in elements of batch `index` under `strides`.
inline int64_t BatchOffset(const Shape& batch, const Shape& strides, int64_t index) {
  int64_t offset = 0;
  for (size_t i = batch.rank(); i-- > 0;) {
    offset += index % batch[i] * strides[i];
    index /= batch[i];
  }
  return offset;
}

template <typename C, typename T, typename Store>
void Run(RunContext& ctx, const ProductSpec& spec, const T* a, const T* b, void* scratch,
         const Store& store) {
  const int64_t panels = CeilDiv(spec.n, static_cast<int64_t>(kPanel));
  const auto depth = static_cast<size_t>(spec.k);
  ForEachPiece(ctx, static_cast<size_t>(spec.batch.elems() * panels), [&](size_t piece, size_t w) {
    const int64_t batch = static_cast<int64_t>(piece) / panels;
    const int64_t first = static_cast<int64_t>(piece) % panels * static_cast<int64_t>(kPanel);
    const T* const a_batch = a + BatchOffset(spec.batch, spec.a_batch, batch);
    const T* const b_batch = b + BatchOffset(spec.batch, spec.b_batch, batch);
    C* const panel = static_cast<C*>(scratch) + w * depth * kPanel;
    PackPanel(b_batch, spec.b_k, spec.b_col, depth, static_cast<size_t>(spec.n),
              static_cast<size_t>(first), panel);
    const int64_t last = std::min(spec.n, first + static_cast<int64_t>(kPanel));
    for (int64_t row = 0; row < spec.m; ++row) {
      GemmTotal<C> total[kPanel];
      RowTimesPanel<C>(a_batch + row * spec.a_row, spec.a_k, panel, depth, total);
      for (int64_t col = first; col < last; ++col) store(batch, row, col, total[col - first]);
    }
  });
}

}  // namespace product_internal

// Calls store(batch, row, column, total) once for each element of Y; total is a double for float
// types and the unsigned type of T's size for integers. `scratch` has ProductScratchBytes.
template <typename T, typename Store>
void RunProduct(RunContext& ctx, const ProductSpec& spec, const T* a, const T* b, void* scratch,
                const Store& store) {
  if (spec.batch.elems() == 0 || spec.m == 0 || spec.n == 0) return;
  if constexpr (std::is_same_v<T, float>) {
    const double products = static_cast<double>(spec.batch.elems()) * static_cast<double>(spec.m) *
                            static_cast<double>(spec.n) * static_cast<double>(spec.k);
    if (products > kManyProducts) {
      product_internal::Run<float>(ctx, spec, a, b, scratch, store);
      return;
    }
  }
  product_internal::Run<typename ComputeOf<T>::Type>(ctx, spec, a, b, scratch, store);
}

}  // namespace waybill::kernel::reference
