// CumSum, CumProd along an axis.
#include <optional>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/axis_split.h"
#include "kernel/reference/support/compute.h"

namespace waybill::kernel::reference {

namespace {

struct CumulativeParams {
  bool exclusive, reverse;
};
Result<CumulativeParams> ParseCumulative(const graph::NodeRef& node) {
  return CumulativeParams{node.attrs().Int("exclusive") != 0, node.attrs().Int("reverse") != 0};
}

Result<size_t> ReadAxis(const TensorView& axis, size_t rank) {
  if (axis.elems() != 1) {
    return Error(Code::kInvalidArgument, "axis must be one number, its shape is {}", axis.shape);
  }
  const int64_t value =
      axis.dtype == DType::kI32 ? int64_t{axis.as<int32_t>()[0]} : axis.as<int64_t>()[0];
  if (const auto index = NormalizeAxis(value, rank)) return *index;
  return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", value, rank);
}

template <bool kProduct>
Status RunCumulative(const CumulativeParams& params, RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, ReadAxis(ctx.input(1), in.shape.rank()));
  using Types = ConcatTypes<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;
  return DispatchDType(in.dtype, Types{}, [&]<typename T>() {
    using A = Accumulator<T>;
    const AxisSplit split = AxisSplit::At(in.shape, axis);
    for (int64_t line = 0; line < (split.axis == 0 ? 0 : split.lines()); ++line) {
      A total = kProduct ? A(1) : A(0);
      for (int64_t j = 0; j < split.axis; ++j) {
        const int64_t step = params.reverse ? split.axis - 1 - j : j;
        const int64_t at = split.LineStart(line) + step * split.inner;
        const A value = static_cast<A>(static_cast<Compute<T>>(in.as<T>()[at]));
        const A next = kProduct ? WrapMul(total, value) : WrapAdd(total, value);
        out.as<T>()[at] = static_cast<T>(params.exclusive ? total : next);
        total = next;
      }
    }
    return Status::Ok();
  });
}

constexpr KernelImpl kCumProd[] = {
    FunctionImpl<CumulativeParams, ParseCumulative, RunCumulative<true>>("cum_prod.reference")};
constexpr KernelImpl kCumSum[] = {
    FunctionImpl<CumulativeParams, ParseCumulative, RunCumulative<false>>("cum_sum.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "CumProd", .impls = kCumProd},
    {.op_type = "CumSum", .impls = kCumSum},
};

}  // namespace

KernelTable CumulativeKernels() { return kTable; }

}  // namespace waybill::kernel::reference
