#include "kernel/reference/internal/around.h"

#include <array>
#include <optional>

#include "kernel/reference/internal/expression_eval.h"
#include "kernel/reference/support/nd.h"

namespace waybill::kernel::reference {

namespace {

using graph::Expression;

// [N, spatial..., C] to [N, C, spatial...] and back.
Shape ToFirst(const Shape& shape) {
  Shape out = shape;
  for (size_t i = 2; i < shape.rank(); ++i) out[i] = shape[i - 1];
  if (shape.rank() >= 2) out[1] = shape[shape.rank() - 1];
  return out;
}

Shape ToLast(const Shape& shape) {
  Shape out = shape;
  for (size_t i = 2; i < shape.rank(); ++i) out[i - 1] = shape[i];
  if (shape.rank() >= 2) out[shape.rank() - 1] = shape[1];
  return out;
}

// The same elements, channels first to channels last or back.
void MoveChannels(const TensorView& first, const TensorView& last, bool to_last) {
  const Shape first_strides = RowMajorStrides(first.shape);
  const Shape last_strides = ToFirst(RowMajorStrides(last.shape));
  const StridedSide a{first, 0, first_strides}, b{last, 0, last_strides};
  to_last ? CopyBox(first.shape, b, a) : CopyBox(first.shape, a, b);
}

struct AroundPlan : PlanState {
  std::shared_ptr<const PlanState> core;
  Shape x, y;               // as the core sees them
  size_t core_scratch = 0;  // index of the core's first booking
  size_t bookings = 0;
};

// The core's node, alone in a graph of its own: inputs, attributes and one output.
graph::Graph CoreGraph(const graph::NodeRef& node, const AroundSpec& spec) {
  graph::Graph graph;
  graph::Node core;
  core.name = node.node().name;
  core.op_type = node.node().op_type;
  core.since_version = core.opset = 1;
  core.attrs = node.attrs();
  for (size_t i = 0; i < std::min(spec.core_inputs, node.num_inputs()); ++i) {
    core.inputs.push_back(graph::kNoValue);
    if (!node.has_input(i)) continue;
    graph::Value value;
    value.type = ValueType::Tensor(node.input_dtype(i));
    core.inputs.back() = graph.AddValue(std::move(value));
  }
  graph::Value out;
  out.type = ValueType::Tensor(node.input_dtype(0));
  core.outputs.push_back(graph.AddValue(std::move(out)));
  graph.AddNode(std::move(core));
  return graph;
}

class AroundKernel final : public Kernel {
 public:
  AroundKernel(const graph::NodeRef& node, const AroundSpec& spec)
      : spec_(spec),
        channels_last_(spec.always_last || node.attrs().Int("channels_last") != 0),
        graph_(CoreGraph(node, spec)) {}

  Status Init(const graph::NodeRef& node) {
    if (node.attrs().Has("expr")) {
      WB_ASSIGN_OR_RETURN(expression_, Expression::Parse(node.attrs().String("expr")));
    }
    WB_ASSIGN_OR_RETURN(core_, spec_.core->create(core_node()));
    return Status::Ok();
  }

  Status Plan(PlanContext& ctx) const override;
  Status Run(RunContext& ctx) const override;

 private:
  static constexpr size_t kMaxCoreInputs = 3;

  graph::NodeRef core_node() const { return {graph_, graph_.node(0)}; }
  size_t core_inputs() const { return graph_.node(0).inputs.size(); }

  // Result first, then the operands of the epilogue.
  template <typename Ctx, typename Input>
  size_t Operands(const Ctx& ctx, const TensorView& y, const Input& input,
                  std::array<const TensorView*, graph::kMaxExprInputs>& out) const {
    size_t count = 1;
    out[0] = &y;
    for (size_t i = spec_.core_inputs; i < ctx.num_inputs() && count < out.size(); ++i) {
      if (ctx.has_input(i)) out[count++] = input(i);
    }
    return count;
  }

