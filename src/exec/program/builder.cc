#include "exec/program/builder.h"

#include <algorithm>

#include "exec/program/pure.h"
#include "exec/program/stopwatch.h"
#include "exec/program/survey.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::exec {

namespace {

StepKind KindOf(const graph::Node& node) {
  if (node.Is("If")) return StepKind::kIf;
  if (node.Is("Loop")) return StepKind::kLoop;
  if (node.Is("Scan")) return StepKind::kScan;
  if (node.Is("SequenceMap")) return StepKind::kSequenceMap;
  return StepKind::kKernel;
}

// Outputs that only a run can make: not tensors, or tensors of strings.
bool HasUnplannableOutput(const graph::Graph& graph, const graph::Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](graph::ValueId id) {
    if (id == graph::kNoValue) return false;
    const ValueType& type = graph.value(id).type;
    return !type.is_tensor() || type.dtype == DType::kString;
  });
}

}  // namespace

ProgramBuilder::ProgramBuilder(const graph::Graph& graph, const BuildOptions& options,
                               const std::vector<SlotId>* outer_slots, std::string prefix,
                               std::shared_ptr<PlanBytes> plan_bytes, BuildReport& report)
    : graph_(graph),
      seen_(&graph_),
      options_(options),
      outer_slots_(outer_slots),
      prefix_(std::move(prefix)),
      plan_bytes_(std::move(plan_bytes)),
      report_(report),
      program_(new Program(options.plan_limits.max_plans, plan_bytes_)),
      wanted_(graph.num_values(), false),
      live_(graph.num_nodes(), false),
      slot_of_(graph.num_values(), kNoSlot) {
  program_->graph_ = &graph;
  program_->rules_ = options.rules;
  program_->account_ =
      options.book != nullptr ? options.book->Open() : std::make_shared<RunAccount>();
  if (!options.pack) seen_ = &unpackable_.emplace(WithoutLargeConstants(graph));
}

Result<std::unique_ptr<Program>> ProgramBuilder::Build() {
  FindLiveNodes();
  AddFixedSlots();
  for (const graph::NodeId id : graph_.order()) {
    if (!live_[id]) continue;
    WB_RETURN_IF_ERROR(CheckCancel());
    WB_RETURN_IF_ERROR(AddStep(id), "node {}{} (opset {})", prefix_, graph_.node(id).Describe(),
                       graph_.node(id).opset);
  }
  for (const graph::ValueId id : graph_.outputs) {
    if (slot_of_[id] != kNoSlot) needs_bytes_[slot_of_[id]] = true;
  }
  WB_RETURN_IF_ERROR(PrepareKernels());
  for (const graph::ValueId id : graph_.outputs) {
    const SlotId slot = slot_of_[id];
    if (slot == kNoSlot) {
      return Error(Code::kInvalidGraph, "output {} is made by no node", graph_.value(id).name);
    }
    program_->outputs_.push_back(slot);
    program_->slots_[slot].is_output = true;
  }
  WB_RETURN_IF_ERROR(PlaceConstants());
  WB_RETURN_IF_ERROR(OrderSteps());
  FinishLifetimes();
  return std::move(program_);
}

void ProgramBuilder::Want(graph::ValueId value) {
  if (value != graph::kNoValue) wanted_[value] = true;
}

void ProgramBuilder::FindLiveNodes() {
  for (const graph::ValueId id : graph_.outputs) Want(id);
  const auto& order = graph_.order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const graph::Node& node = graph_.node(*it);
    live_[*it] = std::any_of(node.outputs.begin(), node.outputs.end(), [&](graph::ValueId id) {
      return id != graph::kNoValue && wanted_[id] && !graph_.value(id).constant.defined();
    });
    if (!live_[*it]) continue;
    for (const graph::ValueId id : node.inputs) Want(id);
    ForEachSubgraph(node, [&](const graph::GraphPtr& body) {
      for (const graph::Capture& capture : body->captures) Want(capture.outer);
    });
  }
  for (graph::ValueId id = 0; id < graph_.num_values(); ++id) {
    if (!wanted_[id]) LetGo(graph_, id, options_);
  }
}

SlotId ProgramBuilder::AddSlot(graph::ValueId value, Origin origin) {
  const auto slot = static_cast<SlotId>(program_->slots_.size());
  SlotInfo info;
  info.value = value;
  info.origin = origin;
  program_->slots_.push_back(info);
  needs_bytes_.push_back(false);
  slot_of_[value] = slot;
  return slot;
}

