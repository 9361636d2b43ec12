// Range: numbers from start in steps of delta, as many as the output's planned length says.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/compute.h"

namespace waybill::kernel::reference {

namespace {

Status RunRange(RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  using Types = ConcatTypes<FloatTypes, TypeList<int16_t, int32_t, int64_t>>;
  return DispatchDType(out.dtype, Types{}, [&]<typename T>() {
    using A = Accumulator<T>;
    const A start = static_cast<A>(ctx.input(0).as<T>()[0]);
    const A delta = static_cast<A>(ctx.input(2).as<T>()[0]);
    for (int64_t i = 0; i < out.elems(); ++i) {
      out.as<T>()[i] = static_cast<T>(WrapAdd(start, WrapMul(static_cast<A>(i), delta)));
    }
    return Status::Ok();
  });
}

constexpr KernelImpl kRange[] = {FunctionImpl<RunRange>("range.reference")};

constexpr OpKernels kTable[] = {{.op_type = "Range", .impls = kRange}};

}  // namespace

KernelTable RangeKernels() { return kTable; }

}  // namespace waybill::kernel::reference
