// Comparisons, logic, Where and Cast of the usual types, and arithmetic of integers.
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/math/checked.h"
#include "cpu/kernels/elementwise/block_loops.h"
#include "cpu/kernels/lists.h"
#include "cpu/typed/loops.h"
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

constexpr double kNsPerElem = 0.5;

struct BlockPlan final : PlanState {
  BlockLoops loops;
};

Status PlanBlocks(PlanContext& ctx, size_t operands) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape* out = ctx.output_shape(0);
  if (out == nullptr) return Error(Code::kInternal, "no shape of an elementwise result");
  std::vector<Shape> shapes;
  for (size_t k = 0; k < operands; ++k) {
    const auto together = BroadcastShapes(ctx.input_shape(k), *out);
    if (!together || *together != *out) {
      return Error(Code::kInvalidArgument, "shape {} of input {} does not broadcast to {}",
                   ctx.input_shape(k), k, *out);
    }
    shapes.push_back(ctx.input_shape(k));
    // Rows are read and written element by element.
    const bool same_width =
        DTypeBits(ctx.input_dtype(k)) == DTypeBits(ctx.record().outputs[0].dtype);
    if (same_width && shapes[k] == *out) ctx.AllowInPlace(0, k);
  }
  auto plan = std::make_shared<BlockPlan>();
  plan->loops = MakeBlockLoops(shapes, *out);
  SplitBlocks(plan->loops, kNsPerElem, ctx.width());
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

// Calls fn(operands, out, n) for every row of the run; kOperands inputs of given element widths.
template <size_t kOperands, typename Fn>
void ForBlockRows(RunContext& ctx, const std::array<size_t, kOperands>& widths, size_t out_width,
                  const Fn& fn) {
  const BlockLoops& loops = ctx.state<BlockPlan>()->loops;
  std::byte* const out = ctx.output(0).data;
  ParallelFor(ctx.pool(), loops.tasks, loops.threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      const BlockPiece piece = PieceAt(loops, task);
      for (size_t r = 0; r < piece.rows; ++r) {
        std::array<RowOperand, kOperands> operands;
        for (size_t k = 0; k < kOperands; ++k) {
          const size_t offset = piece.offsets[k] + r * loops.rows.strides[k];
          operands[k] = {ctx.input(k).data + offset * widths[k], loops.columns.strides[k]};
        }
        fn(operands, out + (piece.out + r * loops.columns.dim) * out_width, piece.columns);
      }
    }
  });
}

class BinaryKernel final : public Kernel {
 public:
  explicit BinaryKernel(BinaryRowFn row) : row_(row) {}
  Status Plan(PlanContext& ctx) const override { return PlanBlocks(ctx, 2); }
  Status Run(RunContext& ctx) const override {
    const size_t width = DTypeBits(ctx.input(0).dtype) / 8;
    const size_t out_width = DTypeBits(ctx.output(0).dtype) / 8;
    ForBlockRows<2>(ctx, {width, width}, out_width,
                    [&](const std::array<RowOperand, 2>& x, std::byte* out, size_t n) {
                      row_(x[0], x[1], out, n);
                    });
    return Status::Ok();
  }

 private:
  BinaryRowFn row_;
};

class WhereKernel final : public Kernel {
 public:
  explicit WhereKernel(WhereRowFn row) : row_(row) {}
  Status Plan(PlanContext& ctx) const override { return PlanBlocks(ctx, 3); }
  Status Run(RunContext& ctx) const override {
    const size_t width = DTypeBits(ctx.output(0).dtype) / 8;
    ForBlockRows<3>(ctx, {1, width, width}, width,
                    [&](const std::array<RowOperand, 3>& x, std::byte* out, size_t n) {
                      row_(x[0], x[1], x[2], out, n);
                    });
    return Status::Ok();
  }

 private:
  WhereRowFn row_;
};

// A function of one input, to the same or another type.
class UnaryKernel final : public Kernel {
 public:
  explicit UnaryKernel(UnaryRowFn row) : row_(row) {}
  Status Plan(PlanContext& ctx) const override { return PlanBlocks(ctx, 1); }
  Status Run(RunContext& ctx) const override {
    const size_t width = DTypeBits(ctx.input(0).dtype) / 8;
    const size_t out_width = DTypeBits(ctx.output(0).dtype) / 8;
    ForBlockRows<1>(ctx, {width}, out_width,
                    [&](const std::array<RowOperand, 1>& x, std::byte* out, size_t n) {
                      row_(x[0].data, out, n);
                    });
    return Status::Ok();
  }

 private:
  UnaryRowFn row_;
};

