// Stacks of f32 matrix products with broadcasting, B known only when it runs.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status/result.h"
#include "cpu/gemm/product.h"
#include "tensor/shape/shape.h"

namespace waybill::cpu {

// C = A * B for each index of `batch`. Without c_strides C is dense: [batch...][m][n].
struct BatchedShape {
  ProductShape product;
  Shape batch;
  Shape a_strides;  // floats for each batch axis; 0 repeats
  Shape b_strides;
  Shape c_strides;  // or empty
  size_t ldc = 0;   // with c_strides
};

// Immutable; thread-safe.
class BatchedProduct {
 public:
  BatchedProduct() = default;
  // `width`: threads that Run may use at most. Errors: kInvalidArgument when scratch does not fit.
  static Result<BatchedProduct> Make(SimdTarget target, const BatchedShape& shape, size_t width);

  size_t scratch_bytes() const { return workers_ * product_.scratch_floats() * sizeof(float); }
  // Results are bit-equal for every width up to that of Make.
  void Run(const float* a, const float* b, float* c, bool accumulate, float* scratch,
           ThreadPool* pool, size_t width) const;

 private:
  struct Axis {
    size_t dim;
    size_t a_stride;
    size_t b_stride;
    size_t c_stride;
  };

  void RunOne(size_t index, const ProductArgs& shared, ThreadPool* pool, size_t width) const;

  Product product_;
  std::vector<Axis> axes_;
  size_t ldc_ = 0;
  size_t count_ = 1;
  size_t workers_ = 1;  // slices of scratch
};

}  // namespace waybill::cpu
