#include "cpu/kernels/block_epilogue.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "graph/fused/expression.h"

namespace waybill::cpu {
namespace {

using graph::Expression;
using graph::ExprOp;
using graph::ExprOperand;

// The same clamp of operand 0, when step 1 of an addition is one of its sum.
std::optional<Expression> ClampOfSum(const Expression& expression) {
  const auto steps = expression.steps();
  if (steps.empty() || steps.size() > 2 || steps[0].op != ExprOp::kAdd) return std::nullopt;
  const auto x0 = ExprOperand::Input(0), x1 = ExprOperand::Input(1);
  const auto& args = steps[0].args;
  const bool sum = (args[0] == x0 && args[1] == x1) || (args[0] == x1 && args[1] == x0);
  if (!sum) return std::nullopt;
  Expression clamp;
  if (steps.size() == 1) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    clamp.Append({ExprOp::kClip, {x0, ExprOperand::Number(-kInf), ExprOperand::Number(kInf)}});
    return clamp;
  }
  graph::ExprStep step = steps[1];
  if (step.args[0] != ExprOperand::Temp(0)) return std::nullopt;
  for (size_t i = 1; i < graph::InfoOf(step.op).arity; ++i) {
    if (step.args[i].kind != ExprOperand::Kind::kNumber) return std::nullopt;
  }
  step.args[0] = x0;
  clamp.Append(step);
  return clamp;
}

// Strides of `operand` along the axes of `output`; 0 where it repeats.
Shape BroadcastStrides(const Shape& operand, const Shape& output) {
  Shape strides = Shape::Filled(output.rank(), 0);
  const size_t skip = output.rank() - operand.rank();
  for (size_t i = 0; i < operand.rank(); ++i) {
    if (operand[i] != 1) strides[skip + i] = operand.Stride(i);
  }
  return strides;
}

BlockOperand ReadStrides(const Shape& operand, const BlockOperands& plan) {
  const Shape strides = BroadcastStrides(operand, plan.output);
  const size_t rank = plan.output.rank();
  const size_t first = plan.channels_last ? 1 : 2, last = plan.channels_last ? rank - 1 : rank;
  BlockOperand out;
  if (plan.output.elems() == 0) return out;
  out.image = static_cast<size_t>(strides[0]);
  out.channel = static_cast<size_t>(strides[plan.channels_last ? rank - 1 : 1]);
  int64_t inner = 1;  // pixels from one step of the axis to the next
  bool known = false;
  for (size_t i = last; i-- > first; inner *= plan.output[i]) {
    if (plan.output[i] == 1) continue;
    if (!known) {
      if (strides[i] % inner != 0) out.expand = true;
      out.pixel = static_cast<size_t>(strides[i] / inner);
      known = true;
    } else if (strides[i] != static_cast<int64_t>(out.pixel) * inner) {
      out.expand = true;
    }
  }
  return out;
}

// Copies an operand to the shape of the output.
void Expand(const float* from, const Shape& operand, const Shape& output, float* to) {
  const Shape strides = BroadcastStrides(operand, output);
  const int64_t count = output.elems();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t axis = output.rank(); axis-- > 0;) {
      offset += rest % output[axis] * strides[axis];
      rest /= output[axis];
    }
    to[i] = from[offset];
  }
}

}  // namespace

Result<ConvEpilogue> ConvEpilogue::Make(const graph::NodeRef& node, size_t first_input) {
  ConvEpilogue out;
  out.first_input_ = first_input;
  if (!node.attrs().Has("expr")) return out;
  WB_ASSIGN_OR_RETURN(const Expression expression, Expression::Parse(node.attrs().String("expr")));
  WB_ASSIGN_OR_RETURN(out.epilogue_, Epilogue::Make(expression, BestTarget()));
  out.is_clamp_ = out.epilogue_.AsClamp(&out.low_, &out.high_);
  out.clamp_ = out.is_clamp_;
  if (const auto clamp = ClampOfSum(expression)) {
    WB_ASSIGN_OR_RETURN(const Epilogue of_sum, Epilogue::Make(*clamp, BestTarget()));
    out.is_residual_ = of_sum.AsClamp(&out.low_, &out.high_);
    out.clamp_ = out.is_residual_ && expression.steps().size() == 2;
  }
  return out;
}

