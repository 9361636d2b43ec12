// MatMulIntegerToFloat and DynamicQuantizeMatMul: products of 8-bit integers with scales.
#include <algorithm>
#include <cmath>

#include "base/math/checked.h"
#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"
#include "kernel/reference/support/product.h"

namespace waybill::kernel::reference {

namespace {

struct NoParams {};
Result<NoParams> ParseNothing(const graph::NodeRef&) { return NoParams{}; }

int32_t ReadByte(const TensorView& t, int64_t i) {
  return t.dtype == DType::kI8 ? int32_t{t.as<const int8_t>()[i]}
                               : int32_t{t.as<const uint8_t>()[i]};
}

// A scale or zero point: one for all columns or one for each.
Status CheckPerColumn(const TensorView* t, int64_t columns, const char* name) {
  if (t == nullptr || t->elems() == 1 || t->elems() == columns) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} has shape {} for {} columns", name, t->shape, columns);
}

struct Factors {
  double a_scale = 1;
  int32_t a_zero = 0;
  const TensorView* b_scale = nullptr;
  const TensorView* b_zero = nullptr;  // may be null
  const TensorView* bias = nullptr;    // may be null

  static int64_t At(const TensorView& t, int64_t col) { return t.elems() == 1 ? 0 : col; }

  Status Check(int64_t columns) const {
    WB_RETURN_IF_ERROR(CheckPerColumn(b_scale, columns, "b_scale"));
    WB_RETURN_IF_ERROR(CheckPerColumn(b_zero, columns, "b_zero_point"));
    if (bias == nullptr || bias->elems() == columns) return Status::Ok();
    return Error(Code::kInvalidArgument, "bias has shape {} for {} columns", bias->shape, columns);
  }
};

// Y = (A - a_zero) (B - b_zero) * a_scale * b_scale + bias; `a` reads element i of A.
template <typename ReadA>
Status Multiply(RunContext& ctx, const ProductSpec& spec, const Factors& f, const TensorView& b,
                const ReadA& a) {
  const TensorView& y = ctx.output(0);
  WB_RETURN_IF_ERROR(f.Check(spec.n));
  ForEachPiece(ctx, static_cast<size_t>(spec.batch.elems() * spec.m), [&](size_t piece, size_t) {
    const auto index = static_cast<int64_t>(piece);
    const int64_t batch = index / spec.m, row = index % spec.m;
    const int64_t a_at =
        product_internal::BatchOffset(spec.batch, spec.a_batch, batch) + row * spec.k;
    const int64_t b_at = product_internal::BatchOffset(spec.batch, spec.b_batch, batch);
    for (int64_t col = 0; col < spec.n; ++col) {
      const int32_t b_zero = f.b_zero == nullptr ? 0 : ReadByte(*f.b_zero, f.At(*f.b_zero, col));
      int64_t sum = 0;
      for (int64_t k = 0; k < spec.k; ++k) {
        sum += int64_t{a(a_at + k) - f.a_zero} * (ReadByte(b, b_at + k * spec.n + col) - b_zero);
      }
      double v =
          static_cast<double>(sum) * f.a_scale * ReadFloat(*f.b_scale, f.At(*f.b_scale, col));
      if (f.bias != nullptr) v += ReadFloat(*f.bias, col);
      WriteFloat(y, index * spec.n + col, v);
    }
  });
  return Status::Ok();
}

const TensorView* Optional(RunContext& ctx, size_t i) {
  return ctx.has_input(i) ? &ctx.input(i) : nullptr;
}

Status RunMatMulIntegerToFloat(RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1), &a_scale = ctx.input(2);
  const TensorView* const a_zero = Optional(ctx, 4);
  WB_ASSIGN_OR_RETURN(const ProductSpec spec, MatMulSpec(a.shape, b.shape, nullptr));
  if (a_scale.elems() != 1 || (a_zero != nullptr && a_zero->elems() != 1)) {
    return Error(Code::kNotImplemented, "a_scale has shape {}: one for each row", a_scale.shape);
  }
  const Factors f{ReadFloat(a_scale, 0), a_zero == nullptr ? 0 : ReadByte(*a_zero, 0),
                  &ctx.input(3), Optional(ctx, 5), Optional(ctx, 6)};
  return Multiply(ctx, spec, f, b, [&](int64_t i) { return ReadByte(a, i); });
}

Status PlanDynamic(const NoParams&, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  ctx.BookScratch(static_cast<size_t>(ctx.input_shape(0).elems()));  // A in bytes
  return Status::Ok();
}

Status RunDynamicQuantizeMatMul(const NoParams&, RunContext& ctx) {
  const TensorView &a = ctx.input(0), &b = ctx.input(1);
  WB_ASSIGN_OR_RETURN(const ProductSpec spec, MatMulSpec(a.shape, b.shape, nullptr));
  float low = 0, high = 0;
  for (const float v : a.span<const float>()) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const float scale = high == low ? 1.0f : (high - low) / 255.0f;
  const auto zero = static_cast<float>(std::nearbyint(std::clamp(-low / scale, 0.0f, 255.0f)));
  auto* const bytes = ctx.scratch<uint8_t>(0);
  for (int64_t i = 0; i < a.elems(); ++i) {
    const float q = std::nearbyint(a.as<const float>()[i] / scale) + zero;
    bytes[i] = std::isnan(q) ? uint8_t{0} : static_cast<uint8_t>(std::clamp(q, 0.0f, 255.0f));
  }
  const Factors f{static_cast<double>(scale), static_cast<int32_t>(zero), &ctx.input(2),
                  Optional(ctx, 3), Optional(ctx, 4)};
  return Multiply(ctx, spec, f, b, [&](int64_t i) { return int32_t{bytes[i]}; });
}

}  // namespace

constinit const KernelImpl kMatMulIntegerToFloat[1] = {
    FunctionImpl<RunMatMulIntegerToFloat>("matmul_integer_to_float.reference")};
constinit const KernelImpl kDynamicQuantizeMatMul[1] = {
    PlannedImpl<NoParams, ParseNothing, PlanDynamic, RunDynamicQuantizeMatMul>(
        "dynamic_quantize_matmul.reference")};

}  // namespace waybill::kernel::reference
