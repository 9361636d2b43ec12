#include "exec/plan/control_plan.h"

#include <algorithm>

namespace waybill::exec {

namespace {

int64_t At(const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; }

bool SameType(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

TensorView TypeOf(const OutputPlan& output) { return {output.dtype, output.shape, nullptr, {}}; }

class ControlPlanner {
 public:
  ControlPlanner(const Program& program, const Step& step, std::span<const Slot> slots,
                 const PlanOptions& options)
      : program_(program), step_(step), slots_(slots), options_(options) {
    record_.plan = std::make_shared<ControlPlan>();
    record_.scratch.resize(1);
  }

  Result<std::optional<ControlRecord>> Plan() {
    WB_ASSIGN_OR_RETURN(const bool planned, PlanKind());
    if (!planned) return std::optional<ControlRecord>();
    ControlPlan& plan = *record_.plan;
    kernel::ScratchBooking& slab = record_.scratch[ControlPlan::kSlab];
    slab.bytes = plan.Most(&PlanFigures::slab_bytes);
    for (const auto& body : plan.bodies) {
      if (body != nullptr) slab.align = std::max(slab.align, body->slab_align);
    }
    if (step_.kind == StepKind::kLoop) Book(3 * ControlPlan::kScalarStride);
    for (size_t i = 0; i < step_.outputs.size(); ++i) {
      plan.stand_in.push_back(step_.outputs[i] == kNoSlot ? Book(plan.bytes[i])
                                                          : ControlPlan::kNone);
      if (i < plan.num_carried) plan.spare.push_back(Book(plan.bytes[i]));
    }
    return std::optional(std::move(record_));
  }

 private:
  Result<bool> PlanKind() {
    for (const SlotId slot : step_.inputs) {
      if (slot != kNoSlot && !IsPlain(slots_[slot].tensor)) return false;
    }
    switch (step_.kind) {
      case StepKind::kIf:
        return PlanIf();
      case StepKind::kLoop:
        return PlanLoop();
      case StepKind::kScan:
        if (step_.node->since_version != 8) return PlanScan();
        break;
      case StepKind::kSequenceMap:
      case StepKind::kKernel:
        break;
    }
    return false;
  }

  static bool IsPlain(const TensorView& tensor) {
    return tensor.dtype != DType::kUndefined && tensor.dtype != DType::kString;
  }
  bool IsSingle(size_t input, DType dtype) const {
    if (input >= step_.inputs.size() || step_.inputs[input] == kNoSlot) return true;
    const TensorView& tensor = slots_[step_.inputs[input]].tensor;
    return tensor.dtype == dtype && tensor.elems() == 1;
  }
  const Program& Body(size_t i) const { return program_.body(step_.bodies[i]); }

  size_t Book(size_t bytes) {
    record_.scratch.push_back({bytes, kBlockAlign});
    return record_.scratch.size() - 1;
  }
  // False when `type` has no size or `entry` does not fill bytes.
  bool AddOutput(TensorView type, const TensorView& entry) {
    const auto bytes = Tensor::BytesFor(entry.dtype, entry.shape);
    if (!bytes.ok() || !Tensor::BytesFor(type.dtype, type.shape).ok()) return false;
    if (static_cast<size_t>(entry.elems()) * DTypeBits(entry.dtype) % 8 != 0) return false;
    record_.plan->bytes.push_back(*bytes);
    record_.outputs.push_back(std::move(type));
    return true;
  }

  // Nothing when something in the body is known in the run only. An error when its inputs and
  // captures do not fit.
  Result<std::shared_ptr<const exec::Plan>> PlanBody(const Program& body,
                                                     std::span<const TensorView> inputs) {
    std::shared_ptr<const exec::Plan> none;
    std::vector<Slot> slots(body.slots().size());
    body.SetConstants(slots);
    for (size_t i = 0; i < inputs.size(); ++i) slots[body.inputs()[i]].tensor = inputs[i];
    for (const auto& [outer, inner] : body.captures()) {
      if (!IsPlain(slots_[outer].tensor)) return none;
      slots[inner] = slots_[outer];
    }
    PlanOptions options = options_;
    options.donated = {};  // of the main program
    options.known_captures = true;
    WB_ASSIGN_OR_RETURN(std::shared_ptr<const exec::Plan> plan, MakePlan(body, slots, options));
    if (plan->has_dynamic) return none;
    for (const OutputPlan& output : plan->outputs) {
      if (output.mode == OutputMode::kDynamic || output.dtype == DType::kString) return none;
    }
    return plan;
  }

  // The only body. False when something in it is known in the run only, or wrong: then the run says
  // so, in the iteration that finds it.
  Result<bool> AddBody(const Program& body, std::span<const TensorView> inputs) {
    auto plan = PlanBody(body, inputs);
    if (!plan.ok()) {
      if (plan.status().code() == Code::kOutOfMemory) return std::move(plan).status();
      return false;
    }
    if (*plan == nullptr) return false;
    record_.plan->bodies.push_back(std::move(*plan));
    record_.plan->not_planned.emplace_back();
    return true;
  }

  // One branch where the condition is known; else those that the inputs fit. A branch that is known
  // to be taken and cannot be is an error of the step.
  Result<bool> PlanIf() {
    if (step_.inputs.empty() || step_.inputs[0] == kNoSlot || !IsSingle(0, DType::kBool)) {
      return false;
    }
    const bool known = IsKnownOrOmitted(0);
    auto& plans = record_.plan->bodies;
    plans.resize(step_.bodies.size());
    record_.plan->not_planned.resize(plans.size());
    for (size_t i = 0; i < plans.size(); ++i) {
      if (Body(i).outputs().size() != step_.outputs.size() || !Body(i).inputs().empty()) {
        return false;
      }
      if (known && (KnownOr<uint8_t>(0, 0) != 0) != (i == 0)) {
        record_.plan->not_planned[i] = "no run of these shapes takes it";
        continue;
      }
      auto plan = PlanBody(Body(i), {});
      if (plan.ok() && *plan == nullptr) return false;
      if (plan.ok()) {
        plans[i] = std::move(*plan);
      } else if (known || plan.status().code() == Code::kOutOfMemory) {
        return std::move(plan).status().With(Format("in the {} branch", i == 0 ? "then" : "else"));
      } else {
        record_.plan->not_planned[i] = plan.status().message();
      }
    }
    return AddBranchOutputs(plans[0].get(), plans[1].get());
  }

  // Of those branches that are planned, the same types and shapes.
  bool AddBranchOutputs(const exec::Plan* yes, const exec::Plan* no) {
    if (yes == nullptr && no == nullptr) return false;
    const auto& outputs = yes != nullptr ? yes->outputs : no->outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorView type = TypeOf(outputs[i]);
      const bool agree = yes == nullptr || no == nullptr || SameType(type, TypeOf(no->outputs[i]));
      if (!agree || !AddOutput(type, type)) return false;
    }
    return true;
  }

  // What input `input` is where that is known; else or where it is omitted, `otherwise`.
  template <typename T>
  T KnownOr(size_t input, T otherwise) const {
    if (input >= step_.inputs.size() || step_.inputs[input] == kNoSlot) return otherwise;
    const TensorView& tensor = slots_[step_.inputs[input]].tensor;
    return tensor.data != nullptr ? *tensor.as<const T>() : otherwise;
  }
  bool IsKnownOrOmitted(size_t input) const {
    return input >= step_.inputs.size() || step_.inputs[input] == kNoSlot ||
           slots_[step_.inputs[input]].tensor.data != nullptr;
  }
  // Whether a Loop's body never ends it: its condition is what it was given, or constant.
  static bool GoesOn(const Program& body, const exec::Plan& plan) {
    const SlotId condition = body.outputs()[0];
    if (condition == body.inputs()[1]) return true;
    for (const PlacedConstant& constant : body.constants()) {
      if (constant.slot == condition) return *constant.tensor.view().as<const uint8_t>() != 0;
    }
    for (const Binding& binding : plan.bindings) {
      if (binding.slot != condition) continue;
      if (binding.home == Home::kAlias) return binding.target == body.inputs()[1];
      return binding.home == Home::kConstant && *binding.view.as<const uint8_t>() != 0;
    }
    return false;
  }

  // Only of a Loop that counts to a known number it is known how many entries scan outputs have.
  Result<bool> PlanLoop() {
    const Program& body = Body(0);
    const size_t carried = step_.inputs.size() < 2 ? 0 : step_.inputs.size() - 2;
    const size_t num_outputs = step_.outputs.size();
    if (num_outputs < carried || body.outputs().size() != num_outputs + 1 ||
        body.inputs().size() != carried + 2 || !IsSingle(0, DType::kI64) ||
        !IsSingle(1, DType::kBool)) {
      return false;
    }
    int64_t length = 0;
    if (num_outputs > carried) {
      if (IsKnownOrOmitted(1) && KnownOr<uint8_t>(1, 1) != 0) length = KnownOr<int64_t>(0, 0);
      if (length < 1) return false;
    }
    std::vector<TensorView> inputs = {{DType::kI64, Shape(), nullptr, {}},
                                      {DType::kBool, Shape(), nullptr, {}}};
    for (size_t k = 0; k < carried; ++k) {
      if (step_.inputs[k + 2] == kNoSlot) return false;
      inputs.push_back(slots_[step_.inputs[k + 2]].tensor);
    }
    WB_ASSIGN_OR_RETURN(const bool planned, AddBody(body, inputs));
    if (!planned) return false;
    const auto& outputs = record_.plan->bodies[0]->outputs;
    if (outputs[0].dtype != DType::kBool || outputs[0].shape.elems() != 1) return false;
    if (length > 0 && !GoesOn(body, *record_.plan->bodies[0])) return false;
    record_.plan->num_carried = carried;
    record_.plan->length = length;
    return AddCarried(inputs, 2, outputs, 1) && AddStacked(outputs, 1 + carried, length);
  }

  // Values that change from one iteration to the next, but neither type nor shape.
  bool AddCarried(std::span<const TensorView> inputs, size_t first_input,
                  std::span<const OutputPlan> outputs, size_t first_output) {
    for (size_t k = 0; k < record_.plan->num_carried; ++k) {
      const TensorView type = TypeOf(outputs[first_output + k]);
      if (!SameType(type, inputs[first_input + k]) || !AddOutput(type, type)) return false;
    }
    return true;
  }

  // Entries must lie one behind the other, in inputs as in outputs.
  Result<bool> PlanScan() {
    const Program& body = Body(0);
    const int64_t scans = step_.node->attrs.Int("num_scan_inputs");
    const size_t num_inputs = step_.inputs.size();
    if (scans < 1 || static_cast<size_t>(scans) > num_inputs) return false;
    const size_t states = num_inputs - static_cast<size_t>(scans);
    if (body.inputs().size() != num_inputs || body.outputs().size() != step_.outputs.size() ||
        step_.outputs.size() < states) {
      return false;
    }
    std::vector<TensorView> inputs;
    int64_t length = -1;
    const std::vector<int64_t> axes = step_.node->attrs.Ints("scan_input_axes");
    const std::vector<int64_t> reversed = step_.node->attrs.Ints("scan_input_directions");
    for (size_t i = 0; i < num_inputs; ++i) {
      if (step_.inputs[i] == kNoSlot) return false;
      inputs.push_back(slots_[step_.inputs[i]].tensor);
      if (i < states) continue;
      if (!TakeEntry(inputs.back(), At(axes, i - states), length)) return false;
      record_.plan->scanned.push_back(
          {inputs.back(), inputs.back().bytes(), At(reversed, i - states) != 0});
      record_.plan->scanned.back().type.data = nullptr;
    }
    if (length < 1) return false;
    WB_ASSIGN_OR_RETURN(const bool planned, AddBody(body, inputs));
    if (!planned) return false;
    record_.plan->num_carried = states;
    record_.plan->length = length;
    const auto& outputs = record_.plan->bodies[0]->outputs;
    return AddCarried(inputs, 0, outputs, 0) && AddStacked(outputs, states, length);
  }

  // Makes `tensor` one entry of itself.
  static bool TakeEntry(TensorView& tensor, int64_t axis, int64_t& length) {
    const auto at = NormalizeAxis(axis, tensor.shape.rank());
    if (!at || tensor.shape.ElemsBetween(0, *at) != 1) return false;
    if (length >= 0 && tensor.shape[*at] != length) return false;
    length = tensor.shape[*at];
    Shape entry;
    for (size_t i = 0; i < tensor.shape.rank(); ++i) {
      if (i != *at) entry.PushBack(tensor.shape[i]);
    }
    tensor.shape = std::move(entry);
    return static_cast<size_t>(tensor.elems()) * DTypeBits(tensor.dtype) % 8 == 0;
  }

  // Outputs of the body from `first` on; the attributes are a Scan's.
  bool AddStacked(std::span<const OutputPlan> outputs, size_t first, int64_t length) {
    const std::vector<int64_t> axes = step_.node->attrs.Ints("scan_output_axes");
    const std::vector<int64_t> reversed = step_.node->attrs.Ints("scan_output_directions");
    for (size_t k = first; k < outputs.size(); ++k) {
      const TensorView entry = TypeOf(outputs[k]);
      const auto at = NormalizeAxis(At(axes, k - first), entry.shape.rank() + 1);
      if (!at || entry.shape.ElemsBetween(0, *at) != 1) return false;
      TensorView all = entry;
      all.shape = Shape();
      for (size_t i = 0; i <= entry.shape.rank(); ++i) {
        if (i == *at) all.shape.PushBack(length);
        if (i < entry.shape.rank()) all.shape.PushBack(entry.shape[i]);
      }
      if (!AddOutput(std::move(all), entry)) return false;
      record_.plan->stacked.push_back({entry, entry.bytes(), At(reversed, k - first) != 0});
    }
    return true;
  }

  const Program& program_;
  const Step& step_;
  std::span<const Slot> slots_;
  const PlanOptions& options_;
  ControlRecord record_;
};

}  // namespace

size_t ControlPlan::Most(size_t PlanFigures::*figure) const {
  size_t most = 0;
  for (const auto& body : bodies) {
    if (body != nullptr) most = std::max(most, body->figures.*figure);
  }
  return most;
}

const Plan* ControlPlan::Widest() const {
  const Plan* widest = nullptr;
  for (const auto& body : bodies) {
    if (body == nullptr) continue;
    const bool is_wider =
        widest == nullptr || body->figures.no_reuse_bytes > widest->figures.no_reuse_bytes;
    if (is_wider) widest = body.get();
  }
  return widest;
}

Result<std::optional<ControlRecord>> PlanControl(const Program& program, const Step& step,
                                                 std::span<const Slot> slots,
                                                 const PlanOptions& options) {
  return ControlPlanner(program, step, slots, options).Plan();
}

}  // namespace waybill::exec
