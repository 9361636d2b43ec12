// Max, Min, Sum, Mean of any number of operands that broadcast to the output.
#include <cmath>

#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

// NaN of either operand wins.
struct MaxOp {
  static constexpr std::string_view kName = "max.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return b > a || b != b ? b : a;
  }
};
struct MinOp {
  static constexpr std::string_view kName = "min.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return b < a || b != b ? b : a;
  }
};
struct SumOp {
  static constexpr std::string_view kName = "sum.reference";
  template <typename T>
  static T Apply(T a, T b) {
    return a + b;
  }
};
struct MeanOp : SumOp {
  static constexpr std::string_view kName = "mean.reference";
  template <typename T>
  static T Finish(T sum, size_t count) {
    return sum / static_cast<T>(count);
  }
};

template <typename Op, typename Types>
Status RunVariadic(RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  return DispatchDType(out.dtype, Types{}, [&]<typename T>() {
    T* dst = out.as<T>();
    for (size_t k = 0; k < ctx.num_inputs(); ++k) {
      const TensorView& in = ctx.input(k);
      const T* src = in.as<T>();
      ForEachBroadcast(
          out.shape,
          [&](int64_t i, int64_t from) {
            using C = Compute<T>;
            const C value = static_cast<C>(src[from]);
            dst[i] = k == 0 ? src[from] : static_cast<T>(Op::Apply(static_cast<C>(dst[i]), value));
          },
          in.shape);
    }
    if constexpr (requires { Op::Finish(Compute<T>(), size_t{1}); }) {
      MapElements<T, T>(out, out, [&](auto x) { return Op::Finish(x, ctx.num_inputs()); });
    }
    return Status::Ok();
  });
}

template <typename Op, typename Types>
constexpr KernelImpl kVariadic[] = {FunctionImpl<RunVariadic<Op, Types>>(Op::kName)};

constexpr OpKernels kTable[] = {
    {.op_type = "Max", .impls = kVariadic<MaxOp, NumericTypes>},
    {.op_type = "Mean", .impls = kVariadic<MeanOp, FloatTypes>},
    {.op_type = "Min", .impls = kVariadic<MinOp, NumericTypes>},
    {.op_type = "Sum", .impls = kVariadic<SumOp, FloatTypes>},
};

}  // namespace

KernelTable VariadicKernels() { return kTable; }

}  // namespace waybill::kernel::reference
