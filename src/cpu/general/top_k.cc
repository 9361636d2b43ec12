// TopK of float, int32 and int64: a scan against the worst of the best k so far. NaN counts as
// larger than every number; equal elements keep their order.
#include <algorithm>
#include <memory>

#include "cpu/general/kernels.h"
#include "graph/infer/context.h"
#include "kernel/api/kernel.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::cpu {
namespace {

using kernel::Kernel;
using kernel::PlanContext;
using kernel::RunContext;

using Types = TypeList<float, int32_t, int64_t>;

template <typename T>
struct Ranked {
  T value;
  int64_t index;
};

// Whether value a goes before value b, whatever their places.
template <typename T, bool kLargest>
bool Beats(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) return a_nan != b_nan && (kLargest ? a_nan : b_nan);
  }
  return kLargest ? a > b : a < b;
}

template <typename T, bool kLargest>
bool Before(const Ranked<T>& a, const Ranked<T>& b) {
  if (Beats<T, kLargest>(a.value, b.value)) return true;
  return !Beats<T, kLargest>(b.value, a.value) && a.index < b.index;
}

// Elements come in the order of their indices, so one that only equals the worst is not better.
template <typename T, bool kLargest>
void Choose(const T* line, int64_t step, int64_t dim, int64_t k, Ranked<T>* best) {
  for (int64_t i = 0; i < k; ++i) best[i] = {line[i * step], i};
  // A heap has its last in order at the front.
  std::make_heap(best, best + k, Before<T, kLargest>);
  for (int64_t i = k; i < dim; ++i) {
    const T value = line[i * step];
    if (!Beats<T, kLargest>(value, best[0].value)) continue;
    std::pop_heap(best, best + k, Before<T, kLargest>);
    best[k - 1] = {value, i};
    std::push_heap(best, best + k, Before<T, kLargest>);
  }
  std::sort_heap(best, best + k, Before<T, kLargest>);
}

class TopKKernel final : public Kernel {
 public:
  TopKKernel(int64_t axis, bool largest) : axis_(axis), largest_(largest) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& in = ctx.input_shape(0);
    WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(axis_, in.rank()));
    // 16 bytes hold a Ranked of every type; k is at most the length of the axis.
    ctx.BookScratch(static_cast<size_t>(in[axis]) * 16);
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    return DispatchDType(ctx.input(0).dtype, Types{}, [&]<typename T>() {
      return largest_ ? RunTyped<T, true>(ctx) : RunTyped<T, false>(ctx);
    });
  }

 private:
  template <typename T, bool kLargest>
  Status RunTyped(RunContext& ctx) const {
    static_assert(sizeof(Ranked<T>) <= 16);
    const TensorView& in = ctx.input(0);
    if (!ctx.wants_output(0) && !ctx.wants_output(1)) return Status::Ok();
    WB_ASSIGN_OR_RETURN(const size_t axis, graph::infer::Axis(axis_, in.shape.rank()));
    const Shape& made = ctx.output(ctx.wants_output(0) ? 0 : 1).shape;
    const int64_t dim = in.shape[axis], k = made[axis];
    const int64_t outer = in.shape.ElemsBetween(0, axis);
    const int64_t inner = in.shape.ElemsBetween(axis + 1, in.shape.rank());
    auto* best = ctx.scratch<Ranked<T>>(0);
    for (int64_t row = 0; k > 0 && row < outer * inner; ++row) {
      const int64_t o = row / inner, i = row % inner;
      Choose<T, kLargest>(in.as<const T>() + o * dim * inner + i, inner, dim, k, best);
      for (int64_t n = 0; n < k; ++n) {
        const int64_t to = (o * k + n) * inner + i;
        if (ctx.wants_output(0)) ctx.output(0).as<T>()[to] = best[n].value;
        if (ctx.wants_output(1)) ctx.output(1).as<int64_t>()[to] = best[n].index;
      }
    }
    return Status::Ok();
  }

  int64_t axis_;
  bool largest_;
};

kernel::Acceptance AcceptsTopK(const graph::NodeRef& node) {
  const DType type = node.input_dtype(0);
  WB_REFUSE_IF(type != DType::kF32 && type != DType::kI32 && type != DType::kI64,
               "element type {} is rare", DTypeName(type));
  return kernel::Acceptance::Yes();
}

}  // namespace

const kernel::KernelImpl kTopKGeneral[1] = {
    {"top_k.general", AcceptsTopK,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       return std::unique_ptr<Kernel>(std::make_unique<TopKKernel>(
           node.attrs().Int("axis", -1), node.attrs().Int("largest", 1) != 0));
     }}};

}  // namespace waybill::cpu
