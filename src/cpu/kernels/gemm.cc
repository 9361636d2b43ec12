// Gemm of f32: alpha * op(A) * op(B) + beta * C.
#include <algorithm>

#include "cpu/gemm/gemm_f32.h"
#include "cpu/kernels/batched_product.h"
#include "cpu/kernels/lists.h"
#include "cpu/kernels/packed_matrix.h"

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

struct GemmParams {
  bool trans_a = false, trans_b = false;
  float alpha = 1, beta = 1;

  explicit GemmParams(const graph::Attributes& attrs)
      : trans_a(attrs.Int("transA") != 0),
        trans_b(attrs.Int("transB") != 0),
        alpha(attrs.Float("alpha", 1.0f)),
        beta(attrs.Float("beta", 1.0f)) {}
};

struct Dims {
  int64_t m = 0, n = 0, k = 0;
};

struct GemmPlan final : PlanState {
  Dims dims;
  size_t c_row = 0, c_column = 0;  // strides of C in floats
  BatchedProduct product;          // unless B is packed
};

Result<Dims> DimsOf(const GemmParams& p, const Shape& a, const Shape& b) {
  if (a.rank() != 2 || b.rank() != 2) {
    return Error(Code::kInvalidArgument, "Gemm takes matrices, got shapes {} and {}", a, b);
  }
  const Dims dims = {a[p.trans_a ? 1 : 0], b[p.trans_b ? 0 : 1], a[p.trans_a ? 0 : 1]};
  if (dims.k != b[p.trans_b ? 1 : 0]) {
    return Error(Code::kInvalidArgument, "A of shape {} does not fit B of shape {}", a, b);
  }
  return dims;
}

// How C broadcasts to [m, n].
Status ReadC(const Shape& c, GemmPlan& plan) {
  const Dims& d = plan.dims;
  const size_t rank = c.rank();
  const int64_t rows = rank < 2 ? 1 : c[rank - 2], columns = rank == 0 ? 1 : c[rank - 1];
  if (rank > 2 || (rows != 1 && rows != d.m) || (columns != 1 && columns != d.n)) {
    return Error(Code::kInvalidArgument, "C of shape {} does not broadcast to [{}, {}]", c, d.m,
                 d.n);
  }
  plan.c_row = rows == 1 ? 0 : static_cast<size_t>(columns);
  plan.c_column = columns == 1 ? 0 : 1;
  return Status::Ok();
}

// What C is to the product: nothing, one number per column, a matrix, or written to Y beforehand.
enum class Addend { kNone, kBias, kResidual, kWritten };

Addend AddendOf(const GemmParams& p, const GemmPlan& plan, bool packed) {
  if (p.beta == 1 && packed && plan.c_column == 1) {
    return plan.c_row == 0 ? Addend::kBias : Addend::kResidual;
  }
  return Addend::kWritten;
}

void WriteC(const GemmPlan& plan, float beta, const float* c, float* y) {
  const auto columns = static_cast<size_t>(plan.dims.n);
  for (size_t i = 0; i < static_cast<size_t>(plan.dims.m); ++i, y += columns) {
    const float* row = c + i * plan.c_row;
    for (size_t j = 0; j < columns; ++j) y[j] = beta * row[j * plan.c_column];
  }
}

class GemmKernel final : public Kernel {
 public:
  GemmKernel(GemmParams params, bool packed) : params_(params), packed_(packed) {}

  Status Prepare(PrepareContext& ctx) override {
    return packed_ ? b_.Pack(ctx, params_.trans_b, params_.alpha) : Status::Ok();
  }

  Status Plan(PlanContext& ctx) const override {
    auto plan = std::make_shared<GemmPlan>();
    const Shape &a = ctx.input_shape(0), &b = ctx.input_shape(1);
    WB_ASSIGN_OR_RETURN(plan->dims, DimsOf(params_, a, b));
    if (ctx.has_input(2)) WB_RETURN_IF_ERROR(ReadC(ctx.input_shape(2), *plan));
    const Shape out({plan->dims.m, plan->dims.n});
    ctx.SetOutput(0, DType::kF32, out);
    const bool one_part = packed_ && b_.layout().k() <= b_.layout().block_k();
    if (one_part && ctx.has_input(2) && ctx.input_shape(2) == out &&
        AddendOf(params_, *plan, packed_) == Addend::kResidual) {
      ctx.AllowInPlace(0, 2);
    }
    if (!packed_) {
      BatchedShape shape;
      shape.product = {static_cast<size_t>(plan->dims.m),
                       static_cast<size_t>(plan->dims.n),
                       static_cast<size_t>(plan->dims.k),
                       static_cast<size_t>(a[1]),
                       static_cast<size_t>(b[1]),
                       params_.trans_a,
                       params_.trans_b,
                       params_.alpha};
      WB_ASSIGN_OR_RETURN(plan->product, BatchedProduct::Make(BestTarget(), shape, ctx.width()));
      ctx.BookScratch(plan->product.scratch_bytes());
    }
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const GemmPlan& plan = *ctx.state<GemmPlan>();
    const float* c = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
    const bool ignored = c == nullptr || params_.beta == 0;
    const Addend addend = ignored ? Addend::kNone : AddendOf(params_, plan, packed_);
    if (addend == Addend::kWritten) WriteC(plan, params_.beta, c, ctx.output(0).as<float>());
    if (packed_) {
      RunPacked(ctx, plan, addend, c);
    } else {
      plan.product.Run(ctx.input(0).as<const float>(), ctx.input(1).as<const float>(),
                       ctx.output(0).as<float>(), addend == Addend::kWritten, ctx.scratch<float>(0),
                       ctx.pool(), ctx.width());
    }
    return Status::Ok();
  }

 private:
  void RunPacked(RunContext& ctx, const GemmPlan& plan, Addend addend, const float* c) const {
    GemmArgs args;
    args.a = ctx.input(0).as<const float>();
    args.lda = b_.layout().k();
    args.m = static_cast<size_t>(plan.dims.m);
    args.packed_b = b_.data();
    args.c = ctx.output(0).as<float>();
    args.ldc = b_.layout().n();
    args.accumulate = addend == Addend::kWritten;
    if (addend == Addend::kBias) args.column_bias = c;
    if (addend == Addend::kResidual) {
      args.residual = c;
      args.residual_ld = plan.c_row;
    }
    RunGemm(GemmF32(BestTarget()), b_.layout(), args, ctx.pool(), ctx.width());
  }

  GemmParams params_;
  bool packed_;
  PackedMatrix b_;
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

Acceptance AcceptsPacked(const graph::NodeRef& node) {
  if (Acceptance type = AcceptsFloat(node); !type.ok()) return type;
  const graph::Constant* b = node.constant(1);
  WB_REFUSE_IF(b == nullptr, "B is no constant");
  WB_REFUSE_IF(b->shape().rank() != 2, "B has rank {}, not 2", b->shape().rank());
  WB_REFUSE_IF(node.attrs().Int("transA") != 0, "A is transposed");
  return Acceptance::Yes();
}

template <bool kPacked>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<GemmKernel>(GemmParams(node.attrs()), kPacked));
}

constexpr KernelImpl kGemm[] = {
    {"gemm.packed", AcceptsPacked, Create<true>},
    {"gemm.pack_at_run", AcceptsFloat, Create<false>},
};
// Before version 7 broadcasting of C was an attribute.
constexpr OpKernels kGemmOps[] = {{"", "Gemm", 7, 1 << 30, kGemm}};

}  // namespace

std::span<const OpKernels> GemmKernels() { return kGemmOps; }

}  // namespace waybill::cpu
