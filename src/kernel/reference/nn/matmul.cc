#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/planned_kernel.h"
#include "kernel/reference/support/product.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel::reference {

namespace {

using MatMulTypes = FloatTypes::With<int32_t, int64_t, uint32_t, uint64_t>;

struct NoParams {};
Result<NoParams> ParseNothing(const graph::NodeRef&) { return NoParams{}; }

Status PlanMatMul(const NoParams&, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& a = ctx.input_shape(0);
  const int64_t depth = a.rank() == 0 ? 0 : a[a.rank() - 1];
  WB_ASSIGN_OR_RETURN(const size_t bytes, ProductScratchBytes(depth, ctx.width()));
  ctx.BookScratch(bytes);
  return Status::Ok();
}

Status RunMatMul(const NoParams&, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &y = ctx.output(0);
  WB_ASSIGN_OR_RETURN(const ProductSpec spec, MatMulSpec(a.shape, b.shape, nullptr));
  return DispatchDType(a.dtype, MatMulTypes{}, [&]<typename T>() {
    T* const out = y.as<T>();
    RunProduct(ctx, spec, a.as<T>(), b.as<T>(), ctx.scratch(0),
               [&](int64_t batch, int64_t row, int64_t col, auto total) {
                 out[(batch * spec.m + row) * spec.n + col] = static_cast<T>(total);
               });
    return Status::Ok();
  });
}

struct GemmParams {
  bool trans_a, trans_b;
  float alpha, beta;
};

Result<GemmParams> ParseGemm(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  return GemmParams{attrs.Int("transA") != 0, attrs.Int("transB") != 0, attrs.Float("alpha", 1),
                    attrs.Float("beta", 1)};
}

Status PlanGemm(const GemmParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  WB_ASSIGN_OR_RETURN(const size_t bytes,
                      ProductScratchBytes(ctx.input_shape(0)[p.trans_a ? 0 : 1], ctx.width()));
  ctx.BookScratch(bytes);
  return Status::Ok();
}

// alpha * total + beta * c; integers without factors stay exact (they wrap), with factors they go
// through double and saturate.
template <typename T, typename Total>
T Combine(const GemmParams& p, Total total, const T* c) {
  if constexpr (std::is_integral_v<T>) {
    if (p.alpha == 1 && (c == nullptr || p.beta == 1)) {
      return static_cast<T>(total + (c == nullptr ? Total{0} : static_cast<Total>(*c)));
    }
    double value = static_cast<double>(p.alpha) * static_cast<double>(static_cast<T>(total));
    if (c != nullptr) value += static_cast<double>(p.beta) * static_cast<double>(*c);
    constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
    if (!(value > kLow)) return std::numeric_limits<T>::min();
    if (value >= kHigh) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else {
    double value = static_cast<double>(p.alpha) * total;
    if (c != nullptr) value += static_cast<double>(p.beta) * static_cast<double>(*c);
    return static_cast<T>(value);
  }
}

Status RunGemm(const GemmParams& p, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &y = ctx.output(0);
  ProductSpec spec;
  spec.m = y.shape[0];
  spec.n = y.shape[1];
  spec.k = a.shape[p.trans_a ? 0 : 1];
  spec.a_row = p.trans_a ? 1 : spec.k;
  spec.a_k = p.trans_a ? spec.m : 1;
  spec.b_k = p.trans_b ? 1 : spec.n;
  spec.b_col = p.trans_b ? spec.k : 1;
  int64_t c_row = 0, c_col = 0;
  if (ctx.has_input(2)) {
    const Shape& c = ctx.input(2).shape;
    const size_t rank = c.rank();
    if (rank >= 1 && c[rank - 1] != 1) c_col = 1;
    if (rank >= 2 && c[rank - 2] != 1) c_row = c[rank - 1];
  }
  return DispatchDType(a.dtype, MatMulTypes{}, [&]<typename T>() {
    T* const out = y.as<T>();
    const T* const c = ctx.has_input(2) ? ctx.input(2).as<T>() : nullptr;
    RunProduct(ctx, spec, a.as<T>(), b.as<T>(), ctx.scratch(0),
               [&](int64_t, int64_t row, int64_t col, auto total) {
                 out[row * spec.n + col] =
                     Combine<T>(p, total, c == nullptr ? nullptr : c + row * c_row + col * c_col);
               });
    return Status::Ok();
  });
}

}  // namespace

constinit const KernelImpl kMatMul[1] = {
    PlannedImpl<NoParams, ParseNothing, PlanMatMul, RunMatMul>("matmul.reference")};
constinit const KernelImpl kGemm[1] = {
    PlannedImpl<GemmParams, ParseGemm, PlanGemm, RunGemm>("gemm.reference")};

}  // namespace waybill::kernel::reference
