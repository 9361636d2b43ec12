#include "kernel/reference/support/product.h"

namespace waybill::kernel::reference {

namespace {

// Row-major strides of the batch dims of `shape` (all but the last two), aligned to `batch` from
// the right and 0 where the dim is broadcast.
Shape BatchStrides(const Shape& shape, size_t batch_rank) {
  Shape strides = Shape::Filled(batch_rank, 0);
  const size_t own = shape.rank() - 2;
  int64_t stride = shape[own] * shape[own + 1];
  for (size_t i = own; i-- > 0;) {
    if (shape[i] != 1) strides[batch_rank - own + i] = stride;
    stride *= shape[i];
  }
  return strides;
}

// Leading dims of A become rows when B is one matrix for all of them.
void FoldBatch(ProductSpec& spec, const Shape& a, const Shape& b) {
  for (size_t i = 0; i + 2 < b.rank(); ++i) {
    if (b[i] != 1) return;
  }
  if (a.rank() < spec.batch.rank() + 2) return;
  spec.m *= spec.batch.elems();
  spec.batch = spec.a_batch = spec.b_batch = Shape();
}

}  // namespace

Result<ProductSpec> MatMulSpec(const Shape& a_in, const Shape& b_in, Shape* output) {
  if (a_in.rank() == 0 || b_in.rank() == 0) {
    return Error(Code::kInvalidArgument, "a scalar is no matrix: shapes {} and {}", a_in, b_in);
  }
  Shape a = a_in, b = b_in;
  if (a.rank() == 1) a = Shape{1, a_in[0]};
  if (b.rank() == 1) b = Shape{b_in[0], 1};
  ProductSpec spec;
  spec.m = a[a.rank() - 2];
  spec.k = a[a.rank() - 1];
  spec.n = b[b.rank() - 1];
  const auto batch =
      BroadcastShapes(Shape(a.dims().first(a.rank() - 2)), Shape(b.dims().first(b.rank() - 2)));
  if (b[b.rank() - 2] != spec.k || !batch) {
    return Error(Code::kInvalidArgument, "matrices of shapes {} and {} do not multiply", a_in,
                 b_in);
  }
  spec.batch = *batch;
  spec.a_batch = BatchStrides(a, batch->rank());
  spec.b_batch = BatchStrides(b, batch->rank());
  spec.a_row = spec.k;
  spec.a_k = 1;
  spec.b_k = spec.n;
  spec.b_col = 1;
  if (output != nullptr) {
    *output = *batch;
    if (a_in.rank() > 1) output->PushBack(spec.m);
    if (b_in.rank() > 1) output->PushBack(spec.n);
  }
  FoldBatch(spec, a, b);
  return spec;
}

Result<size_t> ProductScratchBytes(int64_t depth, size_t width) {
  auto bytes = CheckedMul(static_cast<size_t>(depth), kPanel * sizeof(double));
  if (bytes) bytes = CheckedMul(*bytes, std::max<size_t>(width, 1));
  if (!bytes) return Error(Code::kInvalidArgument, "sums of {} products are too long", depth);
  return *bytes;
}

}  // namespace waybill::kernel::reference
