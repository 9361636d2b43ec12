// One f32 matrix product whose B is known only when it runs: chooses between reading B where it
// lies, packing it, and dot products.
#pragma once

#include <cstddef>
#include <optional>

#include "cpu/gemm/gemm_f32.h"

namespace waybill::cpu {

// C[m x n] = scale * op(A) * op(B); op(A) is [m x k], op(B) is [k x n].
struct ProductShape {
  size_t m = 0;
  size_t n = 0;
  size_t k = 0;
  size_t lda = 0;
  size_t ldb = 0;
  bool trans_a = false;  // A is stored [k][lda], not [m][lda]
  bool trans_b = false;  // B is stored [n][ldb], not [k][ldb]
  float scale = 1;
};

struct ProductArgs {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  size_t ldc = 0;
  bool accumulate = false;   // C += instead of C =
  float* scratch = nullptr;  // Product::scratch_floats(), 64-byte aligned
};

// Immutable; thread-safe.
class Product {
 public:
  Product() = default;
  // Nothing when a scratch size would not fit in size_t.
  static std::optional<Product> Make(SimdTarget target, const ProductShape& shape);

  const ProductShape& shape() const { return shape_; }
  // Floats of scratch that one product in progress needs; a multiple of 16.
  size_t scratch_floats() const { return a_floats_ + b_floats_; }
  // Bit-equal results for every width.
  void Run(const ProductArgs& args, ThreadPool* pool, size_t width) const;

 private:
  enum class Way { kPacked, kPlain, kDots };

  SimdTarget target_ = SimdTarget::kBaseline;
  ProductShape shape_;
  Way way_ = Way::kPacked;
  PackedLayout layout_;
  size_t a_floats_ = 0;  // a turned A
  size_t b_floats_ = 0;  // a packed B or its last panel
};

}  // namespace waybill::cpu