Result<BlockOperands> ConvEpilogue::Plan(kernel::PlanContext& ctx, const Shape& output,
                                         bool channels_last) const {
  BlockOperands out;
  out.output = output;
  out.channels_last = channels_last;
  const size_t rank = output.rank();
  out.images = static_cast<size_t>(output[0]);
  out.channels = static_cast<size_t>(output[channels_last ? rank - 1 : 1]);
  out.pixels = static_cast<size_t>(channels_last ? output.ElemsBetween(1, rank - 1)
                                                 : output.ElemsBetween(2, rank));
  for (size_t i = 0; i < epilogue_.num_operands(); ++i) {
    const size_t input = first_input_ + i;
    if (!ctx.has_input(input)) {
      return Error(Code::kInvalidArgument, "operand {} of the epilogue is missing", i + 1);
    }
    const Shape& shape = ctx.input_shape(input);
    const auto together = BroadcastShapes(shape, output);
    if (ctx.input_dtype(input) != DType::kF32 || !together || *together != output) {
      return Error(Code::kInvalidArgument, "operand {} of the epilogue, {} {}, does not fit {}",
                   i + 1, DTypeName(ctx.input_dtype(input)), shape, output);
    }
    if (i == 0) out.residual = shape == output;
    BlockOperand operand = ReadStrides(shape, out);
    operand.input = input;
    if (operand.expand) {
      operand.scratch = ctx.BookScratch(static_cast<size_t>(output.elems()) * sizeof(float));
      const Shape strides = BroadcastStrides(output, output);
      operand.image = static_cast<size_t>(strides[0]);
      operand.pixel = channels_last ? out.channels : 1;
      operand.channel = channels_last ? 1 : out.pixels;
    }
    if (out.images > 1 && operand.image != operand.pixel * out.pixels) out.flat = false;
    out.list.push_back(operand);
  }
  return out;
}

EpilogueRun::EpilogueRun(const ConvEpilogue& epilogue, const BlockOperands& operands,
                         const kernel::RunContext& ctx)
    : epilogue_(epilogue),
      operands_(operands),
      y_(ctx.output(0).as<float>()),
      pitch_(ctx.pitch_bytes() != 0 ? ctx.pitch_bytes() / sizeof(float) : operands.channels) {
  for (size_t i = 0; i < operands.list.size(); ++i) {
    const BlockOperand& operand = operands.list[i];
    const TensorView& input = ctx.input(operand.input);
    data_[i] = input.as<const float>();
    if (!operand.expand) continue;
    float* copy = ctx.scratch<float>(operand.scratch);
    Expand(data_[i], input.shape, operands.output, copy);
    data_[i] = copy;
  }
  if (operands.residual) residual_ = data_[0];
}

void EpilogueRun::Configure(NhwcConvArgs& args, bool can_add_residual) const {
  const bool adds = epilogue_.IsResidual(operands_) && can_add_residual;
  if (!epilogue_.is_clamp_ && !adds) {
    args.clamp = false;
    args.epilogue = {RunBlock, this};
    return;
  }
  args.clamp = epilogue_.clamp_;
  args.low = epilogue_.low_;
  args.high = epilogue_.high_;
  if (adds) args.residual = residual_;
}

void EpilogueRun::RunBlock(const void* self, const OutputBlock& block) {
  const auto& run = *static_cast<const EpilogueRun*>(self);
  if (run.operands_.flat) {
    run.RunImages(block);
    return;
  }
  // An operand that starts anew with each image: one call for each.
  OutputBlock part = block;
  for (size_t done = 0; done < block.pixels; done += part.pixels) {
    part.pixel = block.pixel + done;
    const size_t rest = run.operands_.pixels - part.pixel % run.operands_.pixels;
    part.pixels = std::min(block.pixels - done, rest);
    run.RunImages(part);
  }
}

void EpilogueRun::RunImages(const OutputBlock& block) const {
  std::array<EpilogueOperand, graph::kMaxExprInputs> operands;
  const size_t image = block.pixel / operands_.pixels, pixel = block.pixel % operands_.pixels;
  for (size_t i = 0; i < operands_.list.size(); ++i) {
    const BlockOperand& from = operands_.list[i];
    operands[i] = {
        data_[i] + image * from.image + pixel * from.pixel + block.channel * from.channel,
        from.pixel, from.channel};
  }
  epilogue_.epilogue_.Run(y_ + block.pixel * pitch_ + block.channel, pitch_, block.pixels,
                          block.channels, std::span(operands).first(operands_.list.size()));
}

void EpilogueRun::RunChannelsFirst(size_t begin, size_t end) const {
  std::array<EpilogueOperand, graph::kMaxExprInputs> operands;
  for (size_t row = begin; row < end; ++row) {
    const size_t image = row / operands_.channels, channel = row % operands_.channels;
    for (size_t i = 0; i < operands_.list.size(); ++i) {
      const BlockOperand& from = operands_.list[i];
      operands[i] = {data_[i] + image * from.image + channel * from.channel, 0, from.pixel};
    }
    epilogue_.epilogue_.Run(y_ + row * operands_.pixels, operands_.pixels, 1, operands_.pixels,
                            std::span(operands).first(operands_.list.size()));
  }
}

}  // namespace waybill::cpu
