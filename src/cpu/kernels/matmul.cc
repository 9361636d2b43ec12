// MatMul and FusedMatMul of f32: with a constant right-hand matrix packed once, or with both sides
// known only at the run.
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

// MatMul has none of the attributes, and their defaults are its meaning.
struct MatMulParams {
  bool trans_a = false, trans_b = false;
  bool batch_a = false, batch_b = false;  // [rows, batch..., columns]
  float alpha = 1;

  explicit MatMulParams(const graph::Attributes& attrs)
      : trans_a(attrs.Int("transA") != 0),
        trans_b(attrs.Int("transB") != 0),
        batch_a(attrs.Int("transBatchA") != 0),
        batch_b(attrs.Int("transBatchB") != 0),
        alpha(attrs.Float("alpha", 1.0f)) {}
};

Status Mismatch(const Shape& a, const Shape& b) {
  return Error(Code::kInvalidArgument, "shapes {} and {} can not be multiplied", a, b);
}

class PackedMatMul final : public Kernel {
 public:
  explicit PackedMatMul(MatMulParams params) : params_(params) {}

  Status Prepare(PrepareContext& ctx) override {
    return b_.Pack(ctx, params_.trans_b, params_.alpha);
  }

  Status Plan(PlanContext& ctx) const override {
    const Shape& a = ctx.input_shape(0);
    const PackedLayout& layout = b_.layout();
    if (a.rank() == 0 || static_cast<size_t>(a[a.rank() - 1]) != layout.k()) {
      return Mismatch(a, ctx.input_shape(1));
    }
    Shape out = a;
    out[out.rank() - 1] = static_cast<int64_t>(layout.n());
    ctx.SetOutput(0, DType::kF32, std::move(out));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const PackedLayout& layout = b_.layout();
    const TensorView& a = ctx.input(0);
    GemmArgs args;
    args.a = a.as<const float>();
    args.lda = layout.k();
    args.m = static_cast<size_t>(a.shape.ElemsBetween(0, a.shape.rank() - 1));
    args.packed_b = b_.data();
    args.c = ctx.output(0).as<float>();
    args.ldc = layout.n();
    RunGemm(GemmF32(BestTarget()), layout, args, ctx.pool(), ctx.width());
    return Status::Ok();
  }

 private:
  MatMulParams params_;
  PackedMatrix b_;
};

// An operand as a stack of stored matrices.
struct Operand {
  Shape batch, strides;
  int64_t rows = 1, columns = 1, ld = 1;
};

// A vector is a row on the left and a column on the right; it is never transposed.
Operand Stored(const Shape& shape, bool trans_batch, bool left) {
  Operand out;
  const size_t rank = shape.rank();
  if (rank == 1) {
    (left ? out.columns : out.rows) = shape[0];
    out.ld = left ? shape[0] : 1;
    return out;
  }
  const size_t row_axis = trans_batch ? 0 : rank - 2;
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (i == row_axis) continue;
    out.batch.PushBack(shape[i]);
    out.strides.PushBack(shape.Stride(i));
  }
  out.rows = shape[row_axis];
  out.columns = shape[rank - 1];
  out.ld = shape.Stride(row_axis);
  return out;
}

// Strides for each axis of the broadcast `batch`.
Shape Align(const Operand& operand, const Shape& batch) {
  Shape out = Shape::Filled(batch.rank(), 0);
  const size_t shift = batch.rank() - operand.batch.rank();
  for (size_t i = 0; i < operand.batch.rank(); ++i) {
    if (operand.batch[i] != 1) out[shift + i] = operand.strides[i];
  }
  return out;
}

struct MatMulPlan final : PlanState {
  BatchedProduct product;
};

class RunTimeMatMul final : public Kernel {
 public:
  explicit RunTimeMatMul(MatMulParams params) : params_(params) {}

  Status Plan(PlanContext& ctx) const override {
    const Shape& a_shape = ctx.input_shape(0);
    const Shape& b_shape = ctx.input_shape(1);
    if (a_shape.rank() == 0 || b_shape.rank() == 0) return Mismatch(a_shape, b_shape);
    const Operand a = Stored(a_shape, params_.batch_a, true);
    const Operand b = Stored(b_shape, params_.batch_b, false);
    const bool trans_a = params_.trans_a && a_shape.rank() > 1;
    const bool trans_b = params_.trans_b && b_shape.rank() > 1;
    const int64_t m = trans_a ? a.columns : a.rows, k = trans_a ? a.rows : a.columns;
    const int64_t n = trans_b ? b.rows : b.columns;
    const auto batch = BroadcastShapes(a.batch, b.batch);
    if (k != (trans_b ? b.columns : b.rows) || !batch) return Mismatch(a_shape, b_shape);
    Shape out = *batch;
    if (a_shape.rank() > 1) out.PushBack(m);
    if (b_shape.rank() > 1) out.PushBack(n);
    ctx.SetOutput(0, DType::kF32, std::move(out));

    BatchedShape shape;
    shape.product = {static_cast<size_t>(m),
                     static_cast<size_t>(n),
                     static_cast<size_t>(k),
                     static_cast<size_t>(a.ld),
                     static_cast<size_t>(b.ld),
                     trans_a,
                     trans_b,
                     params_.alpha};
    shape.batch = *batch;
    shape.a_strides = Align(a, *batch);
    shape.b_strides = Align(b, *batch);
    auto plan = std::make_shared<MatMulPlan>();
    WB_ASSIGN_OR_RETURN(plan->product, BatchedProduct::Make(BestTarget(), shape, ctx.width()));
    ctx.BookScratch(plan->product.scratch_bytes());
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const MatMulPlan& plan = *ctx.state<MatMulPlan>();
    plan.product.Run(ctx.input(0).as<const float>(), ctx.input(1).as<const float>(),
                     ctx.output(0).as<float>(), false, ctx.scratch<float>(0), ctx.pool(),
                     ctx.width());
    return Status::Ok();
  }

 private:
  MatMulParams params_;
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "element type {} is not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

Acceptance AcceptsPacked(const graph::NodeRef& node) {
  if (Acceptance type = AcceptsFloat(node); !type.ok()) return type;
  const graph::Constant* b = node.constant(1);
  WB_REFUSE_IF(b == nullptr, "the right-hand matrix is no constant");
  WB_REFUSE_IF(b->shape().rank() != 2, "the right-hand constant has rank {}, not 2",
               b->shape().rank());
  WB_REFUSE_IF(node.attrs().Int("transA") != 0, "the left-hand matrix is transposed");
  WB_REFUSE_IF(node.attrs().Int("transBatchA") != 0,
               "the batch of the left-hand matrices is apart");
  return Acceptance::Yes();
}

template <typename K>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<K>(MatMulParams(node.attrs())));
}

constexpr KernelImpl kMatMul[] = {
    {"matmul.packed", AcceptsPacked, Create<PackedMatMul>},
    {"matmul.pack_at_run", AcceptsFloat, Create<RunTimeMatMul>},
};
constexpr OpKernels kMatMulOps[] = {
    {"", "MatMul", 1, 1 << 30, kMatMul},
    {"com.microsoft", "FusedMatMul", 1, 1 << 30, kMatMul},
};

}  // namespace

std::span<const OpKernels> MatMulKernels() { return kMatMulOps; }

}  // namespace waybill::cpu
