// ReduceSum, ReduceMean and their sisters. Floats accumulate in double, integers in 64 bits with
// wrap-around.
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/reduce/layout.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/compute.h"
#include "kernel/reference/support/cut_float.h"

namespace waybill::kernel::reference {

namespace {

template <typename T>
Accumulator<T> Widen(T x) {
  return static_cast<Accumulator<T>>(static_cast<Compute<T>>(x));
}
template <typename T>
double Real(T x) {
  return static_cast<double>(static_cast<Compute<T>>(x));
}

// Each operation turns the elements of one output into its value: an accumulator or a double.
struct SumOp {
  static constexpr std::string_view kName = "reduce_sum.reference";
  template <typename T>
  static auto Reduce(const ReduceElements<T>& elements) {
    Accumulator<T> sum = 0;
    elements.ForEach([&](T x) { sum = WrapAdd(sum, Widen(x)); });
    return sum;
  }
};
struct ProdOp {
  static constexpr std::string_view kName = "reduce_prod.reference";
  template <typename T>
  static auto Reduce(const ReduceElements<T>& elements) {
    Accumulator<T> product = 1;
    elements.ForEach([&](T x) { product = WrapMul(product, Widen(x)); });
    return product;
  }
};
struct MeanOp {
  static constexpr std::string_view kName = "reduce_mean.reference";
  template <typename T>
  static auto Reduce(const ReduceElements<T>& elements) {
    using A = Accumulator<T>;
    const A sum = SumOp::Reduce(elements);
    if (std::is_integral_v<A> && elements.count() == 0) return A(0);
    return static_cast<A>(sum / static_cast<A>(elements.count()));
  }
};
struct L1Op {
  static constexpr std::string_view kName = "reduce_l1.reference";
  template <typename T>
  static auto Reduce(const ReduceElements<T>& elements) {
    using A = Accumulator<T>;
    A sum = 0;
    elements.ForEach([&](T x) {
      const A value = Widen(x);
      sum = WrapAdd(sum, value < A(0) ? WrapSub(A(0), value) : value);
    });
    return sum;
  }
};
struct SumSquareOp {
  static constexpr std::string_view kName = "reduce_sum_square.reference";
  template <typename T>
  static auto Reduce(const ReduceElements<T>& elements) {
    Accumulator<T> sum = 0;
    elements.ForEach([&](T x) { sum = WrapAdd(sum, WrapMul(Widen(x), Widen(x))); });
    return sum;
  }
};
struct L2Op {
  static constexpr std::string_view kName = "reduce_l2.reference";
  template <typename T>
  static double Reduce(const ReduceElements<T>& elements) {
    double sum = 0;
    elements.ForEach([&](T x) { sum += Real(x) * Real(x); });
    return std::sqrt(sum);
  }
};
struct LogSumOp {
  static constexpr std::string_view kName = "reduce_log_sum.reference";
  template <typename T>
  static double Reduce(const ReduceElements<T>& elements) {
    double sum = 0;
    elements.ForEach([&](T x) { sum += Real(x); });
    return std::log(sum);
  }
};
struct LogSumExpOp {
  static constexpr std::string_view kName = "reduce_log_sum_exp.reference";
  template <typename T>
  static double Reduce(const ReduceElements<T>& elements) {
    double max = -std::numeric_limits<double>::infinity();
    elements.ForEach([&](T x) { max = Real(x) > max ? Real(x) : max; });
    if (std::isinf(max)) max = 0;
    double sum = 0;
    elements.ForEach([&](T x) { sum += std::exp(Real(x) - max); });
    return max + std::log(sum);
  }
};

// The value that any other replaces: infinity for floats.
template <typename T, bool kMax>
Accumulator<T> WorstOf() {
  if constexpr (std::is_integral_v<T>) {
    return Widen(kMax ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
  } else {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    return kMax ? -kInf : kInf;
  }
}

// NaN wins.
template <bool kMax>
struct ExtremeOp {
  static constexpr std::string_view kName = kMax ? "reduce_max.reference" : "reduce_min.reference";
  template <typename T>
  static auto Reduce(const ReduceElements<T>& elements) {
    using A = Accumulator<T>;
    A best = WorstOf<T, kMax>();
    elements.ForEach([&](T x) {
      const A value = Widen(x);
      if ((kMax ? value > best : value < best) || value != value) best = value;
    });
    return best;
  }
};

template <typename T, typename V>
T Narrow(V value) {
  if constexpr (std::is_integral_v<T> && std::is_same_v<V, double>) {
    return CutFloat<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

struct ReduceParams {
  std::vector<int64_t> axes;  // of the attribute
  bool noop_with_empty_axes;
};
Result<ReduceParams> ParseReduce(const graph::NodeRef& node) {
  return ReduceParams{node.attrs().Ints("axes"), node.attrs().Int("noop_with_empty_axes") != 0};
}

Result<ReduceLayout> LayoutOf(const ReduceParams& params, RunContext& ctx) {
  std::span<const int64_t> axes = params.axes;
  if (ctx.has_input(1)) axes = ctx.input(1).span<const int64_t>();
  const Shape& shape = ctx.input(0).shape;
  if (axes.empty() && params.noop_with_empty_axes) return ReduceLayout::Nothing(shape);
  return ReduceLayout::Of(shape, axes);
}

template <typename Op, typename Types>
Status RunReduce(const ReduceParams& params, RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const ReduceLayout layout, LayoutOf(params, ctx));
  return DispatchDType(in.dtype, Types{}, [&]<typename T>() {
    T* dst = out.as<T>();
    ForEachStrided<1>(layout.kept, {layout.kept_strides}, [&](int64_t base) {
      *dst++ = Narrow<T>(Op::Reduce(ReduceElements<T>{in.as<T>() + base, layout}));
    });
    return Status::Ok();
  });
}

using SumTypes = ConcatTypes<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;
using ExtremeTypes = SumTypes::With<int8_t, uint8_t, bool>;

template <typename Op, typename Types = SumTypes>
constexpr KernelImpl kReduce[] = {
    FunctionImpl<ReduceParams, ParseReduce, RunReduce<Op, Types>>(Op::kName)};

constexpr OpKernels kTable[] = {
    {.op_type = "ReduceL1", .impls = kReduce<L1Op>},
    {.op_type = "ReduceL2", .impls = kReduce<L2Op>},
    {.op_type = "ReduceLogSum", .impls = kReduce<LogSumOp>},
    {.op_type = "ReduceLogSumExp", .impls = kReduce<LogSumExpOp>},
    {.op_type = "ReduceMax", .impls = kReduce<ExtremeOp<true>, ExtremeTypes>},
    {.op_type = "ReduceMean", .impls = kReduce<MeanOp>},
    {.op_type = "ReduceMin", .impls = kReduce<ExtremeOp<false>, ExtremeTypes>},
    {.op_type = "ReduceProd", .impls = kReduce<ProdOp>},
    {.op_type = "ReduceSum", .impls = kReduce<SumOp>},
    {.op_type = "ReduceSumSquare", .impls = kReduce<SumSquareOp>},
};

}  // namespace

KernelTable ReduceKernels() { return kTable; }

}  // namespace waybill::kernel::reference
