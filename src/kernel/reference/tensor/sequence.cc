// Sequences. Items share their bytes with where they come from.
#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

// Run sets the output, whatever it holds.
Status PlanByRun(PlanContext&) { return Status::Ok(); }

Result<const SequenceValue*> SequenceInput(const RunContext& ctx, size_t i) {
  const SequenceValue* sequence = ctx.input_value(i).sequence();
  if (sequence != nullptr) return sequence;
  return Error(Code::kInvalidArgument, "input {} is no sequence", i);
}

// Position from input `i`, in [0, count); `fallback` where the input is omitted.
Result<int64_t> Position(const RunContext& ctx, size_t i, int64_t count, int64_t fallback) {
  int64_t position = fallback;
  if (ctx.has_input(i)) {
    WB_ASSIGN_OR_RETURN(position, ReadInt(ctx.input(i), "position"));
  }
  if (position < -count || position >= count) {
    return Error(Code::kInvalidArgument, "position {} is out of range [{}, {}) of the sequence",
                 position, -count, count);
  }
  return position < 0 ? position + count : position;
}

struct EmptyParams {
  DType dtype = DType::kF32;
};

Result<EmptyParams> ParseSequenceEmpty(const graph::NodeRef& node) {
  const int64_t code = node.attrs().Int("dtype", static_cast<int64_t>(DType::kF32));
  if (!IsKnownDType(code)) {
    return Error(Code::kInvalidArgument, "dtype {} is no element type", code);
  }
  return EmptyParams{static_cast<DType>(code)};
}

Status RunSequenceEmpty(const EmptyParams& params, RunContext& ctx) {
  ctx.SetOutputValue(0, SequenceValue{ValueType::Tensor(params.dtype), {}});
  return Status::Ok();
}

Status RunSequenceConstruct(RunContext& ctx) {
  SequenceValue out;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.has_input(i)) continue;
    WB_ASSIGN_OR_RETURN(Value item, ctx.ShareInput(i));
    if (out.items.empty()) out.element = ValueType::Tensor(ctx.input(i).dtype);
    out.items.push_back(std::move(item));
  }
  ctx.SetOutputValue(0, std::move(out));
  return Status::Ok();
}

Status RunSequenceAt(RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SequenceValue* sequence, SequenceInput(ctx, 0));
  const auto count = static_cast<int64_t>(sequence->items.size());
  WB_ASSIGN_OR_RETURN(const int64_t at, Position(ctx, 1, count, 0));
  ctx.SetOutputValue(0, sequence->items[static_cast<size_t>(at)]);
  return Status::Ok();
}

Status RunSequenceInsert(RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SequenceValue* sequence, SequenceInput(ctx, 0));
  SequenceValue out = *sequence;
  const auto count = static_cast<int64_t>(out.items.size());
  int64_t position = count;
  if (ctx.has_input(2)) {
    WB_ASSIGN_OR_RETURN(position, ReadInt(ctx.input(2), "position"));
  }
  // One past the end is allowed: it appends.
  if (position < -count || position > count) {
    return Error(Code::kInvalidArgument, "position {} is out of range [{}, {}] of the sequence",
                 position, -count, count);
  }
  if (position < 0) position += count;
  WB_ASSIGN_OR_RETURN(Value item, ctx.ShareInput(1));
  out.items.insert(out.items.begin() + position, std::move(item));
  ctx.SetOutputValue(0, std::move(out));
  return Status::Ok();
}

Status RunSequenceErase(RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SequenceValue* sequence, SequenceInput(ctx, 0));
  SequenceValue out = *sequence;
  WB_ASSIGN_OR_RETURN(const int64_t at,
                      Position(ctx, 1, static_cast<int64_t>(out.items.size()), -1));
  out.items.erase(out.items.begin() + at);
  ctx.SetOutputValue(0, std::move(out));
  return Status::Ok();
}

Status RunSequenceLength(RunContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SequenceValue* sequence, SequenceInput(ctx, 0));
  *ctx.output(0).as<int64_t>() = static_cast<int64_t>(sequence->items.size());
  return Status::Ok();
}

}  // namespace

const KernelImpl kSequenceEmpty[1] = {
    FunctionImpl<EmptyParams, ParseSequenceEmpty, RunSequenceEmpty, PlanByRun>(
        "sequence_empty.reference")};
const KernelImpl kSequenceConstruct[1] = {
    FunctionImpl<RunSequenceConstruct, PlanByRun>("sequence_construct.reference")};
const KernelImpl kSequenceAt[1] = {FunctionImpl<RunSequenceAt, PlanByRun>("sequence_at.reference")};
const KernelImpl kSequenceInsert[1] = {
    FunctionImpl<RunSequenceInsert, PlanByRun>("sequence_insert.reference")};
const KernelImpl kSequenceErase[1] = {
    FunctionImpl<RunSequenceErase, PlanByRun>("sequence_erase.reference")};
const KernelImpl kSequenceLength[1] = {
    FunctionImpl<RunSequenceLength>("sequence_length.reference")};

}  // namespace waybill::kernel::reference