void ProgramBuilder::AddFixedSlots() {
  for (const graph::ValueId id : graph_.inputs) {
    program_->inputs_.push_back(AddSlot(id, Origin::kInput));
  }
  for (const graph::Capture& capture : graph_.captures) {
    if (!wanted_[capture.inner] || graph_.value(capture.inner).constant.defined()) continue;
    const SlotId inner = AddSlot(capture.inner, Origin::kCapture);
    program_->captures_.emplace_back((*outer_slots_)[capture.outer], inner);
  }
  for (graph::ValueId id = 0; id < graph_.num_values(); ++id) {
    if (wanted_[id] && slot_of_[id] == kNoSlot && graph_.value(id).constant.defined()) {
      AddSlot(id, Origin::kConstant);
    }
  }
}

void ProgramBuilder::NoteRead(SlotId slot, uint32_t step) {
  program_->slots_[slot].last_read = std::max(program_->slots_[slot].last_read, step);
}

Status ProgramBuilder::AddStep(graph::NodeId id) {
  const graph::Node& node = graph_.node(id);
  const auto index = static_cast<uint32_t>(program_->steps_.size());
  Step step;
  step.kind = KindOf(node);
  step.node = &node;
  step.pure = IsPure(node);
  step.always_dynamic = step.kind != StepKind::kKernel || HasUnplannableOutput(graph_, node);
  for (const graph::ValueId input : node.inputs) {
    const SlotId slot = input == graph::kNoValue ? kNoSlot : slot_of_[input];
    if (input != graph::kNoValue && slot == kNoSlot) {
      return Error(Code::kInvalidGraph, "input {} is made by no earlier node",
                   graph_.value(input).name);
    }
    step.inputs.push_back(slot);
    if (slot != kNoSlot) NoteRead(slot, index);
  }
  if (step.kind == StepKind::kKernel) {
    WB_RETURN_IF_ERROR(ChooseKernel(step));
  } else {
    WB_RETURN_IF_ERROR(AddBodies(step));
  }
  for (const SlotId slot : step.captured) NoteRead(slot, index);
  for (const graph::ValueId output : node.outputs) {
    const bool wanted = output != graph::kNoValue && wanted_[output] && slot_of_[output] == kNoSlot;
    const SlotId slot = wanted ? AddSlot(output, Origin::kStep) : kNoSlot;
    step.outputs.push_back(slot);
    if (slot == kNoSlot) continue;
    program_->slots_[slot].producer = index;
    program_->slots_[slot].last_read = index;
  }
  program_->steps_.push_back(std::move(step));
  return Status::Ok();
}

Status ProgramBuilder::ChooseKernel(Step& step) {
  const graph::NodeRef node(*seen_, *step.node);
  kernel::Selection selection;
  {
    const Stopwatch watch(report_.select_ns);
    WB_ASSIGN_OR_RETURN(selection, kernel::Select(node, options_.providers));
  }
  const auto index = static_cast<uint32_t>(program_->steps_.size());
  chosen_.push_back({index, selection.kernel.get(), {node, options_.source, options_.weights}});
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (const graph::Constant* constant = node.constant(i)) {
      constant_bytes_ +=
          DTypeBytes(constant->dtype(), static_cast<size_t>(constant->shape().elems())).value_or(0);
    }
  }
  step.kernel = selection.kernel.get();
  step.impl = selection.impl;
  program_->kernels_.push_back(std::move(selection.kernel));
  report_.choices.push_back({prefix_ + step.node->Describe(), selection.impl,
                             std::string(selection.provider), std::move(selection.refusals)});
  return Status::Ok();
}

Status ProgramBuilder::CheckCancel() const {
  if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) {
    return Error(Code::kCancelled, "loading was cancelled");
  }
  return Status::Ok();
}

Status ProgramBuilder::PrepareKernel(size_t index, ConstantUses& uses) {
  WB_RETURN_IF_ERROR(CheckCancel());
  Chosen& chosen = chosen_[index];
  const Step& step = program_->steps_[chosen.step];
  if (Status status = chosen.kernel->Prepare(chosen.context); !status.ok()) {
    return std::move(status)
        .With(Format("preparing {}", step.impl))
        .With(Format("node {}{} (opset {})", prefix_, step.node->Describe(), step.node->opset));
  }
  if (options_.survey != nullptr) {
    options_.survey->packed->NoteTaken();
    program_->kernels_[index].reset();
  }
  const auto& replaced = chosen.context.replaced();
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const SlotId slot = step.inputs[i];
    if (slot == kNoSlot) continue;
    if (std::find(replaced.begin(), replaced.end(), i) == replaced.end()) uses.Keep(slot);
  }
  for (const SlotId slot : step.inputs) {
    if (slot == kNoSlot || program_->slots_[slot].origin != Origin::kConstant) continue;
    if (uses.Done(slot)) LetGo(graph_, program_->slots_[slot].value, options_);
  }
  return Status::Ok();
}

