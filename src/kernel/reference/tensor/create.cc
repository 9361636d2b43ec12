// ConstantOfShape, EyeLike and OneHot.
#include <cmath>
#include <limits>

#include "graph/infer/context.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/tensor/kernels.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct ConstantParams {
  Tensor value;  // undefined: zero
};

Result<ConstantParams> ParseConstantOfShape(const graph::NodeRef& node) {
  const auto* value = node.attrs().Get<Tensor>("value");
  if (value == nullptr) return ConstantParams{};
  if (value->shape().elems() != 1) {
    return Error(Code::kInvalidArgument, "value must have one element, not {}",
                 value->view().Describe());
  }
  return ConstantParams{*value};
}

Status RunConstantOfShape(const ConstantParams& params, RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  if (params.value.defined()) {
    FillElements(out, 0, out.elems(), params.value.view(), 0);
  } else {
    ZeroElements(out, 0, out.elems());
  }
  return Status::Ok();
}

struct EyeParams {
  int64_t k = 0;
};

Result<EyeParams> ParseEyeLike(const graph::NodeRef& node) {
  return EyeParams{node.attrs().Int("k", 0)};
}

Status RunEyeLike(const EyeParams& params, RunContext& ctx) {
  const TensorView& out = ctx.output(0);
  ZeroElements(out, 0, out.elems());
  const int64_t rows = out.shape[0], cols = out.shape[1];
  if (params.k >= cols || params.k <= -rows) return Status::Ok();
  return DispatchDType(out.dtype, NumericTypes::With<bool>{}, [&]<typename T>() {
    for (int64_t r = std::max<int64_t>(0, -params.k); r < rows && r + params.k < cols; ++r) {
      out.as<T>()[r * cols + r + params.k] = static_cast<T>(1);
    }
    return Status::Ok();
  });
}

struct OneHotParams {
  int64_t axis = -1;
};

Result<OneHotParams> ParseOneHot(const graph::NodeRef& node) {
  return OneHotParams{node.attrs().Int("axis", -1)};
}

// An index as the position it lights, or -1. Fractions are cut off, as conversions to integers do.
template <typename T>
int64_t HotPosition(T index, int64_t depth) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_unsigned_v<T>) {
      return static_cast<uint64_t>(index) < static_cast<uint64_t>(depth)
                 ? static_cast<int64_t>(index)
                 : -1;
    } else {
      const int64_t at = index;
      if (at < -depth || at >= depth) return -1;
      return at < 0 ? at + depth : at;
    }
  } else {
    const double at = std::trunc(static_cast<double>(index));
    const auto bound = static_cast<double>(depth);
    if (!(at >= -bound && at < bound)) return -1;
    const auto whole = static_cast<int64_t>(at);
    return whole < 0 ? whole + depth : whole;
  }
}

Status RunOneHot(const OneHotParams& params, RunContext& ctx) {
  const TensorView& indices = ctx.input(0);
  const TensorView& values = ctx.input(2);
  const TensorView& out = ctx.output(0);
  if (values.elems() != 2) {
    return Error(Code::kInvalidArgument, "values must be [off, on], not {}", values.Describe());
  }
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, out.shape.rank()));
  const int64_t depth = out.shape[axis];
  const int64_t inner = out.shape.ElemsBetween(axis + 1, out.shape.rank());
  FillElements(out, 0, out.elems(), values, 0);
  return DispatchDType(indices.dtype, NumericTypes{}, [&]<typename T>() {
    for (int64_t i = 0; i < indices.elems(); ++i) {
      const int64_t hot = HotPosition(indices.as<T>()[i], depth);
      if (hot < 0) continue;
      CopyElements(out, (i / inner * depth + hot) * inner + i % inner, values, 1, 1);
    }
    return Status::Ok();
  });
}

}  // namespace

const KernelImpl kConstantOfShape[1] = {
    FunctionImpl<ConstantParams, ParseConstantOfShape, RunConstantOfShape>(
        "constant_of_shape.reference")};
const KernelImpl kEyeLike[1] = {
    FunctionImpl<EyeParams, ParseEyeLike, RunEyeLike>("eye_like.reference")};
const KernelImpl kOneHot[1] = {
    FunctionImpl<OneHotParams, ParseOneHot, RunOneHot>("one_hot.reference")};

}  // namespace waybill::kernel::reference
