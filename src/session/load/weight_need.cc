#include "session/load/weight_need.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "base/math/checked.h"
#include "exec/program/survey.h"
#include "graph/export/walk.h"
#include "graph/ir/constant_bytes.h"
#include "memory/admission/budget_source.h"

namespace waybill::session {
namespace {

// Adds the bytes of a constant, each place once.
void AddBytes(std::span<const std::byte> bytes, const WeightLoad& weights,
              std::set<const std::byte*>& seen, WeightNeed& need) {
  if (bytes.empty() || !seen.insert(bytes.data()).second) return;
  switch (weights.OriginOf(bytes)) {
    case WeightOrigin::kMapped:
      need.mapped += bytes.size();
      break;
    case WeightOrigin::kRead:
      need.read += bytes.size();
      break;
    case WeightOrigin::kCaller:
      break;
    case WeightOrigin::kOwn:
      need.folded += BudgetSource::ChargedBytes(bytes.size());
      break;
  }
}

// Adds the constants as they are now.
void AddConstants(const graph::Graph& graph, const WeightLoad& weights,
                  std::set<const std::byte*>& seen, WeightNeed& need) {
  for (graph::ValueId id = 0; id < graph.num_values(); ++id) {
    const graph::Constant& constant = graph.value(id).constant;
    if (!constant.defined()) continue;
    for (const auto bytes : graph::SourcesOf(constant)) AddBytes(bytes, weights, seen, need);
  }
  for (const graph::NodeId id : graph.order()) {
    graph::exporting::ForEachBody(
        graph.node(id), [&](const graph::Graph& body) { AddConstants(body, weights, seen, need); });
  }
}

// Elements of constants, once for each node that reads them, and these nodes.
struct Reads {
  size_t elems = 0, nodes = 0;
};

void AddReads(const graph::Graph& graph, Reads& reads) {
  for (const graph::NodeId id : graph.order()) {
    const graph::Node& node = graph.node(id);
    ++reads.nodes;
    for (const graph::ValueId input : node.inputs) {
      if (input == graph::kNoValue || !graph.value(input).constant.defined()) continue;
      reads.elems += static_cast<size_t>(graph.value(input).constant.shape().elems());
    }
    graph::exporting::ForEachBody(node, [&](const graph::Graph& body) { AddReads(body, reads); });
  }
}

// Whether there is room even if every element became a vector of floats, and every node packed
// some of its own besides.
bool IsAmple(const Reads& reads, size_t free_bytes) {
  constexpr size_t kVectorBytes = 64, kNodeBytes = size_t{64} << 10;
  const auto vectors = CheckedMul(reads.elems, kVectorBytes);
  const auto nodes = CheckedMul(reads.nodes, kNodeBytes);
  const auto most = vectors && nodes ? CheckedAdd(*vectors, *nodes) : std::nullopt;
  return most && *most <= free_bytes;
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
  Reads reads;
  AddReads(graph, reads);
  if (IsAmple(reads, place.FreeBytes())) {
    now.packed = reads.elems * sizeof(float);
    return place.Ask(now, now.bytes() - now.packed, true);
  }
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
