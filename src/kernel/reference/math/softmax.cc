// Softmax, LogSoftmax, Hardmax: along one axis from opset 13 on; before, over all dimensions from
// the axis on as if they were one.
#include <cmath>
#include <limits>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/math/tables.h"
#include "kernel/reference/support/axis_split.h"
#include "kernel/reference/support/compute.h"

namespace waybill::kernel::reference {

namespace {

enum class Form { kSoftmax, kLog, kHard };

struct SoftmaxParams {
  int64_t axis;
  bool flatten;
};
Result<SoftmaxParams> ParseSoftmax(const graph::NodeRef& node) {
  return SoftmaxParams{node.attrs().Int("axis"), node.since_version() < 13};
}

// One line of `count` elements, `stride` apart.
template <Form kForm, typename T>
void Line(const T* in, T* out, int64_t count, int64_t stride) {
  double max = -std::numeric_limits<double>::infinity();
  int64_t first_max = 0;
  for (int64_t j = 0; j < count; ++j) {
    const double x = static_cast<double>(in[j * stride]);
    if (!(x > max)) continue;
    max = x;
    first_max = j;
  }
  if constexpr (kForm == Form::kHard) {
    for (int64_t j = 0; j < count; ++j) {
      out[j * stride] = static_cast<T>(j == first_max ? 1.0f : 0.0f);
    }
    return;
  }
  double sum = 0;
  for (int64_t j = 0; j < count; ++j) sum += std::exp(static_cast<double>(in[j * stride]) - max);
  const double log_sum = std::log(sum);
  for (int64_t j = 0; j < count; ++j) {
    const double shifted = static_cast<double>(in[j * stride]) - max;
    out[j * stride] =
        static_cast<T>(kForm == Form::kLog ? shifted - log_sum : std::exp(shifted) / sum);
  }
}

template <Form kForm>
Status RunSoftmax(const SoftmaxParams& params, RunContext& ctx) {
  const TensorView &in = ctx.input(0), &out = ctx.output(0);
  const auto rank = static_cast<int64_t>(in.shape.rank());
  const int64_t axis = params.axis < 0 ? params.axis + rank : params.axis;
  if (axis < 0 || axis > rank || (axis == rank && rank > 0 && !params.flatten)) {
    return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", params.axis, rank);
  }
  const auto at = static_cast<size_t>(axis);
  const AxisSplit split = params.flatten || rank == 0 ? AxisSplit::Flattened(in.shape, at)
                                                      : AxisSplit::At(in.shape, at);
  return DispatchDType(in.dtype, FloatTypes{}, [&]<typename T>() {
    for (int64_t line = 0; line < (split.axis == 0 ? 0 : split.lines()); ++line) {
      const int64_t start = split.LineStart(line);
      Line<kForm>(in.as<T>() + start, out.as<T>() + start, split.axis, split.inner);
    }
    return Status::Ok();
  });
}

template <Form kForm>
constexpr KernelImpl Impl(std::string_view name) {
  return FunctionImpl<SoftmaxParams, ParseSoftmax, RunSoftmax<kForm>, PlanElementwise>(name);
}

constexpr KernelImpl kHardmax[] = {Impl<Form::kHard>("hardmax.reference")};
constexpr KernelImpl kLogSoftmax[] = {Impl<Form::kLog>("log_softmax.reference")};
constexpr KernelImpl kSoftmax[] = {Impl<Form::kSoftmax>("softmax.reference")};

constexpr OpKernels kTable[] = {
    {.op_type = "Hardmax", .impls = kHardmax},
    {.op_type = "LogSoftmax", .impls = kLogSoftmax},
    {.op_type = "Softmax", .impls = kSoftmax},
};

}  // namespace

KernelTable SoftmaxKernels() { return kTable; }

}  // namespace waybill::kernel::reference
