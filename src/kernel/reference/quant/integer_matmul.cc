// MatMulInteger and QLinearMatMul: products of shifted 8-bit matrices, exact in 32 bits.
#include <cmath>
#include <cstdint>

#include "base/math/checked.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/quant/number.h"
#include "kernel/reference/quant/tables.h"
#include "kernel/reference/support/strided.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using Bytes = TypeList<int8_t, uint8_t>;

// Sizes of numpy.matmul; inference has checked that they fit.
struct MatMulSizes {
  int64_t m = 1, k = 1, n = 1;
  Shape batch, a_batch, b_batch;  // broadcast batch dimensions and those of each operand

  static MatMulSizes Of(const Shape& a, const Shape& b) {
    MatMulSizes sizes;
    sizes.k = a[a.rank() - 1];
    if (a.rank() > 1) sizes.m = a[a.rank() - 2];
    if (b.rank() > 1) sizes.n = b[b.rank() - 1];
    if (a.rank() > 2) sizes.a_batch = Shape(a.dims().first(a.rank() - 2));
    if (b.rank() > 2) sizes.b_batch = Shape(b.dims().first(b.rank() - 2));
    sizes.batch = *BroadcastShapes(sizes.a_batch, sizes.b_batch);
    return sizes;
  }

  // fn(i, a, b) with the index of each output matrix and of its operands' matrices.
  template <typename Fn>
  void ForEachMatrix(Fn&& fn) const {
    ForEachBroadcast(batch, fn, a_batch, b_batch);
  }
};

// A scale or zero point: one for all, one per row (column), or one per row of each matrix.
struct PerLine {
  const TensorView* view = nullptr;  // null: omitted
  int64_t lines = 0;                 // rows of A, or columns of B

  // Errors: kInvalidArgument when it is of no such form.
  static Result<PerLine> Of(const TensorView* view, int64_t lines, int64_t matrices) {
    if (view == nullptr || view->elems() == 1) return PerLine{view, 0};
    const bool per_line = view->shape.rank() == 1 && view->elems() == lines;
    const auto all = CheckedMul(lines, matrices);
    const bool per_matrix = view->shape.rank() > 1 && all && view->elems() == *all;
    if (!per_line && !per_matrix) {
      return Error(Code::kInvalidArgument, "shape {} is not one value or one for each of {} lines",
                   view->shape, lines);
    }
    return PerLine{view, per_line ? 0 : lines};
  }
  size_t At(int64_t matrix, int64_t line) const {
    if (view == nullptr || view->elems() == 1) return 0;
    return static_cast<size_t>(matrix * lines + line);
  }
};

// acc[j] = sum over k of (a[k] - a_zero) * (b[k][j] - b_zero[j]), modulo 2^32.
template <typename A, typename B, typename ZeroOf>
void Row(const A* a, int32_t a_zero, const B* b, int64_t k_count, int64_t n, ZeroOf b_zero,
         uint32_t* acc) {
  for (int64_t j = 0; j < n; ++j) acc[j] = 0;
  for (int64_t k = 0; k < k_count; ++k) {
    const int32_t factor = a[k] - a_zero;
    for (int64_t j = 0; j < n; ++j) {
      acc[j] += static_cast<uint32_t>(factor * (b[k * n + j] - b_zero(j)));
    }
  }
}

template <typename T>
int32_t ZeroAt(const PerLine& zeros, int64_t matrix, int64_t line) {
  return zeros.view == nullptr ? 0 : int32_t{zeros.view->as<T>()[zeros.At(matrix, line)]};
}

// Calls store(matrix, a_matrix, b_matrix, row, acc) for every row of the product.
template <typename A, typename B, typename Store>
void Product(const MatMulSizes& sizes, const TensorView& a, const PerLine& a_zeros,
             const TensorView& b, const PerLine& b_zeros, uint32_t* acc, Store&& store) {
  sizes.ForEachMatrix([&](int64_t matrix, int64_t a_matrix, int64_t b_matrix) {
    const B* const right = b.as<B>() + b_matrix * sizes.k * sizes.n;
    for (int64_t row = 0; row < sizes.m; ++row) {
      const A* const left = a.as<A>() + (a_matrix * sizes.m + row) * sizes.k;
      Row(
          left, ZeroAt<A>(a_zeros, a_matrix, row), right, sizes.k, sizes.n,
          [&](int64_t j) { return ZeroAt<B>(b_zeros, b_matrix, j); }, acc);
      store(matrix, a_matrix, b_matrix, row, acc);
    }
  });
}

