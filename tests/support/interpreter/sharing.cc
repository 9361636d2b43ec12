#include "tests/support/interpreter/sharing.h"

#include <cstring>
#include <vector>

#include "exec/program/pure.h"
#include "memory/buffer/buffer.h"

namespace waybill::test {

namespace {

using kernel::PlanRecord;
using kernel::Slot;
using kernel::SlotId;

constexpr int kPoison = 0xFF;

bool IsPlain(std::span<const Value> values) {
  for (const Value& value : values) {
    if (!value.defined()) continue;
    if (value.tensor() == nullptr || value.tensor()->dtype() == DType::kString) return false;
  }
  return true;
}

class SharingCheck {
 public:
  SharingCheck(const kernel::Kernel& kernel, const graph::NodeRef& node,
               std::span<const Value> inputs, std::span<const Value> outputs,
               const std::shared_ptr<MemorySource>& source)
      : kernel_(kernel), node_(node), inputs_(inputs), outputs_(outputs), source_(source) {}

  Status Check() {
    std::vector<TensorView> views(inputs_.size());
    std::vector<kernel::PlanInput> known(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].defined()) continue;
      views[i] = inputs_[i].tensor()->view();
      known[i] = {&views[i], nullptr, true};
    }
    kernel::PlanContext ctx(node_, known, 1);
    WB_RETURN_IF_ERROR(kernel_.Plan(ctx));
    record_ = ctx.record();
    for (size_t i = 0; i < record_.outputs.size(); ++i) {
      const PlanRecord::Output& out = record_.outputs[i];
      if (!node_.has_output(i)) continue;
      if (!out.shape || out.view_of) return Status::Ok();
      for (const size_t input : out.in_place_of) {
        if (input >= inputs_.size() || !inputs_[input].defined()) continue;
        WB_RETURN_IF_ERROR(RunWithin(i, input, 0), "output {} over input {}", i, input);
      }
      if (out.part_of) {
        WB_RETURN_IF_ERROR(RunWithin(i, *out.part_of, out.part_offset),
                           "output {} at {} of input {}", i, out.part_offset, *out.part_of);
      }
    }
    if (record_.pitched_row_bytes != 0) WB_RETURN_IF_ERROR(RunApart(), "rows with gaps");
    if (record_.pieces.empty()) return Status::Ok();
    return RunPieces().With("inputs within the output");
  }

