#include "cpu/kernels/batched_product.h"

#include <algorithm>

#include "base/math/checked.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

constexpr double kNsPerMultiplication = 0.03;

// Rows of A that follow each other and meet the same B are one taller product.
void FoldRows(BatchedShape& s) {
  while (!s.product.trans_a && s.batch.rank() > 0) {
    const size_t last = s.batch.rank() - 1;
    const auto dim = static_cast<size_t>(s.batch[last]);
    const bool dense = s.a_strides[last] == static_cast<int64_t>(s.product.m * s.product.lda) &&
                       s.c_strides[last] == static_cast<int64_t>(s.product.m * s.ldc);
    if (dim != 1 && (s.b_strides[last] != 0 || !dense)) return;
    s.product.m *= dim;
    s.batch = Shape(s.batch.dims().first(last));
  }
}

void SetDense(BatchedShape& s) {
  s.ldc = s.product.n;
  s.c_strides = s.batch;
  auto stride = static_cast<int64_t>(s.product.m * s.product.n);
  for (size_t i = s.batch.rank(); i > 0; --i) {
    s.c_strides[i - 1] = stride;
    stride *= s.batch[i - 1];
  }
}

}  // namespace

Result<BatchedProduct> BatchedProduct::Make(SimdTarget target, const BatchedShape& shape,
                                            size_t width) {
  BatchedShape s = shape;
  if (s.c_strides.rank() != s.batch.rank() || s.ldc == 0) SetDense(s);
  FoldRows(s);
  BatchedProduct out;
  out.ldc_ = s.ldc;
  for (size_t i = 0; i < s.batch.rank(); ++i) {
    const auto dim = static_cast<size_t>(s.batch[i]);
    out.count_ *= dim;
    if (dim != 1) {
      out.axes_.push_back({dim, static_cast<size_t>(s.a_strides[i]),
                           static_cast<size_t>(s.b_strides[i]),
                           static_cast<size_t>(s.c_strides[i])});
    }
  }
  const auto product = Product::Make(target, s.product);
  if (!product) {
    return Error(Code::kInvalidArgument, "a product of {} x {} x {} is too large", s.product.m,
                 s.product.n, s.product.k);
  }
  out.product_ = *product;
  const size_t each = s.product.m * s.product.n * std::max<size_t>(s.product.k, 1);
  const size_t threads = ThreadsFor(each * out.count_, kNsPerMultiplication, width);
  // With enough products each thread does whole ones; else all threads share each product.
  out.workers_ = out.count_ >= 2 * threads ? threads : 1;
  const auto floats = CheckedMul(out.workers_, product->scratch_floats());
  if (!floats || !CheckedMul(*floats, sizeof(float))) {
    return Error(Code::kInvalidArgument, "scratch of {} products is too large", out.workers_);
  }
  return out;
}

void BatchedProduct::RunOne(size_t index, const ProductArgs& shared, ThreadPool* pool,
                            size_t width) const {
  ProductArgs args = shared;
  for (size_t i = axes_.size(); i > 0; --i) {
    const Axis& axis = axes_[i - 1];
    args.a += index % axis.dim * axis.a_stride;
    args.b += index % axis.dim * axis.b_stride;
    args.c += index % axis.dim * axis.c_stride;
    index /= axis.dim;
  }
  product_.Run(args, pool, width);
}

void BatchedProduct::Run(const float* a, const float* b, float* c, bool accumulate, float* scratch,
                         ThreadPool* pool, size_t width) const {
  ProductArgs args;
  args.a = a;
  args.b = b;
  args.c = c;
  args.ldc = ldc_;
  args.accumulate = accumulate;
  args.scratch = scratch;
  const size_t workers = std::min(workers_, std::max<size_t>(width, 1));
  if (workers == 1) {
    for (size_t i = 0; i < count_; ++i) RunOne(i, args, pool, width);
    return;
  }
  ParallelFor(pool, workers, workers, [&](size_t begin, size_t end) {
    for (size_t worker = begin; worker < end; ++worker) {
      ProductArgs mine = args;
      mine.scratch = scratch + worker * product_.scratch_floats();
      for (size_t i = worker; i < count_; i += workers) RunOne(i, mine, nullptr, 1);
    }
  });
}

}  // namespace waybill::cpu
