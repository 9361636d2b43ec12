#include "cpu/kernels/elementwise/tile_kernel.h"

#include <array>
#include <utility>

#include "cpu/kernels/elementwise/block_loops.h"
#include "cpu/kernels/lists.h"
#include "kernel/reference/support/legacy_broadcast.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::RunContext;
using kernel::reference::LegacyBroadcast;

struct TilePlan final : PlanState {
  BlockLoops loops;
};

class TileKernel final : public Kernel {
 public:
  TileKernel(TileProgram program, TileOperator meaning, LegacyBroadcast legacy)
      : program_(std::move(program)), meaning_(std::move(meaning)), legacy_(legacy) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const Shape* inferred = ctx.output_shape(0);
    if (inferred == nullptr) return Error(Code::kInternal, "no shape of an elementwise result");
    const Shape out = *inferred;
    ctx.SetOutput(0, DType::kF32, out);
    std::vector<Shape> shapes;
    for (size_t k = 0; k < program_.num_inputs(); ++k) {
      const Shape& shape = ctx.input_shape(meaning_.inputs[k]);
      if (k >= meaning_.first_scalar && (shape.elems() != 1 || shape.rank() > 1)) {
        return Error(Code::kInvalidArgument, "input {} must be a scalar, its shape is {}",
                     meaning_.inputs[k], shape);
      }
      const bool second = k == 1 && legacy_.active && meaning_.inputs.size() == 2;
      shapes.push_back(second ? legacy_.Second(shapes[0], shape) : shape);
      const auto together = BroadcastShapes(shapes[k], out);
      if (k < meaning_.first_scalar && (!together || *together != out)) {
        return Error(Code::kInvalidArgument, "shape {} of input {} does not broadcast to {}", shape,
                     meaning_.inputs[k], out);
      }
      if (k >= meaning_.first_scalar) shapes[k] = Shape();
    }
    AllowInPlace(ctx, out);
    auto plan = std::make_shared<TilePlan>();
    plan->loops = MakeBlockLoops(shapes, out);
    SplitBlocks(plan->loops, static_cast<double>(program_.cost_ns()), ctx.width());
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const BlockLoops& loops = ctx.state<TilePlan>()->loops;
    auto* const out = ctx.output(0).as<float>();
    ParallelFor(ctx.pool(), loops.tasks, loops.threads, [&](size_t begin, size_t end) {
      std::array<TileOperand, kMaxBlockOperands> inputs;
      const size_t count = program_.num_inputs();
      for (size_t task = begin; task < end; ++task) {
        const BlockPiece piece = PieceAt(loops, task);
        for (size_t k = 0; k < count; ++k) {
          const auto* data = ctx.input(meaning_.inputs[k]).as<const float>();
          inputs[k] = {data + piece.offsets[k], loops.rows.strides[k], loops.columns.strides[k]};
        }
        program_.Run(out + piece.out, loops.columns.dim, piece.rows, piece.columns,
                     std::span(inputs).first(count));
      }
    });
    return Status::Ok();
  }

 private:
  void AllowInPlace(PlanContext& ctx, const Shape& out) const {
    for (size_t k = 0; k < program_.num_inputs(); ++k) {
      if (ctx.input_shape(meaning_.inputs[k]) == out) ctx.AllowInPlace(0, meaning_.inputs[k]);
    }
  }

  TileProgram program_;
  TileOperator meaning_;
  LegacyBroadcast legacy_;
};

static_assert(graph::kMaxExprInputs <= kMaxBlockOperands);

Acceptance AcceptsTile(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.num_inputs() > graph::kMaxExprInputs, "{} operands are more than {}",
               node.num_inputs(), graph::kMaxExprInputs);
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    WB_REFUSE_IF(node.has_input(i) && node.input_dtype(i) != DType::kF32,
                 "element type {} is not float", DTypeName(node.input_dtype(i)));
  }
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> CreateTile(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(TileOperator meaning, MakeTileOperator(node));
  if (meaning.expression.num_inputs() > meaning.inputs.size()) {
    return Error(Code::kInvalidArgument, "'{}' reads {} operands, the node has {}",
                 meaning.expression.Print(), meaning.expression.num_inputs(),
                 meaning.inputs.size());
  }
  WB_ASSIGN_OR_RETURN(TileProgram program, TileProgram::Make(meaning.expression, BestTarget()));
  LegacyBroadcast legacy = LegacyBroadcast::Of(node);
  legacy.active = legacy.active && node.node().domain.empty();
  return std::unique_ptr<Kernel>(
      std::make_unique<TileKernel>(std::move(program), std::move(meaning), legacy));
}

constexpr KernelImpl kTile[] = {{"elementwise.tile", AcceptsTile, CreateTile}};

constexpr int kLatest = 1 << 30;
constexpr std::string_view kMicrosoft = "com.microsoft";

constexpr OpKernels kTable[] = {
    {graph::kInternalDomain, "Elementwise", 1, kLatest, kTile},
    {"", "Abs", 1, kLatest, kTile},
    {"", "Add", 1, kLatest, kTile},
    {"", "Ceil", 1, kLatest, kTile},
    {"", "Clip", 1, kLatest, kTile},
    {"", "Cos", 1, kLatest, kTile},
    {"", "Div", 1, kLatest, kTile},
    {"", "Elu", 1, kLatest, kTile},
    {"", "Erf", 1, kLatest, kTile},
    {"", "Exp", 1, kLatest, kTile},
    {"", "Floor", 1, kLatest, kTile},
    {"", "Gelu", 1, kLatest, kTile},
    {"", "HardSigmoid", 1, kLatest, kTile},
    {"", "HardSwish", 1, kLatest, kTile},
    {"", "LeakyRelu", 1, kLatest, kTile},
    {"", "Log", 1, kLatest, kTile},
    {"", "Max", 1, kLatest, kTile},
    {"", "Mean", 1, kLatest, kTile},
    {"", "Min", 1, kLatest, kTile},
    {"", "Mish", 1, kLatest, kTile},
    {"", "Mul", 1, kLatest, kTile},
    {"", "Neg", 1, kLatest, kTile},
    // Before version 7 the slope has rules of its own.
    {"", "PRelu", 7, kLatest, kTile},
    {"", "Pow", 1, kLatest, kTile},
    {"", "Reciprocal", 1, kLatest, kTile},
    {"", "Relu", 1, kLatest, kTile},
    {"", "Round", 1, kLatest, kTile},
    {"", "Selu", 1, kLatest, kTile},
    {"", "Sigmoid", 1, kLatest, kTile},
    {"", "Sin", 1, kLatest, kTile},
    {"", "Softplus", 1, kLatest, kTile},
    {"", "Softsign", 1, kLatest, kTile},
    {"", "Sqrt", 1, kLatest, kTile},
    {"", "Sub", 1, kLatest, kTile},
    {"", "Sum", 1, kLatest, kTile},
    {"", "Swish", 1, kLatest, kTile},
    {"", "Tanh", 1, kLatest, kTile},
    {kMicrosoft, "BiasGelu", 1, kLatest, kTile},
    {kMicrosoft, "FastGelu", 1, kLatest, kTile},
    {kMicrosoft, "Gelu", 1, kLatest, kTile},
    {kMicrosoft, "QuickGelu", 1, kLatest, kTile},
};

}  // namespace

std::span<const OpKernels> TileKernels() { return kTable; }

}  // namespace waybill::cpu
