// Clip: limits as attributes up to opset 6, as optional scalar inputs from 11 on. Where the limits
// cross, the upper one wins; NaN stays NaN.
#include <limits>
#include <optional>

#include "kernel/reference/math/tables.h"
#include "kernel/reference/math/unary.h"

namespace waybill::kernel::reference {

namespace {

struct ClipParams {
  std::optional<float> min, max;  // attributes; inputs come on top
};
Result<ClipParams> ParseClip(const graph::NodeRef& node) {
  ClipParams params;
  if (const float* min = node.attrs().Get<float>("min")) params.min = *min;
  if (const float* max = node.attrs().Get<float>("max")) params.max = *max;
  return params;
}

template <typename T>
Status ReadLimit(RunContext& ctx, size_t input, const char* name, std::optional<T>& limit) {
  if (!ctx.has_input(input)) return Status::Ok();
  const TensorView& view = ctx.input(input);
  if (view.elems() != 1 || view.shape.rank() > 1) {
    return Error(Code::kInvalidArgument, "{} must be a scalar, its shape is {}", name, view.shape);
  }
  limit = view.as<T>()[0];
  return Status::Ok();
}

Status RunClip(const ClipParams& params, RunContext& ctx) {
  return DispatchDType(ctx.input(0).dtype, NumericTypes{}, [&]<typename T>() {
    using C = Compute<T>;
    std::optional<T> min, max;
    if constexpr (!std::is_integral_v<T>) {  // versions with attributes take floats only
      if (params.min) min = static_cast<T>(*params.min);
      if (params.max) max = static_cast<T>(*params.max);
    }
    WB_RETURN_IF_ERROR(ReadLimit(ctx, 1, "min", min));
    WB_RETURN_IF_ERROR(ReadLimit(ctx, 2, "max", max));
    MapElements<T, T>(ctx.input(0), ctx.output(0), [&](C x) {
      if (min && x < static_cast<C>(*min)) x = static_cast<C>(*min);
      if (max && x > static_cast<C>(*max)) x = static_cast<C>(*max);
      return x;
    });
    return Status::Ok();
  });
}

constexpr KernelImpl kClip[] = {
    FunctionImpl<ClipParams, ParseClip, RunClip, PlanElementwise>("clip.reference")};

constexpr OpKernels kTable[] = {{.op_type = "Clip", .impls = kClip}};

}  // namespace

KernelTable ClipKernels() { return kTable; }

}  // namespace waybill::kernel::reference
