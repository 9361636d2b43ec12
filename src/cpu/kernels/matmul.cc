// MatMul of f32: with a constant right-hand matrix packed once, or packed at every run.
#include <algorithm>

#include "base/math/checked.h"
#include "cpu/kernels/broadcast.h"
#include "cpu/kernels/lists.h"
#include "cpu/kernels/packed_matrix.h"
#include "parallel/pool/thread_pool.h"

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

Status Mismatch(const Shape& a, const Shape& b) {
  return Error(Code::kInvalidArgument, "shapes {} and {} can not be multiplied", a, b);
}

class PackedMatMul final : public Kernel {
 public:
  Status Prepare(PrepareContext& ctx) override { return b_.Pack(ctx, false); }

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
  PackedMatrix b_;
};

struct MatMulPlan final : PlanState {
  PackedLayout layout;
  size_t m = 0;
  size_t products = 1;        // matrices of the output
  BroadcastLoops batches;     // over pairs of matrices, offsets in matrices
  size_t scratch_floats = 0;  // one packed matrix
  size_t workers = 1;         // slices of scratch
};

// Splits a shape of rank >= 2 into its batch and its last two axes.
struct Split {
  Shape batch;
  size_t rows = 0;
  size_t columns = 0;
};
Split SplitMatrix(const Shape& shape) {
  const size_t rank = shape.rank();
  return {Shape(shape.dims().first(rank - 2)), static_cast<size_t>(shape[rank - 2]),
          static_cast<size_t>(shape[rank - 1])};
}

class RunTimeMatMul final : public Kernel {
 public:
  Status Plan(PlanContext& ctx) const override {
    const Shape& a_shape = ctx.input_shape(0);
    const Shape& b_shape = ctx.input_shape(1);
    if (a_shape.rank() == 0 || b_shape.rank() == 0) return Mismatch(a_shape, b_shape);
    const bool a_vector = a_shape.rank() == 1;
    const bool b_vector = b_shape.rank() == 1;
    const Split a = SplitMatrix(a_vector ? Shape({1, a_shape[0]}) : a_shape);
    const Split b = SplitMatrix(b_vector ? Shape({b_shape[0], 1}) : b_shape);
    const auto batch = BroadcastShapes(a.batch, b.batch);
    if (a.columns != b.rows || !batch) return Mismatch(a_shape, b_shape);
    Shape out = *batch;
    if (!a_vector) out.PushBack(static_cast<int64_t>(a.rows));
    if (!b_vector) out.PushBack(static_cast<int64_t>(b.columns));
    ctx.SetOutput(0, DType::kF32, std::move(out));

    const GemmF32Table& table = GemmF32(BestTarget());
    const auto bytes = PackedBytes(table, b.rows, b.columns);
    auto plan = std::make_shared<MatMulPlan>();
    plan->products = static_cast<size_t>(batch->elems());
    plan->workers = std::clamp<size_t>(plan->products, 1, std::max<size_t>(ctx.width(), 1));
    const auto aligned = bytes ? CheckedAlignUp(*bytes, kBlockAlign) : std::nullopt;
    const auto scratch = aligned ? CheckedMul(*aligned, plan->workers) : std::nullopt;
    if (!scratch) return Error(Code::kInvalidArgument, "{} is too large to pack", b_shape);
    plan->layout = PackedLayout(table, b.rows, b.columns);
    plan->m = a.rows;
    plan->batches = MakeBroadcastLoops(a.batch, b.batch, *batch);
    plan->scratch_floats = *aligned / sizeof(float);
    ctx.BookScratch(*scratch);
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const MatMulPlan& plan = *ctx.state<MatMulPlan>();
    if (plan.products == 0) return Status::Ok();
    const size_t workers = std::min(plan.workers, std::max<size_t>(ctx.width(), 1));
    // With enough products each thread does whole ones; else all threads share each product.
    const bool whole = workers > 1 && plan.products >= 2 * workers;
    ParallelFor(ctx.pool(), whole ? workers : 1, workers, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) {
        const size_t step = whole ? workers : 1;
        for (size_t i = worker; i < plan.products; i += step) {
          Multiply(ctx, plan, i, worker, whole ? nullptr : ctx.pool());
        }
      }
    });
    return Status::Ok();
  }

 private:
  static void Multiply(const RunContext& ctx, const MatMulPlan& plan, size_t i, size_t worker,
                       ThreadPool* pool) {
    const size_t k = plan.layout.k();
    const size_t n = plan.layout.n();
    const BroadcastAxis& inner = plan.batches.inner;
    BroadcastOffsets at = OffsetsAt(plan.batches, i / inner.dim);
    at.a += i % inner.dim * inner.a_stride;
    at.b += i % inner.dim * inner.b_stride;
    float* packed = ctx.scratch<float>(0) + worker * plan.scratch_floats;
    PackB(plan.layout, ctx.input(1).as<const float>() + at.b * k * n, n, 1, packed);
    GemmArgs args;
    args.a = ctx.input(0).as<const float>() + at.a * plan.m * k;
    args.lda = k;
    args.m = plan.m;
    args.packed_b = packed;
    args.c = ctx.output(0).as<float>() + i * plan.m * n;
    args.ldc = n;
    RunGemm(GemmF32(BestTarget()), plan.layout, args, pool, ctx.width());
  }
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
  return Acceptance::Yes();
}

template <typename K>
Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef&) {
  return std::unique_ptr<Kernel>(std::make_unique<K>());
}

constexpr KernelImpl kMatMul[] = {
    {"matmul.packed", AcceptsPacked, Create<PackedMatMul>},
    {"matmul.pack_at_run", AcceptsFloat, Create<RunTimeMatMul>},
};
constexpr OpKernels kMatMulOps[] = {{"", "MatMul", 1, 1 << 30, kMatMul}};

}  // namespace

std::span<const OpKernels> MatMulKernels() { return kMatMulOps; }

}  // namespace waybill::cpu
