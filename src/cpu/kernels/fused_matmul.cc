// The internal MatMul: a product with a constant matrix, a bias and an elementwise epilogue.
#include <algorithm>
#include <optional>

#include "cpu/gemm/gemm_f32.h"
#include "cpu/kernels/epilogue_operands.h"
#include "cpu/kernels/fused_matmul_at_run.h"
#include "cpu/kernels/lists.h"
#include "cpu/kernels/packed_matrix.h"

namespace waybill::cpu {
namespace {

using graph::ExprOp;
using graph::ExprOperand;
using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::PrepareContext;
using kernel::RunContext;

constexpr size_t kFirstOperand = 3;

// What of the epilogue is done while the sums are in registers.
struct InRegisters {
  bool everything = false;
  bool adds_first_operand = false;  // where that has the output's shape
  bool clamps = false;
  float low = 0, high = 0;
};

bool IsNumber(const ExprOperand& operand) { return operand.kind == ExprOperand::Kind::kNumber; }

// Add(x0, x1), perhaps with Relu or Clip behind it.
std::optional<InRegisters> AddThenClamp(const graph::Expression& expression) {
  const auto steps = expression.steps();
  if (steps.empty() || steps.size() > 2 || steps[0].op != ExprOp::kAdd) return std::nullopt;
  const ExprOperand x0 = ExprOperand::Input(0), x1 = ExprOperand::Input(1);
  const auto& args = steps[0].args;
  if (!(args[0] == x0 && args[1] == x1) && !(args[0] == x1 && args[1] == x0)) return std::nullopt;
  InRegisters out;
  out.everything = out.adds_first_operand = true;
  if (steps.size() == 1) return out;
  const graph::ExprStep& last = steps[1];
  if (last.args[0] != ExprOperand::Temp(0)) return std::nullopt;
  out.clamps = true;
  out.high = std::numeric_limits<float>::infinity();
  if (last.op == ExprOp::kRelu) return out;
  if (last.op != ExprOp::kClip || !IsNumber(last.args[1]) || !IsNumber(last.args[2])) {
    return std::nullopt;
  }
  out.low = last.args[1].number;
  out.high = last.args[2].number;
  return out;
}

struct FusedPlan final : PlanState {
  size_t m = 0;
  EpilogueOperands operands;
};

class FusedMatMul final : public Kernel {
 public:
  FusedMatMul(bool trans_b, Epilogue epilogue, InRegisters in_registers)
      : trans_b_(trans_b), epilogue_(std::move(epilogue)), in_registers_(in_registers) {}

  Status Prepare(PrepareContext& ctx) override { return b_.Pack(ctx, trans_b_); }

  Status Plan(PlanContext& ctx) const override {
    const Shape& a = ctx.input_shape(0);
    const size_t rank = a.rank();
    if (rank == 0 || static_cast<size_t>(a[rank - 1]) != b_.layout().k()) {
      return Error(Code::kInvalidArgument, "shapes {} and {} can not be multiplied", a,
                   ctx.input_shape(1));
    }
    const auto n = static_cast<int64_t>(b_.layout().n());
    if (ctx.has_input(2) && ctx.input_shape(2) != Shape({n})) {
      return Error(Code::kInvalidArgument, "bias {} is not one number for each of {} columns",
                   ctx.input_shape(2), n);
    }
    Shape out = a;
    out[rank - 1] = n;
    auto plan = std::make_shared<FusedPlan>();
    plan->m = static_cast<size_t>(a.ElemsBetween(0, rank - 1));
    WB_RETURN_IF_ERROR(plan->operands.Plan(ctx, kFirstOperand, epilogue_.num_operands(), out));
    const bool one_part = b_.layout().k() <= b_.layout().block_k();
    if (one_part && IsResidual(*plan)) ctx.AllowInPlace(0, kFirstOperand);
    ctx.SetOutput(0, DType::kF32, std::move(out));
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const FusedPlan& plan = *ctx.state<FusedPlan>();
    GemmArgs args;
    args.a = ctx.input(0).as<const float>();
    args.lda = b_.layout().k();
    args.m = plan.m;
    args.packed_b = b_.data();
    args.c = ctx.output(0).as<float>();
    args.ldc = b_.layout().n();
    args.column_bias = ctx.has_input(2) ? ctx.input(2).as<const float>() : nullptr;
    EpilogueOperands::Array operands;
    plan.operands.Read(ctx, operands);
    SetEpilogue(plan, operands, args);
    RunGemm(GemmF32(BestTarget()), b_.layout(), args, ctx.pool(), ctx.width());
    return Status::Ok();
  }

 private:
  // Operand 0 is added as the sums are written, and nothing follows.
  bool IsResidual(const FusedPlan& plan) const {
    return in_registers_.everything && in_registers_.adds_first_operand && plan.operands.IsWhole(0);
  }

  void SetEpilogue(const FusedPlan& plan, const EpilogueOperands::Array& operands,
                   GemmArgs& args) const {
    const InRegisters& r = in_registers_;
    if (r.everything && (!r.adds_first_operand || plan.operands.IsWhole(0))) {
      args.clamp = r.clamps;
      args.low = r.low;
      args.high = r.high;
      if (r.adds_first_operand) {
        args.residual = operands[0].data;
        args.residual_ld = operands[0].row_stride;
      }
    } else if (!epilogue_.empty()) {
      args.epilogue = &epilogue_;
      args.operands = operands.data();
    }
  }

  bool trans_b_;
  Epilogue epilogue_;
  InRegisters in_registers_;
  PackedMatrix b_;
};

Acceptance Accepts(const graph::NodeRef& node) {
  if (Acceptance floats = AcceptsFusedAtRun(node); !floats.ok()) return floats;
  const graph::Constant* b = node.constant(1);
  WB_REFUSE_IF(b == nullptr, "the right-hand matrix is no constant");
  WB_REFUSE_IF(b->shape().rank() != 2, "the right-hand constant has rank {}, not 2",
               b->shape().rank());
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  Epilogue epilogue;
  InRegisters in_registers;
  const std::string text = node.attrs().String("expr");
  if (!text.empty()) {
    WB_ASSIGN_OR_RETURN(const graph::Expression expression, graph::Expression::Parse(text));
    WB_ASSIGN_OR_RETURN(epilogue, Epilogue::Make(expression, BestTarget()));
    if (const auto sum = AddThenClamp(expression)) in_registers = *sum;
  }
  if (epilogue.AsClamp(&in_registers.low, &in_registers.high)) {
    in_registers.everything = true;
    in_registers.clamps = !epilogue.empty();
  }
  return std::unique_ptr<Kernel>(std::make_unique<FusedMatMul>(node.attrs().Int("transB") != 0,
                                                               std::move(epilogue), in_registers));
}

constexpr KernelImpl kFused[] = {
    {"fused_matmul.packed", Accepts, Create},
    {"fused_matmul.pack_at_run", AcceptsFusedAtRun, CreateFusedAtRun},
};
constexpr OpKernels kFusedOps[] = {{graph::kInternalDomain, "MatMul", 1, 1, kFused}};

}  // namespace

std::span<const OpKernels> FusedMatMulKernels() { return kFusedOps; }

}  // namespace waybill::cpu
