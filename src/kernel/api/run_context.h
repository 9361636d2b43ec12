// What a kernel works on: slots of tensors, scratch, plan state and threads. Everything is borrowed
// for the call; nothing in here allocates except AllocateOutput.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "kernel/api/plan_context.h"
#include "memory/source/source.h"
#include "tensor/value/value.h"

namespace waybill {
class ThreadPool;
}

namespace waybill::kernel {

// A value of a run in progress. Tensors are in `tensor`; everything else (and tensors that own
// their bytes: outputs, dynamic ones) also in `value`.
struct Slot {
  TensorView tensor;
  Value value;
};

using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = std::numeric_limits<SlotId>::max();  // omitted

// The size of an output that Plan left open.
struct OutputSize {
  size_t output = 0;
  DType dtype = DType::kUndefined;
  Shape shape;
};

// Who finds places for outputs as soon as Run has found out their sizes.
class OutputPlacer {
 public:
  virtual ~OutputPlacer() = default;
  // Lets the slots of all outputs of the step be tensors with their bytes. False, and nothing
  // happened, when it has no place for them. Errors: kOutOfMemory.
  virtual Result<bool> Place(std::span<const OutputSize> sizes) = 0;
};

struct RunParts {
  const graph::Node* node = nullptr;
  Slot* slots = nullptr;
  std::span<const SlotId> inputs;
  std::span<const SlotId> outputs;
  std::span<std::byte* const> scratch;  // one per booking
  const PlanState* state = nullptr;
  size_t pitch_bytes = 0;      // see RunContext
  ThreadPool* pool = nullptr;  // may be null: run alone
  size_t width = 1;
  // Serves outputs that Run sizes, tagged kDynamic; a reference to the owner's pointer.
  const std::shared_ptr<MemorySource>* dynamic_source = nullptr;
  OutputPlacer* placer = nullptr;  // of outputs that Run sizes; may be null
};

class RunContext {
 public:
  explicit RunContext(const RunParts& parts) : p_(parts) {}

  const graph::Node& node() const { return *p_.node; }
  size_t num_inputs() const { return p_.inputs.size(); }
  size_t num_outputs() const { return p_.outputs.size(); }
  bool has_input(size_t i) const { return i < p_.inputs.size() && p_.inputs[i] != kNoSlot; }
  // False when nobody asked for output i: the kernel may skip it.
  bool wants_output(size_t i) const { return i < p_.outputs.size() && p_.outputs[i] != kNoSlot; }

  // Only for present tensor inputs / wanted outputs with a planned shape.
  const TensorView& input(size_t i) const { return p_.slots[p_.inputs[i]].tensor; }
  const TensorView& output(size_t i) const { return p_.slots[p_.outputs[i]].tensor; }
  // Any kind of input. For a tensor that does not own its bytes this is empty: use input(i).
  const Value& input_value(size_t i) const { return p_.slots[p_.inputs[i]].value; }

  // Says the sizes of all wanted outputs whose shapes Plan left open: those may then get places
  // that were planned for them. A step with one such output need not call it. Errors: kOutOfMemory.
  Status SizeOutputs(std::span<const OutputSize> sizes);
  // Whether somebody waits for SizeOutputs or AllocateOutput.
  bool sizes_outputs() const { return p_.placer != nullptr; }
  // Takes memory for an output whose shape Plan left open, and returns it. Strings are constructed.
  // Errors: kOutOfMemory, kInvalidArgument for impossible shapes.
  Result<TensorView> AllocateOutput(size_t i, DType dtype, const Shape& shape);
  // Sets an output that is not a tensor, or a tensor that is shared with its owner.
  void SetOutputValue(size_t i, Value value);

  // A tensor of the run's dynamic memory, for items of sequences. Errors as AllocateOutput.
  Result<Tensor> AllocateTensor(DType dtype, const Shape& shape);
  // Input i as a Value that owns or shares its bytes beyond this step (copied when it is in the
  // slab). Errors: kOutOfMemory.
  Result<Value> ShareInput(size_t i);

  // Booked bytes, in order of booking.
  template <typename T = std::byte>
  T* scratch(size_t index) const {
    return reinterpret_cast<T*>(p_.scratch[index]);
  }
  // What Plan left with SetState; null when it left nothing.
  template <typename T>
  const T* state() const {
    return static_cast<const T*>(p_.state);
  }
  // From one row of output 0 to the next, where Plan allowed a pitch and it was used; 0: dense.
  size_t pitch_bytes() const { return p_.pitch_bytes; }
  ThreadPool* pool() const { return p_.pool; }
  size_t width() const { return p_.width; }

 private:
  const RunParts& p_;
  bool sized_ = false;
  bool placed_ = false;  // by SizeOutputs
};

}  // namespace waybill::kernel
