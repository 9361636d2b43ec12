// Elementwise kernels of one input, made from an operation:
//   struct AbsOp {
//     static constexpr std::string_view kName = "abs.reference";
//     template <typename T> static T Apply(T x);     // T is the compute type
//   };
// An operation with attributes is a struct of them with `static Result<Op> Parse(node)` and a const
// member Apply.
#pragma once

#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/compute.h"

namespace waybill::kernel::reference {

template <typename Op, typename Types>
Status RunUnary(RunContext& ctx) {
  return DispatchDType(ctx.input(0).dtype, Types{}, [&]<typename T>() {
    MapElements<T, T>(ctx.input(0), ctx.output(0), [](auto x) { return Op::Apply(x); });
    return Status::Ok();
  });
}

template <typename Op, typename Types>
Status RunUnaryWith(const Op& op, RunContext& ctx) {
  return DispatchDType(ctx.input(0).dtype, Types{}, [&]<typename T>() {
    MapElements<T, T>(ctx.input(0), ctx.output(0), [&](auto x) { return op.Apply(x); });
    return Status::Ok();
  });
}

template <typename Op, typename Types>
inline constexpr KernelImpl kUnary[] = {
    FunctionImpl<RunUnary<Op, Types>, PlanElementwise>(Op::kName)};

template <typename Op, typename Types>
inline constexpr KernelImpl kUnaryWith[] = {
    FunctionImpl<Op, Op::Parse, RunUnaryWith<Op, Types>, PlanElementwise>(Op::kName)};

}  // namespace waybill::kernel::reference
