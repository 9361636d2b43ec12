#include "kernel/api/invoke.h"

#include "memory/buffer/buffer.h"

namespace waybill::kernel {

namespace {

// Gives every planned output its bytes: a share of the viewed input, or fresh ones.
Status PlaceOutputs(const graph::NodeRef& node, std::span<const Value> inputs,
                    const PlanRecord& plan, const InvokeOptions& options, std::span<Slot> outputs) {
  size_t total_bytes = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PlanRecord::Output& out = plan.outputs[i];
    if (!node.has_output(i) || !out.shape) continue;
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(out.dtype, *out.shape), "output {}",
                        i);
    total_bytes += bytes;
    if (total_bytes < bytes || total_bytes > options.max_output_bytes) {
      return Error(Code::kInvalidArgument, "outputs take more than the {} bytes allowed",
                   options.max_output_bytes);
    }
    if (out.view_of) {
      WB_ASSIGN_OR_RETURN(Tensor view, inputs[*out.view_of].tensor()->Reshaped(*out.shape));
      outputs[i].tensor = view.view();
      outputs[i].value = Value(std::move(view));
      continue;
    }
    WB_ASSIGN_OR_RETURN(Tensor fresh,
                        Tensor::Allocate(out.dtype, *out.shape, options.source, options.tag),
                        "output {}", i);
    outputs[i].tensor = fresh.view();
    outputs[i].value = Value(std::move(fresh));
  }
  return Status::Ok();
}

bool IsPureView(const PlanRecord& plan) {
  return plan.outputs.size() == 1 && plan.outputs[0].view_of.has_value();
}

}  // namespace

Result<std::vector<Value>> Invoke(const Kernel& kernel, const graph::NodeRef& node,
                                  std::span<const Value> inputs, const InvokeOptions& options) {
  const size_t num_in = node.num_inputs(), num_out = node.num_outputs();
  std::vector<Slot> slots(num_in + num_out);
  std::vector<SlotId> ids(num_in + num_out, kNoSlot);
  std::vector<PlanInput> plan_inputs(num_in);
  for (size_t i = 0; i < num_in; ++i) {
    if (!node.has_input(i) || i >= inputs.size() || !inputs[i].defined()) continue;
    slots[i].value = inputs[i];
    ids[i] = static_cast<SlotId>(i);
    plan_inputs[i].known = true;
    if (const Tensor* tensor = inputs[i].tensor()) {
      slots[i].tensor = tensor->view();
      plan_inputs[i].tensor = &slots[i].tensor;
    } else {
      plan_inputs[i].value = &slots[i].value;
    }
  }
  for (size_t i = 0; i < num_out; ++i) {
    if (node.has_output(i)) ids[num_in + i] = static_cast<SlotId>(num_in + i);
  }

  PlanContext plan(node, plan_inputs, options.width);
  if (options.planned == nullptr) WB_RETURN_IF_ERROR(kernel.Plan(plan));
  const PlanRecord& record = options.planned != nullptr ? *options.planned : plan.record();
  const std::span<Slot> outputs = std::span(slots).subspan(num_in);
  WB_RETURN_IF_ERROR(PlaceOutputs(node, inputs, record, options, outputs));

  if (!IsPureView(record)) {
    std::vector<Buffer> scratch;
    std::vector<std::byte*> scratch_data;
    for (const ScratchBooking& booking : record.scratch) {
      WB_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(options.source, booking.bytes,
                                                          booking.align, MemoryTag::kDynamic));
      scratch_data.push_back(buffer.view().data);
      scratch.push_back(std::move(buffer));
    }
    RunParts parts;
    parts.node = &node.node();
    parts.slots = slots.data();
    parts.inputs = std::span(ids).first(num_in);
    parts.outputs = std::span(ids).subspan(num_in);
    parts.scratch = scratch_data;
    parts.state = record.state.get();
    parts.pool = options.pool;
    parts.width = options.width;
    parts.dynamic_source = &options.source;
    RunContext ctx(parts);
    WB_RETURN_IF_ERROR(kernel.Run(ctx));
  }
  std::vector<Value> results(num_out);
  for (size_t i = 0; i < num_out; ++i) results[i] = std::move(outputs[i].value);
  return results;
}

}  // namespace waybill::kernel