Status ProgramBuilder::PrepareKernels() {
  // Waking a thread takes about as long as packing this much.
  constexpr size_t kBytesForThreads = size_t{1} << 20;
  const Stopwatch watch(report_.pack_ns);
  ConstantUses uses(program_->slots_.size());
  for (const Chosen& chosen : chosen_) {
    for (const SlotId slot : program_->steps_[chosen.step].inputs) {
      if (slot != kNoSlot) uses.Add(slot);
    }
  }
  for (SlotId slot = 0; slot < needs_bytes_.size(); ++slot) {
    if (needs_bytes_[slot]) uses.Keep(slot);
  }
  const size_t width = constant_bytes_ >= kBytesForThreads ? options_.width : 1;
  const auto prepare = [&](size_t begin, size_t end) -> Status {
    for (size_t i = begin; i < end; ++i) WB_RETURN_IF_ERROR(PrepareKernel(i, uses));
    return Status::Ok();
  };
  WB_RETURN_IF_ERROR(ParallelForStatus(options_.pool, chosen_.size(), width, prepare));
  for (SlotId slot = 0; slot < needs_bytes_.size(); ++slot) needs_bytes_[slot] = uses.kept(slot);
  return Status::Ok();
}

Status ProgramBuilder::AddBodies(Step& step) {
  static constexpr std::string_view kBranches[] = {"then_branch", "else_branch"};
  static constexpr std::string_view kBody[] = {"body"};
  const std::span<const std::string_view> names = step.kind == StepKind::kIf
                                                      ? std::span<const std::string_view>(kBranches)
                                                      : std::span<const std::string_view>(kBody);
  for (const SlotId slot : step.inputs) {
    if (slot != kNoSlot) needs_bytes_[slot] = true;
  }
  for (const std::string_view name : names) {
    const graph::GraphPtr body = step.node->attrs.Subgraph(name);
    if (body == nullptr) {
      return Error(Code::kInvalidGraph, "attribute {} is missing or no graph", name);
    }
    BuildOptions options = options_;
    // A graph that other attributes hold too has other programs, which read its constants later.
    if (body.use_count() > 2) options.let_go = {};
    ProgramBuilder builder(*body, options, &slot_of_, Format("{}{}/", prefix_, step.node->name),
                           plan_bytes_, report_);
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Program> program, builder.Build(), "in {}", name);
    for (const auto& [outer, inner] : program->captures()) {
      if (outer == kNoSlot) {
        return Error(Code::kInvalidGraph, "{} captures a value that is made by no earlier node",
                     name);
      }
      step.captured.push_back(outer);
      needs_bytes_[outer] = true;
    }
    step.bodies.push_back(static_cast<uint32_t>(program_->bodies_.size()));
    program_->bodies_.push_back(std::move(program));
  }
  std::sort(step.captured.begin(), step.captured.end());
  step.captured.erase(std::unique(step.captured.begin(), step.captured.end()), step.captured.end());
  return Status::Ok();
}

void ProgramBuilder::FinishLifetimes() {
  for (SlotId slot = 0; slot < program_->slots_.size(); ++slot) {
    const SlotInfo& info = program_->slots_[slot];
    if (info.origin != Origin::kStep || info.is_output) continue;
    program_->steps_[info.last_read].release.push_back(slot);
  }
}

Status ProgramBuilder::PlaceConstants() {
  const Stopwatch watch(report_.pack_ns);
  for (SlotId slot = 0; slot < program_->slots_.size(); ++slot) {
    if (program_->slots_[slot].origin != Origin::kConstant) continue;
    const graph::Value& value = program_->value_of(slot);
    const graph::Constant& constant = value.constant;
    if (options_.survey != nullptr) {
      if (needs_bytes_[slot]) WB_RETURN_IF_ERROR(options_.survey->Place(constant));
      continue;
    }
    WB_ASSIGN_OR_RETURN(const size_t bytes, Tensor::BytesFor(constant.dtype(), constant.shape()),
                        "constant {}", value.name);
    plan_bytes_->AddWeights(bytes);
    Tensor tensor;
    if (needs_bytes_[slot]) {
      WB_ASSIGN_OR_RETURN(tensor,
                          PlaceConstant(graph_, program_->slots_[slot].value, options_,
                                        report_.copied_constant_bytes),
                          "constant {}", value.name);
    } else {
      // Nobody reads the bytes, but kernels still plan with the shape.
      LetGo(graph_, program_->slots_[slot].value, options_);
      WB_ASSIGN_OR_RETURN(tensor, Tensor::Wrap(constant.dtype(), constant.shape(),
                                               SharedView::Unowned({nullptr, bytes, {}})));
      ++report_.dropped_constants;
    }
    program_->constants_.push_back({slot, std::move(tensor)});
  }
  return Status::Ok();
}

Result<std::unique_ptr<Program>> Program::Build(const graph::Graph& graph,
                                                const BuildOptions& options, BuildReport& report) {
  auto plan_bytes = std::make_shared<PlanBytes>(options.plan_limits.max_bytes);
  return ProgramBuilder(graph, options, nullptr, "", std::move(plan_bytes), report).Build();
}

}  // namespace waybill::exec
