// Elementwise kernels of two broadcast operands, made from an operation:
//   struct AddOp {
//     static constexpr std::string_view kName = "add.reference";
//     template <typename T> static T Apply(T a, T b);   // T is the compute type; or returns bool
//     static Status Check(const TensorView& b);         // optional: refuses the second operand
//   };
#pragma once

#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/compute.h"
#include "kernel/reference/support/legacy_broadcast.h"
#include "kernel/reference/support/strided.h"

namespace waybill::kernel::reference {

// The output may overwrite inputs of its own type and shape. For kernels of at most two inputs of
// that type that read both elements before they write.
inline Status PlanBroadcast(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape* out = ctx.output_shape(0);
  for (size_t i = 0; out != nullptr && i < ctx.num_inputs(); ++i) {
    if (!ctx.has_input(i) || ctx.input_dtype(i) != ctx.record().outputs[0].dtype) continue;
    if (ctx.input_shape(i) == *out) ctx.AllowInPlace(0, i);
  }
  return Status::Ok();
}

// out = fn(a, b) elementwise, in compute types.
template <typename A, typename B, typename Out, typename Fn>
void MapBroadcast(const TensorView& a, const Shape& a_shape, const TensorView& b,
                  const Shape& b_shape, const TensorView& out, Fn fn) {
  const A* src_a = a.as<A>();
  const B* src_b = b.as<B>();
  Out* dst = out.as<Out>();
  ForEachBroadcast(
      out.shape,
      [&](int64_t i, int64_t ia, int64_t ib) {
        dst[i] = static_cast<Out>(
            fn(static_cast<Compute<A>>(src_a[ia]), static_cast<Compute<B>>(src_b[ib])));
      },
      a_shape, b_shape);
}

template <typename Op, typename Types>
Status RunBinary(const LegacyBroadcast& legacy, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &out = ctx.output(0);
  return DispatchDType(a.dtype, Types{}, [&]<typename T>() {
    if constexpr (requires { Op::Check(b); }) {
      if (out.elems() > 0) WB_RETURN_IF_ERROR(Op::Check(b));
    }
    using Made = decltype(Op::Apply(Compute<T>(), Compute<T>()));
    using Out = std::conditional_t<std::is_same_v<Made, bool>, bool, T>;
    const auto apply = [](const auto& x, const auto& y) { return Op::Apply(x, y); };
    MapBroadcast<T, T, Out>(a, a.shape, b, legacy.Second(a.shape, b.shape), out, apply);
    return Status::Ok();
  });
}

inline Result<LegacyBroadcast> ParseLegacyBroadcast(const graph::NodeRef& node) {
  return LegacyBroadcast::Of(node);
}

template <typename Op, typename Types>
inline constexpr KernelImpl kBinary[] = {
    FunctionImpl<LegacyBroadcast, ParseLegacyBroadcast, RunBinary<Op, Types>, PlanBroadcast>(
        Op::kName)};

// Errors: kInvalidArgument when an integer tensor has a zero.
Status RefuseZeros(const TensorView& divisor);

}  // namespace waybill::kernel::reference