  AroundSpec spec_;
  bool channels_last_;
  graph::Graph graph_;
  std::optional<Expression> expression_;
  std::unique_ptr<Kernel> core_;
};

Status AroundKernel::Plan(PlanContext& ctx) const {
  std::array<TensorView, kMaxCoreInputs> views;
  std::array<PlanInput, kMaxCoreInputs> inputs;
  for (size_t i = 0; i < core_inputs(); ++i) {
    if (!ctx.has_input(i)) continue;
    views[i].dtype = ctx.input_dtype(i);
    views[i].shape = i == 0 && channels_last_ ? ToFirst(ctx.input_shape(i)) : ctx.input_shape(i);
    inputs[i].tensor = &views[i];
  }
  PlanContext core(core_node(), std::span(inputs).first(core_inputs()), ctx.width());
  WB_RETURN_IF_ERROR(core_->Plan(core));
  auto plan = std::make_shared<AroundPlan>();
  plan->x = views[0].shape;
  if (core.output_shape(0) == nullptr) return Error(Code::kInternal, "no output shape");
  plan->y = *core.output_shape(0);
  plan->core = core.record().state;
  TensorView y{core.record().outputs[0].dtype, channels_last_ ? ToLast(plan->y) : plan->y, {}, {}};
  ctx.SetOutput(0, y.dtype, y.shape);
  if (expression_) {
    std::array<const TensorView*, graph::kMaxExprInputs> operands;
    std::array<TensorView, graph::kMaxExprInputs> operand_views;
    size_t used = 0;
    const size_t count = Operands(
        ctx, y,
        [&](size_t i) {
          operand_views[used] = {ctx.input_dtype(i), ctx.input_shape(i), {}, {}};
          return &operand_views[used++];
        },
        operands);
    WB_RETURN_IF_ERROR(CheckOperands(*expression_, std::span(operands).first(count), y.shape));
  }
  if (channels_last_) {
    WB_ASSIGN_OR_RETURN(const size_t x_bytes, Tensor::BytesFor(views[0].dtype, plan->x));
    WB_ASSIGN_OR_RETURN(const size_t y_bytes, Tensor::BytesFor(y.dtype, plan->y));
    ctx.BookScratch(x_bytes);
    plan->core_scratch = ctx.BookScratch(y_bytes) + 1;
  }
  plan->bookings = core.record().scratch.size();
  for (const ScratchBooking& booking : core.record().scratch) {
    ctx.BookScratch(booking.bytes, booking.align);
  }
  ctx.SetState(std::move(plan));
  return Status::Ok();
}

Status AroundKernel::Run(RunContext& ctx) const {
  const AroundPlan& plan = *ctx.state<AroundPlan>();
  std::array<Slot, kMaxCoreInputs + 1> slots;
  std::array<SlotId, kMaxCoreInputs + 1> ids;
  ids.fill(kNoSlot);
  for (size_t i = 0; i < core_inputs(); ++i) {
    if (!ctx.has_input(i)) continue;
    ids[i] = static_cast<SlotId>(i);
    slots[i].tensor = ctx.input(i);
  }
  const TensorView& y = ctx.output(0);
  constexpr size_t kOutput = kMaxCoreInputs;
  ids[kOutput] = kOutput;
  slots[kOutput].tensor = y;
  if (channels_last_) {
    slots[0].tensor.shape = plan.x;
    slots[0].tensor.data = ctx.scratch(0);
    MoveChannels(slots[0].tensor, ctx.input(0), false);
    slots[kOutput].tensor.shape = plan.y;
    slots[kOutput].tensor.data = ctx.scratch(1);
  }
  std::array<std::byte*, 4> scratch = {};
  for (size_t i = 0; i < plan.bookings; ++i) scratch[i] = ctx.scratch(plan.core_scratch + i);
  RunParts parts;
  parts.node = &graph_.node(0);
  parts.slots = slots.data();
  parts.inputs = std::span(ids).first(core_inputs());
  parts.outputs = std::span(ids).last(1);
  parts.scratch = scratch;
  parts.state = plan.core.get();
  parts.pool = ctx.pool();
  parts.width = ctx.width();
  RunContext core(parts);
  WB_RETURN_IF_ERROR(core_->Run(core));
  if (channels_last_) MoveChannels(slots[kOutput].tensor, y, true);
  if (expression_) {
    std::array<const TensorView*, graph::kMaxExprInputs> operands;
    const size_t count = Operands(
        ctx, y, [&](size_t i) { return &ctx.input(i); }, operands);
    ApplyExpression(*expression_, std::span(operands).first(count), y);
  }
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<Kernel>> MakeAround(const graph::NodeRef& node, const AroundSpec& spec) {
  auto kernel = std::make_unique<AroundKernel>(node, spec);
  WB_RETURN_IF_ERROR(kernel->Init(node));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace waybill::kernel::reference