const TensorView* Optional(RunContext& ctx, size_t i) {
  return ctx.has_input(i) ? &ctx.input(i) : nullptr;
}

// Scratch: the 32-bit sums of one row.
Status PlanMatMul(PlanContext& ctx, size_t b_input) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& b = ctx.input_shape(b_input);
  const int64_t n = b.rank() > 1 ? b[b.rank() - 1] : 1;
  const auto bytes = CheckedMul<size_t>(static_cast<size_t>(n), sizeof(uint32_t));
  if (!bytes) return Error(Code::kInvalidArgument, "rows of {} elements are too long", n);
  ctx.BookScratch(*bytes);
  return Status::Ok();
}
Status PlanMatMulInteger(PlanContext& ctx) { return PlanMatMul(ctx, 1); }
Status PlanQLinearMatMul(PlanContext& ctx) { return PlanMatMul(ctx, 3); }

Status RunMatMulInteger(RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &y = ctx.output(0);
  const MatMulSizes sizes = MatMulSizes::Of(a.shape, b.shape);
  WB_ASSIGN_OR_RETURN(const PerLine a_zeros,
                      PerLine::Of(Optional(ctx, 2), sizes.m, sizes.a_batch.elems()));
  WB_ASSIGN_OR_RETURN(const PerLine b_zeros,
                      PerLine::Of(Optional(ctx, 3), sizes.n, sizes.b_batch.elems()));
  return DispatchDType(a.dtype, Bytes{}, [&]<typename A>() {
    return DispatchDType(b.dtype, Bytes{}, [&]<typename B>() {
      Product<A, B>(sizes, a, a_zeros, b, b_zeros, ctx.scratch<uint32_t>(0),
                    [&](int64_t matrix, int64_t, int64_t, int64_t row, const uint32_t* acc) {
                      int32_t* out = y.as<int32_t>() + (matrix * sizes.m + row) * sizes.n;
                      for (int64_t j = 0; j < sizes.n; ++j) out[j] = static_cast<int32_t>(acc[j]);
                    });
      return Status::Ok();
    });
  });
}

// What QLinearMatMul needs to scale a sum.
struct Rescale {
  PerLine a_scale, b_scale;
  ReadReal read_scale;
  float y_scale;
  double y_zero;
  WriteReal write;
  const TensorView* y;
  int64_t m, n;

  void Store(int64_t matrix, int64_t a_matrix, int64_t b_matrix, int64_t row, int64_t col,
             double sum) const {
    const double scale_a = read_scale(a_scale.view->data, a_scale.At(a_matrix, row));
    const double scale_b = read_scale(b_scale.view->data, b_scale.At(b_matrix, col));
    const double value = sum * (scale_a * scale_b) / static_cast<double>(y_scale);
    const bool integer = IsIntDType(y->dtype);
    write(y->data, static_cast<size_t>((matrix * m + row) * n + col),
          (integer ? std::nearbyint(value) : value) + y_zero, true);
  }
};

Result<Rescale> MakeRescale(RunContext& ctx, const MatMulSizes& sizes) {
  Rescale r{};
  WB_ASSIGN_OR_RETURN(r.a_scale, PerLine::Of(&ctx.input(1), sizes.m, sizes.a_batch.elems()));
  WB_ASSIGN_OR_RETURN(r.b_scale, PerLine::Of(&ctx.input(4), sizes.n, sizes.b_batch.elems()));
  if (ctx.input(6).elems() != 1 || ctx.input(7).elems() != 1) {
    return Error(Code::kInvalidArgument, "y_scale and y_zero_point must be one number each");
  }
  WB_ASSIGN_OR_RETURN(r.read_scale, RealReader(ctx.input(1).dtype));
  WB_ASSIGN_OR_RETURN(const ReadReal read_zero, RealReader(ctx.input(7).dtype));
  r.y_scale = r.read_scale(ctx.input(6).data, 0);
  r.y_zero = read_zero(ctx.input(7).data, 0);
  r.y = &ctx.output(0);
  WB_ASSIGN_OR_RETURN(r.write, RealWriter(r.y->dtype));
  r.m = sizes.m;
  r.n = sizes.n;
  return r;
}

