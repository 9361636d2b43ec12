// Compress and NonZero.
#include <algorithm>
#include <complex>
#include <string>

#include "graph/infer/context.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/nd.h"
#include "kernel/reference/tensor/kernels.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct CompressParams {
  bool flat = true;
  int64_t axis = 0;
};

Result<CompressParams> ParseCompress(const graph::NodeRef& node) {
  return CompressParams{!node.attrs().Has("axis"), node.attrs().Int("axis", 0)};
}

// The rule sizes the output where the condition is known when the step is planned.
Status PlanCompress(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  if (ctx.output_shape(0) != nullptr || !ctx.has_input(1)) return Status::Ok();
  const Shape &in = ctx.input_shape(0), &condition = ctx.input_shape(1);
  Shape most = in;
  if (!ctx.node().attrs().Has("axis")) {
    most = Shape({std::min(in.elems(), condition.elems())});
  } else {
    WB_ASSIGN_OR_RETURN(const size_t axis,
                        graph::infer::Axis(ctx.node().attrs().Int("axis", 0), in.rank()));
    most[axis] = std::min(in[axis], condition.elems());
  }
  ctx.SetMost(0, ctx.input_dtype(0), std::move(most));
  return Status::Ok();
}

// Otherwise it is sized here.
Result<TensorView> CompressedOutput(const CompressParams& params, RunContext& ctx) {
  if (!ctx.sizes_outputs()) return ctx.output(0);
  const TensorView& in = ctx.input(0);
  const std::span<const uint8_t> condition = ctx.input(1).span<const uint8_t>();
  size_t axis = 0;
  if (!params.flat) {
    WB_ASSIGN_OR_RETURN(axis, graph::infer::Axis(params.axis, in.shape.rank()));
  }
  const int64_t dim = params.flat ? in.elems() : in.shape[axis];
  if (static_cast<int64_t>(condition.size()) > dim) {
    return Error(Code::kInvalidArgument, "the condition has {} values for {} elements",
                 condition.size(), dim);
  }
  const int64_t kept =
      std::count_if(condition.begin(), condition.end(), [](uint8_t keep) { return keep != 0; });
  Shape shape = params.flat ? Shape({kept}) : in.shape;
  if (!params.flat) shape[axis] = kept;
  return ctx.AllocateOutput(0, in.dtype, shape);
}

Status RunCompress(const CompressParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const TensorView out, CompressedOutput(params, ctx));
  const std::span<const uint8_t> condition = ctx.input(1).span<const uint8_t>();
  int64_t outer = 1, dim = in.elems(), inner = 1;
  if (!params.flat) {
    WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, in.shape.rank()));
    outer = in.shape.ElemsBetween(0, axis);
    dim = in.shape[axis];
    inner = in.shape.ElemsBetween(axis + 1, in.shape.rank());
  }
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < condition.size(); ++i) {
      if (condition[i] == 0) continue;
      CopyElements(out, to, in, (o * dim + static_cast<int64_t>(i)) * inner, inner);
      to += inner;
    }
  }
  return Status::Ok();
}

template <typename T>
bool IsNonZero(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return !value.empty();
  } else if constexpr (requires { value.IsNan(); }) {
    return value.ToFloat() != 0.0f;
  } else {
    return value != T(0);
  }
}

Status PlanNonZero(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& in = ctx.input_shape(0);
  const auto rank = std::max<int64_t>(1, static_cast<int64_t>(in.rank()));
  ctx.SetMost(0, DType::kI64, Shape({rank, in.elems()}));
  return Status::Ok();
}

Status RunNonZero(RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  return DispatchDType(in.dtype, UnpackedTypes{}, [&]<typename T>() -> Status {
    const std::span<const T> values = in.span<const T>();
    const int64_t found = std::count_if(values.begin(), values.end(), IsNonZero<T>);
    // A scalar counts as one dimension, as in numpy.
    const Shape box = in.shape.rank() == 0 ? Shape({1}) : in.shape;
    const auto rank = static_cast<int64_t>(box.rank());
    WB_ASSIGN_OR_RETURN(const TensorView out,
                        ctx.AllocateOutput(0, DType::kI64, Shape({rank, found})));
    if (found == 0) return Status::Ok();
    NdCounter at(box);
    int64_t column = 0;
    size_t i = 0;
    do {
      if (!IsNonZero(values[i++])) continue;
      for (int64_t d = 0; d < rank; ++d) {
        out.as<int64_t>()[d * found + column] = at[static_cast<size_t>(d)];
      }
      ++column;
    } while (at.Next());
    return Status::Ok();
  });
}

}  // namespace

const KernelImpl kCompress[1] = {
    FunctionImpl<CompressParams, ParseCompress, RunCompress, PlanCompress>("compress.reference")};
const KernelImpl kNonZero[1] = {FunctionImpl<RunNonZero, PlanNonZero>("non_zero.reference")};

}  // namespace waybill::kernel::reference
