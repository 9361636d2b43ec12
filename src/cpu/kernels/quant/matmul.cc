// QLinearMatMul, MatMulInteger and the internal QLinearGemm, by constant right-hand matrices.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/kernels/quant/byte_weights.h"
#include "cpu/kernels/quant/constants.h"
#include "cpu/kernels/quant/lists.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::PrepareContext;
using kernel::RunContext;

enum class Kind { kInteger, kQLinear, kGemm };

struct Inputs {
  size_t a_zero, b, b_zero;
};
constexpr Inputs InputsOf(Kind kind) {
  return kind == Kind::kInteger ? Inputs{2, 1, 3} : Inputs{2, 3, 5};
}
constexpr size_t kAScale = 1, kBScale = 4, kYScale = 6, kYZero = 7, kBias = 8;

struct MatMulPlan final : PlanState {
  ByteConv product;
  size_t width = 1;
};

template <Kind kKind>
class ByteMatMul final : public Kernel {
 public:
  explicit ByteMatMul(bool transposed) : transposed_(transposed) {}

  Status Prepare(PrepareContext& ctx) override {
    WB_RETURN_IF_ERROR(weights_.PackMatrix(ctx, {kInputs.b, kInputs.b_zero}, transposed_));
    if (kKind == Kind::kInteger) return weights_.SetRequantize(ctx, std::nullopt, nullptr);
    const double a_scale = ConstantAt<float>(*ctx.constant(kAScale), 0);
    const double y_scale = ConstantAt<float>(*ctx.constant(kYScale), 0);
    const graph::Constant& b_scale = *ctx.constant(kBScale);
    const graph::Constant& y_zero = *ctx.constant(kYZero);
    to_ = y_zero.dtype() == DType::kU8 ? SumTo::kU8 : SumTo::kI8;
    zero_ = IntegerAt(y_zero, 0);
    const bool biased = kKind == Kind::kGemm && ctx.constant(kBias) != nullptr;
    return weights_.SetRequantize(ctx, biased ? std::optional(kBias) : std::nullopt, [&](size_t n) {
      return a_scale * SpreadAt<float>(b_scale, n) / y_scale;
    });
  }

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape& a = ctx.input_shape(0);
    if (a.rank() == 0 || static_cast<size_t>(a[a.rank() - 1]) != weights_.length()) {
      return Error(Code::kInvalidArgument, "{} has not {} columns", a, weights_.length());
    }
    auto plan = std::make_shared<MatMulPlan>();
    plan->product.in_channels = weights_.length();
    plan->product.out_channels = weights_.columns();
    const int64_t rows = a.ElemsBetween(0, a.rank() - 1);
    plan->product.in_h = plan->product.out_h = static_cast<size_t>(rows);
    plan->width = std::max<size_t>(ctx.width(), 1);
    const auto all = weights_.Scratch(plan->product, plan->width);
    if (!all) return Error(Code::kInvalidArgument, "rows of {} are too long", a);
    ctx.BookScratch(*all);
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const MatMulPlan& plan = *ctx.state<MatMulPlan>();
    ByteConvArgs args;
    args.x_signed = ctx.input(0).dtype == DType::kI8;
    if (ctx.has_input(kInputs.a_zero)) {
      const TensorView& zero = ctx.input(kInputs.a_zero);
      if (zero.elems() != 1) {
        return Error(Code::kInvalidArgument, "a_zero_point must be one number, its shape is {}",
                     zero.shape);
      }
      args.x_zero = args.x_signed ? int32_t{*zero.as<int8_t>()} : int32_t{*zero.as<uint8_t>()};
    }
    args.x = ctx.input(0).data;
    args.y = ctx.output(0).data;
    args.out.to = to_;
    args.out.zero = zero_;
    args.scratch = ctx.scratch(0);
    weights_.RunConvolution(plan.product, args, ctx.pool(), std::min(plan.width, ctx.width()));
    return Status::Ok();
  }

 private:
  static constexpr Inputs kInputs = InputsOf(kKind);
  bool transposed_;
  ByteWeights weights_;
  SumTo to_ = SumTo::kI32;
  int32_t zero_ = 0;
};

template <Kind kKind>
Acceptance AcceptsMatrix(const graph::NodeRef& node) {
  constexpr Inputs kInputs = InputsOf(kKind);
  WB_REFUSE_IF(!IsByte(node.input_dtype(0)), "A is {}", DTypeName(node.input_dtype(0)));
  const graph::Constant* b = node.constant(kInputs.b);
  WB_REFUSE_IF(b == nullptr, "B is not constant");
  WB_REFUSE_IF(!IsByte(b->dtype()), "B is {}", DTypeName(b->dtype()));
  WB_REFUSE_IF(b->shape().rank() != 2, "B has rank {}, not 2", b->shape().rank());
  WB_REFUSE_IF(node.has_input(kInputs.a_zero) && !IsOneElement(node, kInputs.a_zero),
               "A has a zero point for each row");
  const int64_t columns = b->shape()[node.attrs().Int("transB") != 0 ? 0 : 1];
  if (node.has_input(kInputs.b_zero)) {
    if (Acceptance a = AcceptsSpread(node, kInputs.b_zero, b->dtype(), columns, "b_zero_point");
        !a.ok()) {
      return a;
    }
  }
  if constexpr (kKind != Kind::kInteger) {
    for (const auto& [input, lines, name] : {std::tuple{kAScale, int64_t{1}, "a_scale"},
                                             {kBScale, columns, "b_scale"},
                                             {kYScale, int64_t{1}, "y_scale"}}) {
      if (Acceptance a = AcceptsSpread(node, input, DType::kF32, lines, name); !a.ok()) return a;
    }
    const DType y = node.input_dtype(kYZero);
    WB_REFUSE_IF(!IsByte(y), "y_zero_point is {}", DTypeName(y));
    if (Acceptance a = AcceptsSpread(node, kYZero, y, 1, "y_zero_point"); !a.ok()) return a;
  }
  if (kKind == Kind::kGemm && node.has_input(kBias)) {
    const graph::Constant* bias = node.constant(kBias);
    WB_REFUSE_IF(bias == nullptr || bias->dtype() != DType::kI32, "the bias is no int32 constant");
    WB_REFUSE_IF(bias->shape() != Shape({columns}), "the bias has shape {}", bias->shape());
  }
  return Acceptance::Yes();
}

template <Kind kKind>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  const bool transposed = node.attrs().Int("transB") != 0;
  return std::unique_ptr<Kernel>(std::make_unique<ByteMatMul<kKind>>(transposed));
}

template <Kind kKind>
constexpr KernelImpl Packed(std::string_view name) {
  return {name, AcceptsMatrix<kKind>, Create<kKind>};
}

constexpr KernelImpl kInteger[] = {Packed<Kind::kInteger>("matmul_integer.packed")};
constexpr KernelImpl kQLinear[] = {Packed<Kind::kQLinear>("qlinear_matmul.packed")};
constexpr KernelImpl kGemm[] = {Packed<Kind::kGemm>("qlinear_gemm.packed")};
constexpr OpKernels kOps[] = {
    {"", "MatMulInteger", 1, 1 << 30, kInteger},
    {"", "QLinearMatMul", 1, 1 << 30, kQLinear},
    {graph::kInternalDomain, "QLinearGemm", 1, 1, kGemm},
};

}  // namespace

std::span<const OpKernels> ByteMatMulKernels() { return kOps; }

}  // namespace waybill::cpu