// float8 operands: sums in double, element by element.
Status MultiplySmallFloats(RunContext& ctx, const MatMulSizes& sizes, const PerLine& a_zeros,
                           const PerLine& b_zeros, const Rescale& rescale) {
  const TensorView &a = ctx.input(0), &b = ctx.input(3);
  WB_ASSIGN_OR_RETURN(const ReadReal read_a, RealReader(a.dtype));
  WB_ASSIGN_OR_RETURN(const ReadReal read_b, RealReader(b.dtype));
  sizes.ForEachMatrix([&](int64_t matrix, int64_t a_matrix, int64_t b_matrix) {
    for (int64_t cell = 0; cell < sizes.m * sizes.n; ++cell) {
      const int64_t row = cell / sizes.n, col = cell % sizes.n;
      const double a_zero = read_a(a_zeros.view->data, a_zeros.At(a_matrix, row));
      const double b_zero = read_b(b_zeros.view->data, b_zeros.At(b_matrix, col));
      double sum = 0;
      for (int64_t k = 0; k < sizes.k; ++k) {
        const int64_t at_a = (a_matrix * sizes.m + row) * sizes.k + k;
        const int64_t at_b = (b_matrix * sizes.k + k) * sizes.n + col;
        sum += (read_a(a.data, static_cast<size_t>(at_a)) - a_zero) *
               (read_b(b.data, static_cast<size_t>(at_b)) - b_zero);
      }
      rescale.Store(matrix, a_matrix, b_matrix, row, col, sum);
    }
  });
  return Status::Ok();
}

Status RunQLinearMatMul(RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(3);
  const MatMulSizes sizes = MatMulSizes::Of(a.shape, b.shape);
  WB_ASSIGN_OR_RETURN(const PerLine a_zeros,
                      PerLine::Of(&ctx.input(2), sizes.m, sizes.a_batch.elems()));
  WB_ASSIGN_OR_RETURN(const PerLine b_zeros,
                      PerLine::Of(&ctx.input(5), sizes.n, sizes.b_batch.elems()));
  WB_ASSIGN_OR_RETURN(const Rescale rescale, MakeRescale(ctx, sizes));
  if (!IsIntDType(a.dtype)) return MultiplySmallFloats(ctx, sizes, a_zeros, b_zeros, rescale);
  return DispatchDType(a.dtype, Bytes{}, [&]<typename A>() {
    return DispatchDType(b.dtype, Bytes{}, [&]<typename B>() {
      Product<A, B>(sizes, a, a_zeros, b, b_zeros, ctx.scratch<uint32_t>(0),
                    [&](int64_t matrix, int64_t a_matrix, int64_t b_matrix, int64_t row,
                        const uint32_t* acc) {
                      for (int64_t j = 0; j < sizes.n; ++j) {
                        rescale.Store(matrix, a_matrix, b_matrix, row, j,
                                      static_cast<int32_t>(acc[j]));
                      }
                    });
      return Status::Ok();
    });
  });
}

constexpr KernelImpl kMatMulInteger[] = {
    FunctionImpl<RunMatMulInteger, PlanMatMulInteger>("matmul_integer.reference")};
constexpr KernelImpl kQLinearMatMul[] = {
    FunctionImpl<RunQLinearMatMul, PlanQLinearMatMul>("qlinear_matmul.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "MatMulInteger", .impls = kMatMulInteger},
    {.op_type = "QLinearMatMul", .impls = kQLinearMatMul},
};

}  // namespace

KernelTable IntegerMatMulKernels() { return kTable; }

}  // namespace waybill::kernel::reference
