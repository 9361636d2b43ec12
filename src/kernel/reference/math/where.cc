// Where: elements of X where the condition holds, of Y elsewhere.
#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

Status RunWhere(RunContext& ctx) {
  const TensorView &condition = ctx.input(0), &x = ctx.input(1), &y = ctx.input(2);
  const TensorView& out = ctx.output(0);
  return DispatchByWidth(out.dtype, [&]<typename T>() {
    ForEachBroadcast(
        out.shape,
        [&](int64_t i, int64_t ic, int64_t ix, int64_t iy) {
          out.as<T>()[i] = condition.as<bool>()[ic] ? x.as<T>()[ix] : y.as<T>()[iy];
        },
        condition.shape, x.shape, y.shape);
    return Status::Ok();
  });
}

constexpr KernelImpl kWhere[] = {FunctionImpl<RunWhere>("where.reference")};

constexpr OpKernels kTable[] = {{.op_type = "Where", .impls = kWhere}};

}  // namespace

KernelTable WhereKernels() { return kTable; }

}  // namespace waybill::kernel::reference
