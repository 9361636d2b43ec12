#include <utility>

#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/support/planned_kernel.h"
#include "kernel/reference/support/product.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct FusedMatMulParams {
  bool trans_a, trans_b, batch_a, batch_b;
  double alpha;
};

Result<FusedMatMulParams> ParseFusedMatMul(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  return FusedMatMulParams{attrs.Int("transA") != 0, attrs.Int("transB") != 0,
                           attrs.Int("transBatchA") != 0, attrs.Int("transBatchB") != 0,
                           static_cast<double>(attrs.Float("alpha", 1))};
}

// An operand as a stack of matrices [batch..., rows, columns] with strides in elements.
struct Operand {
  Shape batch, strides;
  int64_t rows = 1, columns = 1, row_stride = 0, column_stride = 0;
};

// `trans_batch`: the tensor is [rows, batch..., columns], the batch stands between the matrix axes.
Operand View(const Shape& shape, bool trans_batch, bool trans, bool left) {
  Operand out;
  const size_t rank = shape.rank();
  if (rank == 1) {
    (left ? out.columns : out.rows) = shape[0];
    (left ? out.column_stride : out.row_stride) = 1;
    return out;
  }
  const size_t row_axis = trans_batch ? 0 : rank - 2;
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (i == row_axis) continue;
    out.batch.PushBack(shape[i]);
    out.strides.PushBack(shape.Stride(i));
  }
  out.rows = shape[row_axis];
  out.row_stride = shape.Stride(row_axis);
  out.columns = shape[rank - 1];
  out.column_stride = 1;
  if (trans) {
    std::swap(out.rows, out.columns);
    std::swap(out.row_stride, out.column_stride);
  }
  return out;
}

// Strides of `operand` for the broadcast `batch`.
Shape Align(const Operand& operand, const Shape& batch) {
  Shape out = Shape::Filled(batch.rank(), 0);
  const size_t shift = batch.rank() - operand.batch.rank();
  for (size_t i = 0; i < operand.batch.rank(); ++i) {
    if (operand.batch[i] != 1) out[shift + i] = operand.strides[i];
  }
  return out;
}

Status PlanFusedMatMul(const FusedMatMulParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Operand a = View(ctx.input_shape(0), p.batch_a, p.trans_a, true);
  WB_ASSIGN_OR_RETURN(const size_t bytes, ProductScratchBytes(a.columns, ctx.width()));
  ctx.BookScratch(bytes);
  return Status::Ok();
}

Status RunFusedMatMul(const FusedMatMulParams& p, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &y = ctx.output(0);
  const Operand left = View(a.shape, p.batch_a, p.trans_a, true);
  const Operand right = View(b.shape, p.batch_b, p.trans_b, false);
  const auto batch = BroadcastShapes(left.batch, right.batch);
  if (!batch || left.columns != right.rows) {
    return Error(Code::kInvalidArgument, "matrices of shapes {} and {} do not multiply", a.shape,
                 b.shape);
  }
  ProductSpec spec;
  spec.batch = *batch;
  spec.a_batch = Align(left, *batch);
  spec.b_batch = Align(right, *batch);
  spec.m = left.rows;
  spec.k = left.columns;
  spec.n = right.columns;
  spec.a_row = left.row_stride;
  spec.a_k = left.column_stride;
  spec.b_k = right.row_stride;
  spec.b_col = right.column_stride;
  return DispatchDType(a.dtype, FloatTypes{}, [&]<typename T>() {
    T* const out = y.as<T>();
    RunProduct(ctx, spec, a.as<T>(), b.as<T>(), ctx.scratch(0),
               [&](int64_t index, int64_t row, int64_t col, double total) {
                 out[(index * spec.m + row) * spec.n + col] = static_cast<T>(total * p.alpha);
               });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kFusedMatMul[1] = {
    PlannedImpl<FusedMatMulParams, ParseFusedMatMul, PlanFusedMatMul, RunFusedMatMul>(
        "fused_matmul.reference")};

}  // namespace waybill::kernel::reference