 private:
  Status Start() {
    buffers_.clear();
    slots_.assign(inputs_.size() + record_.outputs.size(), Slot());
    ids_.assign(slots_.size(), kernel::kNoSlot);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].defined()) continue;
      ids_[i] = static_cast<SlotId>(i);
      slots_[i] = {inputs_[i].tensor()->view(), inputs_[i]};
    }
    for (size_t i = 0; i < record_.outputs.size(); ++i) {
      if (!node_.has_output(i)) continue;
      const size_t id = inputs_.size() + i;
      ids_[id] = static_cast<SlotId>(id);
      const PlanRecord::Output& out = record_.outputs[i];
      WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(out.dtype, *out.shape));
      WB_ASSIGN_OR_RETURN(std::byte * data, Take(bytes));
      slots_[id].tensor = {out.dtype, *out.shape, data, {}};
    }
    return Status::Ok();
  }

  Result<std::byte*> Take(size_t bytes, size_t align = kBlockAlign) {
    WB_ASSIGN_OR_RETURN(Buffer buffer,
                        Buffer::Allocate(source_, bytes, align, MemoryTag::kDynamic));
    std::byte* data = buffer.view().data;
    if (bytes != 0) std::memset(data, kPoison, bytes);
    buffers_.push_back(std::move(buffer));
    return data;
  }

  // The output lies in a copy of the input that the kernel then reads.
  Status RunWithin(size_t output, size_t input, size_t offset) {
    WB_RETURN_IF_ERROR(Start());
    const TensorView given = inputs_[input].tensor()->view();
    TensorView& out = slots_[inputs_.size() + output].tensor;
    if (offset > given.bytes() || out.bytes() > given.bytes() - offset) {
      return Error(Code::kInternal, "{} does not fit into {}", out.Describe(), given.Describe());
    }
    WB_ASSIGN_OR_RETURN(std::byte * copy, Take(given.bytes()));
    if (given.bytes() != 0) std::memcpy(copy, given.data, given.bytes());
    slots_[input].tensor.data = copy;
    out.data = copy + offset;
    return RunAndCompare();
  }

  Status RunPieces() {
    WB_RETURN_IF_ERROR(Start());
    for (const PlanRecord::Piece& piece : record_.pieces) {
      if (!inputs_[piece.input].defined()) continue;
      const TensorView given = inputs_[piece.input].tensor()->view();
      const TensorView& out = slots_[inputs_.size() + piece.output].tensor;
      if (piece.offset > out.bytes() || given.bytes() > out.bytes() - piece.offset) {
        return Error(Code::kInternal, "{} does not fit into {}", given.Describe(), out.Describe());
      }
      std::byte* place = out.data + piece.offset;
      CopyRows(given.data, piece.row_bytes, place, piece.pitch_bytes, given.bytes(),
               piece.row_bytes);
      slots_[piece.input].tensor.data = place;
    }
    return RunAndCompare();
  }

  // Rows of `row` bytes, `bytes` in all; 0: all of it is one row.
  static void CopyRows(const std::byte* from, size_t from_pitch, std::byte* to, size_t to_pitch,
                       size_t bytes, size_t row) {
    if (row == 0) row = bytes;
    for (size_t done = 0; done < bytes; done += row, from += from_pitch, to += to_pitch) {
      std::memcpy(to, from, row);
    }
  }

  // The rows of output 0 lie apart, and what is between them stays as it is.
  Status RunApart() {
    constexpr size_t kGap = 24;
    WB_RETURN_IF_ERROR(Start());
    const size_t row = record_.pitched_row_bytes, pitch = row + kGap;
    TensorView& out = slots_[inputs_.size()].tensor;
    const size_t bytes = out.bytes();
    std::byte* dense = out.data;
    WB_ASSIGN_OR_RETURN(out.data, Take(bytes / row * pitch));
    WB_RETURN_IF_ERROR(RunKernel(pitch));
    for (size_t i = 0; i < bytes / row * pitch; ++i) {
      if (i % pitch >= row && out.data[i] != std::byte{kPoison}) {
        return Error(Code::kInternal, "byte {} between rows was written", i);
      }
    }
    CopyRows(out.data, pitch, dense, row, bytes, row);
    out.data = dense;
    return Compare();
  }

  Status RunAndCompare() {
    WB_RETURN_IF_ERROR(RunKernel(0));
    return Compare();
  }

  Status RunKernel(size_t pitch_bytes) {
    std::vector<std::byte*> scratch;
    for (const kernel::ScratchBooking& booking : record_.scratch) {
      WB_ASSIGN_OR_RETURN(std::byte * data, Take(booking.bytes, booking.align));
      scratch.push_back(data);
    }
    kernel::RunParts parts;
    parts.node = &node_.node();
    parts.slots = slots_.data();
    parts.inputs = std::span(ids_).first(inputs_.size());
    parts.outputs = std::span(ids_).subspan(inputs_.size());
    parts.scratch = scratch;
    parts.state = record_.state.get();
    parts.pitch_bytes = pitch_bytes;
    parts.dynamic_source = &source_;
    kernel::RunContext ctx(parts);
    return kernel_.Run(ctx);
  }

  Status Compare() const {
    for (size_t i = 0; i < record_.outputs.size(); ++i) {
      if (!node_.has_output(i)) continue;
      const TensorView& got = slots_[inputs_.size() + i].tensor;
      const TensorView& expected = outputs_[i].tensor()->view();
      if (got.bytes() != expected.bytes() ||
          (got.bytes() != 0 && std::memcmp(got.data, expected.data, got.bytes()) != 0)) {
        return Error(Code::kInternal, "output {} is another one", i);
      }
    }
    return Status::Ok();
  }

  const kernel::Kernel& kernel_;
  const graph::NodeRef& node_;
  std::span<const Value> inputs_, outputs_;
  const std::shared_ptr<MemorySource>& source_;
  PlanRecord record_;
  std::vector<Slot> slots_;
  std::vector<SlotId> ids_;
  std::vector<Buffer> buffers_;
};

}  // namespace

Status CheckSharing(const kernel::Kernel& kernel, const graph::NodeRef& node,
                    std::span<const Value> inputs, std::span<const Value> outputs,
                    const std::shared_ptr<MemorySource>& source) {
  if (!exec::IsPure(node.node()) || !IsPlain(inputs) || !IsPlain(outputs)) return Status::Ok();
  return SharingCheck(kernel, node, inputs, outputs, source).Check();
}

}  // namespace waybill::test
