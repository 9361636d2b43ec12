// ArgMax, ArgMin: the index of the largest or smallest element along an axis. NaN counts as both.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/axis_split.h"
#include "kernel/reference/support/compute.h"

namespace waybill::kernel::reference {

namespace {

struct ArgParams {
  int64_t axis;
  bool last;  // of equal ones
};
Result<ArgParams> ParseArg(const graph::NodeRef& node) {
  return ArgParams{node.attrs().Int("axis"), node.attrs().Int("select_last_index") != 0};
}

template <bool kMax, typename C>
bool Better(C value, C best, bool last) {
  if (best != best) return last && value != value;
  if (value != value) return true;
  if (last && value == best) return true;
  return kMax ? value > best : value < best;
}

template <bool kMax>
Status RunArg(const ArgParams& params, RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  AxisSplit split;
  if (in.shape.rank() > 0) {
    const auto axis = NormalizeAxis(params.axis, in.shape.rank());
    if (!axis) {
      return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", params.axis,
                   in.shape.rank());
    }
    split = AxisSplit::At(in.shape, *axis);
  }
  if (split.axis == 0 && out.elems() > 0) {
    return Error(Code::kInvalidArgument, "axis {} of shape {} has no elements to choose from",
                 params.axis, in.shape);
  }
  return DispatchDType(in.dtype, NumericTypes{}, [&]<typename T>() {
    for (int64_t line = 0; line < out.elems(); ++line) {
      const T* src = in.as<T>() + split.LineStart(line);
      int64_t best = 0;
      for (int64_t j = 1; j < split.axis; ++j) {
        using C = Compute<T>;
        if (Better<kMax>(static_cast<C>(src[j * split.inner]),
                         static_cast<C>(src[best * split.inner]), params.last)) {
          best = j;
        }
      }
      out.as<int64_t>()[line] = best;
    }
    return Status::Ok();
  });
}

constexpr KernelImpl kArgMax[] = {
    FunctionImpl<ArgParams, ParseArg, RunArg<true>>("arg_max.reference")};
constexpr KernelImpl kArgMin[] = {
    FunctionImpl<ArgParams, ParseArg, RunArg<false>>("arg_min.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "ArgMax", .impls = kArgMax},
    {.op_type = "ArgMin", .impls = kArgMin},
};

}  // namespace

KernelTable ArgExtremeKernels() { return kTable; }

}  // namespace waybill::kernel::reference
