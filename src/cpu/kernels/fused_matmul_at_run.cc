#include "cpu/kernels/fused_matmul_at_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cpu/kernels/batched_product.h"
#include "cpu/kernels/epilogue_operands.h"
#include "cpu/kernels/row_tasks.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::RunContext;

constexpr size_t kBias = 2, kFirstOperand = 3;
constexpr double kNsPerElem = 0.5;

struct AtRunPlan final : PlanState {
  size_t m = 0, n = 0;
  size_t product_scratch = 0;
  BatchedProduct product;
  EpilogueOperands operands;
};

class FusedAtRun final : public Kernel {
 public:
  FusedAtRun(bool trans_b, Epilogue epilogue) : trans_b_(trans_b), epilogue_(std::move(epilogue)) {}

  Status Plan(PlanContext& ctx) const override {
    const Shape &a = ctx.input_shape(0), &b = ctx.input_shape(1);
    const size_t rank = a.rank();
    if (rank == 0 || b.rank() != 2 || a[rank - 1] != b[trans_b_ ? 1 : 0]) {
      return Error(Code::kInvalidArgument, "shapes {} and {} can not be multiplied", a, b);
    }
    const int64_t n = b[trans_b_ ? 0 : 1];
    if (ctx.has_input(kBias) && ctx.input_shape(kBias) != Shape({n})) {
      return Error(Code::kInvalidArgument, "bias {} is not one number for each of {} columns",
                   ctx.input_shape(kBias), n);
    }
    Shape out = a;
    out[rank - 1] = n;
    auto plan = std::make_shared<AtRunPlan>();
    plan->m = static_cast<size_t>(a.ElemsBetween(0, rank - 1));
    plan->n = static_cast<size_t>(n);
    const auto k = static_cast<size_t>(a[rank - 1]);
    BatchedShape shape;
    shape.product = {plan->m, plan->n, k, k, static_cast<size_t>(b[1]), false, trans_b_, 1.0f};
    WB_ASSIGN_OR_RETURN(plan->product, BatchedProduct::Make(BestTarget(), shape, ctx.width()));
    plan->product_scratch = ctx.BookScratch(plan->product.scratch_bytes());
    WB_RETURN_IF_ERROR(plan->operands.Plan(ctx, kFirstOperand, epilogue_.num_operands(), out));
    ctx.SetOutput(0, DType::kF32, std::move(out));
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const AtRunPlan& plan = *ctx.state<AtRunPlan>();
    const size_t n = plan.n;
    auto* const y = ctx.output(0).as<float>();
    const bool has_bias = ctx.has_input(kBias);
    if (has_bias) {
      const auto* bias = ctx.input(kBias).as<const float>();
      ForRows(ctx, plan.m, n, kNsPerElem, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row) std::copy_n(bias, n, y + row * n);
      });
    }
    plan.product.Run(ctx.input(0).as<const float>(), ctx.input(1).as<const float>(), y, has_bias,
                     ctx.scratch<float>(plan.product_scratch), ctx.pool(), ctx.width());
    if (epilogue_.empty()) return Status::Ok();
    EpilogueOperands::Array operands;
    plan.operands.Read(ctx, operands);
    ForRows(ctx, plan.m, n, kNsPerElem, [&](size_t begin, size_t end) {
      EpilogueOperands::Array here = operands;
      for (size_t i = 0; i < epilogue_.num_operands(); ++i) {
        here[i].data += begin * here[i].row_stride;
      }
      epilogue_.Run(y + begin * n, n, end - begin, n,
                    std::span(here).first(epilogue_.num_operands()));
    });
    return Status::Ok();
  }

 private:
  bool trans_b_;
  Epilogue epilogue_;
};

}  // namespace

Acceptance AcceptsFusedAtRun(const graph::NodeRef& node) {
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    WB_REFUSE_IF(node.has_input(i) && node.input_dtype(i) != DType::kF32,
                 "element type {} is not float", DTypeName(node.input_dtype(i)));
  }
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> CreateFusedAtRun(const graph::NodeRef& node) {
  Epilogue epilogue;
  if (const std::string text = node.attrs().String("expr"); !text.empty()) {
    WB_ASSIGN_OR_RETURN(const graph::Expression expression, graph::Expression::Parse(text));
    WB_ASSIGN_OR_RETURN(epilogue, Epilogue::Make(expression, BestTarget()));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<FusedAtRun>(node.attrs().Int("transB") != 0, std::move(epilogue)));
}

}  // namespace waybill::cpu
