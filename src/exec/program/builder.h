// ProgramBuilder makes one Program out of one graph, and those of its bodies.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/program/constants.h"
#include "exec/program/program.h"

namespace waybill::exec {

class ProgramBuilder {
 public:
  // `outer_slots` is by ValueId of the enclosing graph; null for a main graph. `prefix` is put
  // before node names in the report.
  // `plan_bytes` is what the plans of all these programs are counted in.
  ProgramBuilder(const graph::Graph& graph, const BuildOptions& options,
                 const std::vector<SlotId>* outer_slots, std::string prefix,
                 std::shared_ptr<PlanBytes> plan_bytes, BuildReport& report);

  Result<std::unique_ptr<Program>> Build();

 private:
  void FindLiveNodes();
  void Want(graph::ValueId value);
  SlotId AddSlot(graph::ValueId value, Origin origin);
  void AddFixedSlots();
  Status AddStep(graph::NodeId id);
  Status ChooseKernel(Step& step);
  Status CheckCancel() const;
  // Lets all kernels chosen so far look at their constants, on several threads where that pays.
  Status PrepareKernels();
  Status PrepareKernel(size_t index, ConstantUses& uses);
  Status AddBodies(Step& step);
  void NoteRead(SlotId slot, uint32_t step);
  // Where less is alive at once: another order.
  Status OrderSteps();
  Status TryOrders();
  void Reorder(std::span<const uint32_t> order);
  void FinishLifetimes();
  Status PlaceConstants();

  const graph::Graph& graph_;
  std::optional<graph::Graph> unpackable_;  // a copy without large constants
  const graph::Graph* seen_;                // what kernels see: one of the two
  const BuildOptions& options_;
  const std::vector<SlotId>* outer_slots_;
  std::string prefix_;
  std::shared_ptr<PlanBytes> plan_bytes_;
  BuildReport& report_;

  std::unique_ptr<Program> program_;
  std::vector<bool> wanted_;       // by ValueId
  std::vector<bool> live_;         // by NodeId
  std::vector<SlotId> slot_of_;    // by ValueId
  std::vector<bool> needs_bytes_;  // by SlotId: a constant that somebody reads as it is

  struct Chosen {
    uint32_t step;
    kernel::Kernel* kernel;
    kernel::PrepareContext context;
  };
  std::vector<Chosen> chosen_;
  size_t constant_bytes_ = 0;  // read by chosen_
};

// Calls fn(const GraphPtr&) for each subgraph among the attributes of `node`.
template <typename Fn>
void ForEachSubgraph(const graph::Node& node, Fn&& fn) {
  for (const graph::Attribute& attr : node.attrs.all()) {
    if (const auto* one = std::get_if<graph::GraphPtr>(&attr.value)) fn(*one);
    if (const auto* many = std::get_if<std::vector<graph::GraphPtr>>(&attr.value)) {
      for (const graph::GraphPtr& graph : *many) fn(graph);
    }
  }
}

}  // namespace waybill::exec
