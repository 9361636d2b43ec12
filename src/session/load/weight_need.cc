#include "session/load/weight_need.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "exec/program/survey.h"
#include "graph/export/walk.h"
#include "memory/admission/budget_source.h"

namespace waybill::session {
namespace {

// Adds the constants as they are now, each place once.
void AddConstants(const graph::Graph& graph, const WeightLoad& weights,
                  std::set<const std::byte*>& seen, WeightNeed& need) {
  for (graph::ValueId id = 0; id < graph.num_values(); ++id) {
    const graph::Constant& constant = graph.value(id).constant;
    if (!constant.defined()) continue;
    const TensorView& view = constant.tensor().view();
    if (view.data == nullptr || view.bytes() == 0 || !seen.insert(view.data).second) continue;
    switch (weights.OriginOf({view.data, view.bytes()})) {
      case WeightOrigin::kMapped:
        need.mapped += view.bytes();
        break;
      case WeightOrigin::kRead:
        need.read += view.bytes();
        break;
      case WeightOrigin::kCaller:
        break;
      case WeightOrigin::kOwn:
        need.folded += BudgetSource::ChargedBytes(view.bytes());
        break;
    }
  }
  for (const graph::NodeId id : graph.order()) {
    graph::exporting::ForEachBody(
        graph.node(id), [&](const graph::Graph& body) { AddConstants(body, weights, seen, need); });
  }
}

}  // namespace

Status AskToOpen(const ModelSource& source, const Config& config, LoadPlace& place) {
  const size_t bytes = BytesToCopy(source, config);
  if (!place.limited() || bytes == 0) return Status::Ok();
  WeightNeed need;
  need.read = BudgetSource::ChargedBytes(bytes);
  return place.Ask(need, 0, false);
}

Status AskToImport(const OpenedModel& opened, LoadPlace& place) {
  if (!place.limited() || !opened.passing) return Status::Ok();
  WeightNeed need;
  for (const onnx::TensorProtoView& tensor : opened.file->view().graph.initializers) {
    if (tensor.has_raw_data) need.folded += BudgetSource::ChargedBytes(tensor.raw_data.size());
  }
  return place.Ask(need, 0, false);
}

Status AskToBuild(const graph::Graph& graph, const exec::BuildOptions& build, WeightLoad& weights,
                  LoadPlace& place) {
  if (!place.limited() || weights.packs_to_file()) return Status::Ok();
  WeightNeed now;
  std::set<const std::byte*> seen;
  AddConstants(graph, weights, seen, now);
  now.read = std::max(now.read, place.need().read);  // of a file as a whole
  Status status;
  // What others share already is looked for only when there is no room for all of it.
  for (const bool look_up : {false, true}) {
    WB_ASSIGN_OR_RETURN(const exec::WeightSum sum, exec::SurveyWeights(graph, build, look_up));
    weights.ForgetCounts();
    WeightNeed need = now;
    need.packed = sum.packed;
    need.folded -= std::min(need.folded, sum.released);
    status = place.Ask(need, now.bytes(), true);
    if (status.ok()) break;
  }
  return status;
}

}  // namespace waybill::session
