// TopK. NaN counts as larger than every number; equal elements keep their order.
#include <algorithm>
#include <numeric>

#include "graph/infer/context.h"
#include "kernel/api/function_kernel.h"
#include "kernel/reference/tensor/kernels.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

struct TopKParams {
  int64_t axis = -1;
  bool largest = true;
};

Result<TopKParams> ParseTopK(const graph::NodeRef& node) {
  return TopKParams{node.attrs().Int("axis", -1), node.attrs().Int("largest", 1) != 0};
}

template <typename T>
bool Less(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (x != x) return false;
    return y != y || x < y;
  }
}

// Scratch 0 holds the positions of one line while it is ordered.
Status PlanTopK(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& in = ctx.input_shape(0);
  WB_ASSIGN_OR_RETURN(const size_t axis,
                      graph::infer::Axis(ctx.node().attrs().Int("axis", -1), in.rank()));
  ctx.BookScratch(static_cast<size_t>(in[axis]) * sizeof(int64_t));
  return Status::Ok();
}

template <typename T>
void OrderLine(const T* line, int64_t step, std::span<int64_t> order, size_t k, bool largest) {
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto before = [&](int64_t i, int64_t j) {
    const T& a = line[i * step];
    const T& b = line[j * step];
    if (largest ? Less(b, a) : Less(a, b)) return true;
    if (largest ? Less(a, b) : Less(b, a)) return false;
    return i < j;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    before);
}

Status RunTopK(const TopKParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(params.axis, in.shape.rank()));
  if (!ctx.wants_output(0) && !ctx.wants_output(1)) return Status::Ok();
  const TensorView& first = ctx.output(ctx.wants_output(0) ? 0 : 1);
  const int64_t dim = in.shape[axis], k = first.shape[axis];
  const int64_t outer = in.shape.ElemsBetween(0, axis);
  const int64_t inner = in.shape.ElemsBetween(axis + 1, in.shape.rank());
  const std::span<int64_t> order(ctx.scratch<int64_t>(0), static_cast<size_t>(dim));
  return DispatchDType(in.dtype, NumericTypes{}, [&]<typename T>() {
    for (int64_t row = 0; row < outer * inner; ++row) {
      const int64_t o = row / inner, i = row % inner;
      const T* line = in.as<const T>() + o * dim * inner + i;
      OrderLine(line, inner, order, static_cast<size_t>(k), params.largest);
      for (int64_t n = 0; n < k; ++n) {
        const int64_t to = (o * k + n) * inner + i;
        const int64_t from = order[static_cast<size_t>(n)];
        if (ctx.wants_output(0)) ctx.output(0).as<T>()[to] = line[from * inner];
        if (ctx.wants_output(1)) ctx.output(1).as<int64_t>()[to] = from;
      }
    }
    return Status::Ok();
  });
}

}  // namespace

const KernelImpl kTopK[1] = {
    FunctionImpl<TopKParams, ParseTopK, RunTopK, PlanTopK>("top_k.reference")};

}  // namespace waybill::kernel::reference
