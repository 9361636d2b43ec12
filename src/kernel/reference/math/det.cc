// Det: by elimination with row pivots, in double.
#include <algorithm>
#include <cmath>

#include "base/math/checked.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/compute.h"

namespace waybill::kernel::reference {

namespace {

// `m` is n x n, row-major, and is destroyed.
double Determinant(double* m, int64_t n) {
  double det = 1;
  for (int64_t col = 0; col < n; ++col) {
    int64_t pivot = col;
    for (int64_t row = col + 1; row < n; ++row) {
      if (std::abs(m[row * n + col]) > std::abs(m[pivot * n + col])) pivot = row;
    }
    if (m[pivot * n + col] == 0) return 0;
    if (pivot != col) {
      std::swap_ranges(m + pivot * n, m + pivot * n + n, m + col * n);
      det = -det;
    }
    det *= m[col * n + col];
    for (int64_t row = col + 1; row < n; ++row) {
      const double factor = m[row * n + col] / m[col * n + col];
      for (int64_t k = col; k < n; ++k) m[row * n + k] -= factor * m[col * n + k];
    }
  }
  return det;
}

Status PlanDet(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& in = ctx.input_shape(0);
  const int64_t n = in[in.rank() - 1];
  const auto cells = CheckedMul(n, n);
  const auto bytes = cells ? CheckedMul<int64_t>(*cells, sizeof(double)) : std::nullopt;
  if (!bytes) return Error(Code::kInvalidArgument, "a matrix of {} rows is too large", n);
  ctx.BookScratch(static_cast<size_t>(*bytes));
  return Status::Ok();
}

Status RunDet(RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  const int64_t n = in.shape[in.shape.rank() - 1];
  double* const matrix = ctx.scratch<double>(0);
  return DispatchDType(in.dtype, FloatTypes{}, [&]<typename T>() {
    const T* src = in.as<T>();
    for (int64_t i = 0; i < out.elems(); ++i) {
      for (int64_t k = 0; k < n * n; ++k) matrix[k] = static_cast<double>(*src++);
      out.as<T>()[i] = static_cast<T>(Determinant(matrix, n));
    }
    return Status::Ok();
  });
}

constexpr KernelImpl kDet[] = {FunctionImpl<RunDet, PlanDet>("det.reference")};

constexpr OpKernels kTable[] = {{.op_type = "Det", .impls = kDet}};

}  // namespace

KernelTable DetKernels() { return kTable; }

}  // namespace waybill::kernel::reference
