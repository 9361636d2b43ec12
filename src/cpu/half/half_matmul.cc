#include "cpu/half/half_matmul.h"

#include <algorithm>

#include "base/math/checked.h"
#include "cpu/gemm/gemm_f32.h"
#include "cpu/kernels/packed_matrix.h"
#include "cpu/simd/half.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::PrepareContext;
using kernel::RunContext;

// A block of the result is summed up in f32 and rounded while it is in the second-level cache.
constexpr size_t kBlockRows = 64;
constexpr size_t kBlockFloats = size_t{24} << 10;
constexpr double kNsPerMultiplication = 0.03;

struct HalfMatMulPlan final : PlanState {
  size_t m = 0;
  size_t row_blocks = 0, panel_blocks = 0;
  size_t panels = 0;        // in a block
  size_t block_floats = 0;  // of scratch for one thread
  size_t threads = 1;
  size_t a_booking = 0, c_booking = 0;
};

class HalfMatMul final : public Kernel {
 public:
  Status Prepare(PrepareContext& ctx) override { return b_.Pack(ctx, false); }

  Status Plan(PlanContext& ctx) const override {
    const Shape& a = ctx.input_shape(0);
    const PackedLayout& layout = b_.layout();
    if (a.rank() == 0 || static_cast<size_t>(a[a.rank() - 1]) != layout.k()) {
      return Error(Code::kInvalidArgument, "shapes {} and {} can not be multiplied", a,
                   ctx.input_shape(1));
    }
    Shape out = a;
    out[out.rank() - 1] = static_cast<int64_t>(layout.n());
    ctx.SetOutput(0, DType::kF16, std::move(out));
    auto plan = std::make_shared<HalfMatMulPlan>();
    plan->m = static_cast<size_t>(a.ElemsBetween(0, a.rank() - 1));
    const size_t rows = std::clamp<size_t>(plan->m, 1, kBlockRows);
    plan->panels = std::max<size_t>(kBlockFloats / (rows * layout.nr()), 1);
    plan->row_blocks = CeilDiv(plan->m, kBlockRows);
    plan->panel_blocks = CeilDiv(layout.panels(), plan->panels);
    plan->block_floats = rows * plan->panels * layout.nr();
    const size_t work = plan->m * layout.n() * std::max<size_t>(layout.k(), 1);
    plan->threads = ThreadsFor(work, kNsPerMultiplication, ctx.width());
    WB_ASSIGN_OR_RETURN(const size_t a_bytes, Tensor::BytesFor(DType::kF32, a));
    plan->a_booking = ctx.BookScratch(a_bytes);
    plan->c_booking = ctx.BookScratch(plan->threads * plan->block_floats * sizeof(float));
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const HalfMatMulPlan& plan = *ctx.state<HalfMatMulPlan>();
    const size_t blocks = plan.row_blocks * plan.panel_blocks;
    if (blocks == 0) return Status::Ok();
    HalfFunctions(BestTarget())
        .to_float(ctx.input(0).as<const uint16_t>(), ctx.scratch<float>(plan.a_booking),
                  plan.m * b_.layout().k());
    const size_t threads = std::min(plan.threads, std::max<size_t>(ctx.width(), 1));
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) {
        float* scratch = ctx.scratch<float>(plan.c_booking) + worker * plan.block_floats;
        for (size_t i = worker; i < blocks; i += threads) RunBlock(ctx, plan, i, scratch);
      }
    });
    return Status::Ok();
  }

 private:
  void RunBlock(const RunContext& ctx, const HalfMatMulPlan& plan, size_t index,
                float* scratch) const {
    const PackedLayout& layout = b_.layout();
    const size_t row = index % plan.row_blocks * kBlockRows;
    const size_t p0 = index / plan.row_blocks * plan.panels;
    const size_t p1 = std::min(p0 + plan.panels, layout.panels());
    const size_t column = p0 * layout.nr();
    const size_t columns = std::min(p1 * layout.nr(), layout.n()) - column;
    GemmArgs args;
    args.a = ctx.scratch<float>(plan.a_booking) + row * layout.k();
    args.lda = layout.k();
    args.m = std::min(plan.m - row, kBlockRows);
    args.packed_b = b_.data();
    args.c = scratch;
    args.ldc = columns;
    args.first_column = column;
    RunGemmPanels(GemmF32(BestTarget()), layout, args, p0, p1);
    uint16_t* y = ctx.output(0).as<uint16_t>() + row * layout.n() + column;
    const HalfTable& half = HalfFunctions(BestTarget());
    if (columns == layout.n()) {
      half.from_float(scratch, y, args.m * columns);
      return;
    }
    for (size_t i = 0; i < args.m; ++i) {
      half.from_float(scratch + i * columns, y + i * layout.n(), columns);
    }
  }

  PackedMatrix b_;
};

}  // namespace

Acceptance AcceptsHalfMatMul(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF16, "element type {} is not float16",
               DTypeName(node.input_dtype(0)));
  const graph::Constant* b = node.constant(1);
  WB_REFUSE_IF(b == nullptr, "the right-hand matrix is no constant");
  WB_REFUSE_IF(b->shape().rank() != 2, "the right-hand constant has rank {}, not 2",
               b->shape().rank());
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> CreateHalfMatMul(const graph::NodeRef&) {
  return std::unique_ptr<Kernel>(std::make_unique<HalfMatMul>());
}

}  // namespace waybill::cpu
