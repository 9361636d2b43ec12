#include <algorithm>
#include <memory>

#include "graph/infer/rules/nn/window.h"
#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/planned_kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct UnpoolParams {
  graph::infer::WindowAttrs window;
};

// The shape that pooling came from: indices count its elements.
struct PooledFrom : PlanState {
  Shape shape;
};

Result<UnpoolParams> ParseUnpool(const graph::NodeRef& node) {
  UnpoolParams p;
  WB_ASSIGN_OR_RETURN(p.window, graph::infer::ParseWindow(node.attrs()));
  return p;
}

Status PlanUnpool(const UnpoolParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& x = ctx.input_shape(0);
  if (ctx.input_shape(1) != x) {
    return Error(Code::kInvalidArgument, "values and indices have shapes {} and {}", x,
                 ctx.input_shape(1));
  }
  WB_ASSIGN_OR_RETURN(const auto axes, graph::infer::WindowAxes(p.window, p.window.kernel));
  auto from = std::make_shared<PooledFrom>();
  from->shape = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    WB_ASSIGN_OR_RETURN(
        const auto fit,
        graph::infer::FitTransposed(axes[i], graph::infer::AutoPad::kNotSet, 0, -1, x[2 + i]));
    from->shape[2 + i] = fit.out;
  }
  if (!from->shape.CheckedElems()) {
    return Error(Code::kInvalidArgument, "the output {} is too large", from->shape);
  }
  ctx.SetState(std::move(from));
  return Status::Ok();
}

Status RunUnpool(const UnpoolParams&, RunContext& ctx) {
  const Shape& from = ctx.state<PooledFrom>()->shape;
  const TensorView &x = ctx.input(0), &y = ctx.output(0);
  const int64_t* const indices = ctx.input(1).as<const int64_t>();
  const int64_t limit = from.elems();
  return DispatchDType(x.dtype, FloatTypes{}, [&]<typename T>() {
    T* const out = y.as<T>();
    std::fill_n(out, y.elems(), T{});
    for (int64_t i = 0; i < x.elems(); ++i) {
      int64_t index = indices[i];
      if (index < 0 || index >= limit) {
        return Error(Code::kInvalidArgument, "index {} is out of range [0, {})", index, limit);
      }
      // The same place in the output, which output_shape may have made another size.
      int64_t at = 0, stride = 1;
      for (size_t axis = from.rank(); axis-- > 0;) {
        const int64_t pos = index % from[axis];
        index /= from[axis];
        if (pos >= y.shape[axis]) {
          return Error(Code::kInvalidArgument, "index {} lies outside the output {}", indices[i],
                       y.shape);
        }
        at += pos * stride;
        stride *= y.shape[axis];
      }
      out[at] = x.as<const T>()[i];
    }
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kMaxUnpool[1] = {
    PlannedImpl<UnpoolParams, ParseUnpool, PlanUnpool, RunUnpool>("max_unpool.reference")};

}  // namespace waybill::kernel::reference