constexpr std::pair<std::string_view, TypedOp> kOps[] = {
    {"Add", TypedOp::kAdd},         {"Sub", TypedOp::kSub},
    {"Mul", TypedOp::kMul},         {"Equal", TypedOp::kEqual},
    {"Less", TypedOp::kLess},       {"LessOrEqual", TypedOp::kLessOrEqual},
    {"Greater", TypedOp::kGreater}, {"GreaterOrEqual", TypedOp::kGreaterOrEqual},
    {"And", TypedOp::kAnd},         {"Or", TypedOp::kOr},
};

BinaryRowFn BinaryOf(const graph::NodeRef& node) {
  for (const auto& [name, op] : kOps) {
    if (name == node.node().op_type) return TypedRow(BestTarget(), op, node.input_dtype(0));
  }
  return nullptr;
}

constexpr std::pair<std::string_view, TypedUnaryOp> kUnaryOps[] = {
    {"Neg", TypedUnaryOp::kNeg},
    {"Abs", TypedUnaryOp::kAbs},
    {"Not", TypedUnaryOp::kNot},
};

UnaryRowFn UnaryOf(const graph::NodeRef& node) {
  for (const auto& [name, op] : kUnaryOps) {
    if (name == node.node().op_type) return TypedUnaryRow(BestTarget(), op, node.input_dtype(0));
  }
  return nullptr;
}

WhereRowFn WhereOf(const graph::NodeRef& node) {
  const DType dtype = node.input_dtype(1);
  if (dtype == DType::kString || DTypeBits(dtype) % 8 != 0) return nullptr;
  return WhereRow(BestTarget(), DTypeBits(dtype) / 8);
}

CastFn CastOf(const graph::NodeRef& node) {
  return CastRow(BestTarget(), node.input_dtype(0), node.output_dtype(0));
}

Acceptance AcceptsBinary(const graph::NodeRef& node) {
  WB_REFUSE_IF(BinaryOf(node) == nullptr, "no fast loop for {}", DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}
Acceptance AcceptsUnary(const graph::NodeRef& node) {
  WB_REFUSE_IF(UnaryOf(node) == nullptr, "no fast loop for {}", DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}
Acceptance AcceptsWhere(const graph::NodeRef& node) {
  WB_REFUSE_IF(WhereOf(node) == nullptr, "no fast loop for {}", DTypeName(node.input_dtype(1)));
  return Acceptance::Yes();
}
Acceptance AcceptsCast(const graph::NodeRef& node) {
  WB_REFUSE_IF(CastOf(node) == nullptr, "no fast loop from {} to {}",
               DTypeName(node.input_dtype(0)), DTypeName(node.output_dtype(0)));
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> CreateBinary(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<BinaryKernel>(BinaryOf(node)));
}
Result<std::unique_ptr<Kernel>> CreateUnary(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<UnaryKernel>(UnaryOf(node)));
}
Result<std::unique_ptr<Kernel>> CreateWhere(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<WhereKernel>(WhereOf(node)));
}
Result<std::unique_ptr<Kernel>> CreateCast(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<UnaryKernel>(CastOf(node)));
}

constexpr KernelImpl kBinary[] = {{"elementwise.typed", AcceptsBinary, CreateBinary}};
constexpr KernelImpl kUnary[] = {{"elementwise.typed", AcceptsUnary, CreateUnary}};
constexpr KernelImpl kWhere[] = {{"where.typed", AcceptsWhere, CreateWhere}};
constexpr KernelImpl kCast[] = {{"cast.typed", AcceptsCast, CreateCast}};

constexpr int kLatest = 1 << 30;
// Before version 7 broadcasting was an attribute.
constexpr OpKernels kTable[] = {
    {"", "Equal", 7, kLatest, kBinary},
    {"", "Less", 7, kLatest, kBinary},
    {"", "LessOrEqual", 7, kLatest, kBinary},
    {"", "Greater", 7, kLatest, kBinary},
    {"", "GreaterOrEqual", 7, kLatest, kBinary},
    {"", "And", 7, kLatest, kBinary},
    {"", "Or", 7, kLatest, kBinary},
    {"", "Where", 9, kLatest, kWhere},
    {"", "Cast", 6, kLatest, kCast},
    {"", "Add", 7, kLatest, kBinary},
    {"", "Sub", 7, kLatest, kBinary},
    {"", "Mul", 7, kLatest, kBinary},
    {"", "Neg", 6, kLatest, kUnary},
    {"", "Abs", 6, kLatest, kUnary},
    {"", "Not", 1, kLatest, kUnary},
};

}  // namespace

std::span<const OpKernels> TypedKernels() { return kTable; }

}  // namespace waybill::cpu
