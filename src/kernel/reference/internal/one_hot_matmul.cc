// Rows of a matrix of weights by index: the product of one-hot rows with it. An index counts from
// the end when it is negative; one that is out of range lights nothing and gives a row of zeros.
#include <algorithm>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/internal/kernels.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

Status RunOneHotMatMul(RunContext& ctx) {
  const TensorView& indices = ctx.input(0);
  const TensorView& weights = ctx.input(1);
  const int64_t rows = weights.shape[0], columns = weights.shape[1];
  const auto* from = weights.as<const float>();
  auto* to = ctx.output(0).as<float>();
  return DispatchDType(indices.dtype, TypeList<int32_t, int64_t, uint8_t>{}, [&]<typename T>() {
    for (const T index : indices.span<const T>()) {
      int64_t at = index;
      if (at < 0) at += rows;
      if (at >= 0 && at < rows) {
        std::copy_n(from + at * columns, columns, to);
      } else {
        std::fill_n(to, columns, 0.0f);
      }
      to += columns;
    }
    return Status::Ok();
  });
}

}  // namespace

const KernelImpl kOneHotMatMul[1] = {FunctionImpl<RunOneHotMatMul>("one_hot_matmul.reference")};

}  // namespace waybill::kernel::reference
