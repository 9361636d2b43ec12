// What a kernel sees and books when a run is planned: concrete input shapes, the values that are
// known already, and a record of output shapes, scratch and permitted sharing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "memory/source/source.h"
#include "tensor/value/value.h"

namespace waybill::kernel {

// State that Plan computes and Run reads (strides, tile sizes); shared by all runs of the plan.
struct PlanState {
  virtual ~PlanState() = default;
  // What it holds on the heap, itself included, for the budget of kept plans: right within a factor
  // of two. Those that hold tables or lists say more.
  virtual size_t HeapBytes() const { return 512; }
};

struct PlanInput {
  const TensorView* tensor = nullptr;  // type and shape; data is null unless `known`
  const Value* value = nullptr;        // for sequences, maps, optionals (only while running)
  bool known = false;                  // contents readable now
};

struct ScratchBooking {
  size_t bytes = 0;
  size_t align = kBlockAlign;
};

// Everything a plan phase decided, for the planner and the runner.
struct PlanRecord {
  struct Output {
    DType dtype = DType::kUndefined;
    std::optional<Shape> shape;       // nothing: known only to Run (AllocateOutput)
    std::optional<size_t> view_of;    // the same bytes as that input
    std::vector<size_t> in_place_of;  // may overwrite one of these if nobody reads it later
    std::optional<size_t> part_of;    // may be bytes of that input, from part_offset on
    size_t part_offset = 0;
    std::optional<Shape> most;  // of an output that Run sizes: its shape is at most this
  };
  // An input that may lie within an output from the start: in one run of bytes, or as rows of
  // `row_bytes`, `pitch_bytes` apart.
  struct Piece {
    size_t input, output, offset;           // offset in bytes
    size_t row_bytes = 0, pitch_bytes = 0;  // 0: one run
  };
  std::vector<Output> outputs;  // one per node output, omitted ones included
  std::vector<Piece> pieces;
  size_t pitched_row_bytes = 0;  // of output 0, if Run can write rows apart; else 0
  std::vector<ScratchBooking> scratch;
  std::shared_ptr<const PlanState> state;
};

class PlanContext {
 public:
  // `width`: threads the run may use. `inputs` has one entry per node input; an omitted one has
  // neither tensor nor value. All are borrowed for the call.
  PlanContext(const graph::NodeRef& node, std::span<const PlanInput> inputs, size_t width);

  const graph::NodeRef& node() const { return node_; }
  size_t num_inputs() const { return inputs_.size(); }
  bool has_input(size_t i) const {
    return i < inputs_.size() && (inputs_[i].tensor != nullptr || inputs_[i].value != nullptr);
  }
  // Only for present tensor inputs.
  const Shape& input_shape(size_t i) const { return inputs_[i].tensor->shape; }
  DType input_dtype(size_t i) const { return inputs_[i].tensor->dtype; }
  // Contents when they are known now; null otherwise. While running they always are.
  const TensorView* values(size_t i) const {
    return has_input(i) && inputs_[i].known ? inputs_[i].tensor : nullptr;
  }
  size_t width() const { return width_; }

  // Sets all outputs by the operator's inference rule over the concrete inputs and known values.
  // Outputs that it cannot size stay without a shape: before the run the step is then planned again
  // when its inputs are there; if the shape is still open then, Run calls AllocateOutput.
  // Errors: those of the rule (contradicting shapes, axis out of range).
  Status InferOutputs();

  void SetOutput(size_t i, DType dtype, Shape shape);
  // Only Run can tell the shape of output i; no dimension of it is larger than in `most`. Run then
  // sizes all such outputs (RunContext::SizeOutputs) before it writes to any output.
  void SetMost(size_t i, DType dtype, Shape most);
  // After InferOutputs or SetOutput; null while unknown or omitted.
  const Shape* output_shape(size_t i) const {
    return record_.outputs[i].shape ? &*record_.outputs[i].shape : nullptr;
  }

  // Books bytes that exist while this step runs; RunContext::scratch(index) returns them.
  size_t BookScratch(size_t bytes, size_t align = kBlockAlign) {
    record_.scratch.push_back({bytes, align});
    return record_.scratch.size() - 1;
  }
  // Output is the input's bytes under another shape or name; Run does nothing for it. Both have
  // equally many bytes.
  void MakeView(size_t output, size_t input) { record_.outputs[output].view_of = input; }
  // Run reads each byte of `input` before it writes that byte of `output`, whatever the number of
  // threads; the output has no more bytes. Said of several inputs, those said first are preferred.
  void AllowInPlace(size_t output, size_t input) {
    record_.outputs[output].in_place_of.push_back(input);
  }
  // The output is a run of the input's bytes: it may be bound to them, and Run leaves it alone
  // where it finds it there.
  void AllowPartOf(size_t output, size_t input, size_t offset_bytes) {
    record_.outputs[output].part_of = input;
    record_.outputs[output].part_offset = offset_bytes;
  }
  // The input's bytes are a run of the output's: it may be made there in the first place, and Run
  // does not copy it where it finds it there.
  void AllowPiece(size_t input, size_t output, size_t offset_bytes) {
    record_.pieces.push_back({input, output, offset_bytes});
  }
  // The same for an input whose rows of `row_bytes` lie `pitch_bytes` apart in the output: it is
  // made there where its producer allows that (AllowPitch) and nobody else reads it.
  void AllowPitchedPiece(size_t input, size_t output, size_t offset_bytes, size_t row_bytes,
                         size_t pitch_bytes) {
    record_.pieces.push_back({input, output, offset_bytes, row_bytes, pitch_bytes});
  }
  // Run can write output 0 as rows of `row_bytes`, the last axis or several of them, that lie
  // RunContext::pitch_bytes apart, and leaves the bytes between them alone. Such an output is never
  // in place of an input.
  void AllowPitch(size_t row_bytes) { record_.pitched_row_bytes = row_bytes; }
  void SetState(std::shared_ptr<const PlanState> state) { record_.state = std::move(state); }

  PlanRecord& record() { return record_; }

 private:
  graph::NodeRef node_;
  std::span<const PlanInput> inputs_;
  size_t width_;
  PlanRecord record_;
};

}  // namespace waybill::kernel
