// PRelu: negative elements times a slope that broadcasts to the input. Before opset 7 the slope is
// one number or one per channel (axis 1).
#include "kernel/reference/math/binary.h"
#include "kernel/reference/math/tables.h"

namespace waybill::kernel::reference {

namespace {

struct PReluParams {
  bool per_channel;
};
Result<PReluParams> ParsePRelu(const graph::NodeRef& node) {
  return PReluParams{node.since_version() < 7};
}

Status RunPRelu(const PReluParams& params, RunContext& ctx) {
  const TensorView &x = ctx.input(0), &slope = ctx.input(1), &out = ctx.output(0);
  Shape slope_shape = slope.shape;
  if (params.per_channel && slope_shape.rank() == 1 && slope_shape[0] != 1) {
    while (slope_shape.rank() + 1 < x.shape.rank()) slope_shape.PushBack(1);
  }
  using Types = ConcatTypes<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;
  return DispatchDType(x.dtype, Types{}, [&]<typename T>() {
    MapBroadcast<T, T, T>(x, x.shape, slope, slope_shape, out, [](auto value, auto factor) {
      using C = decltype(value);
      if constexpr (std::is_signed_v<C>) {
        return value < C(0) ? WrapMul(value, factor) : value;
      }
      return value;
    });
    return Status::Ok();
  });
}

constexpr KernelImpl kPRelu[] = {
    FunctionImpl<PReluParams, ParsePRelu, RunPRelu, PlanBroadcast>("prelu.reference")};

constexpr OpKernels kTable[] = {{.op_type = "PRelu", .impls = kPRelu}};

}  // namespace

KernelTable PReluKernels() { return kTable; }

}  // namespace waybill::kernel::reference
