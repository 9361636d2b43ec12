#include "graph/rewrite/rewrite.h"

#include "graph/infer/infer.h"
#include "graph/rewrite/editor.h"
#include "graph/rewrite/passes/passes.h"

namespace waybill::graph {

namespace {

using rewrite::Editor;
using rewrite::Pass;
using rewrite::RewriteState;

// Rounds of cleaning and folding: one uncovers what the next removes.
constexpr int kMaxRounds = 8;

Status RunPass(Graph& graph, RewriteState& state, const std::string& where, Pass pass) {
  Editor editor(graph, state, where);
  WB_RETURN_IF_ERROR(pass(editor));
  editor.Finish();
  editor.RemoveDead();
  return Status::Ok();
}

// Runs the pass on the graph and then on the bodies in it.
Status RunEverywhere(Graph& graph, RewriteState& state, const std::string& where, Pass pass) {
  WB_RETURN_IF_ERROR(RunPass(graph, state, where, pass));
  rewrite::PassConstantsToBodies(graph);
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    const std::string inside = where + graph.node(id).name + "/";
    Status status;
    rewrite::ForEachBody(graph.node(id), [&](GraphPtr& body) {
      if (status.ok()) status = RunEverywhere(*body, state, inside, pass);
    });
    WB_RETURN_IF_ERROR(std::move(status));
  }
  return Status::Ok();
}

// In the graph or in a body of it.
template <typename Fn>
bool HasNode(const Graph& graph, Fn wanted) {
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (wanted(node)) return true;
    bool inside = false;
    rewrite::ForEachBody(node,
                         [&](const GraphPtr& body) { inside = inside || HasNode(*body, wanted); });
    if (inside) return true;
  }
  return false;
}

}  // namespace

Result<RewriteReport> Rewrite(Model& model, const RewriteOptions& options) {
  RewriteReport report;
  if (options.level == RewriteLevel::kNone) return report;
  RewriteState state{options, report, 0};
  const auto run = [&](Pass pass) -> Status {
    const size_t before = state.applied;
    WB_RETURN_IF_ERROR(RunEverywhere(model.main, state, {}, pass));
    return state.applied == before ? Status::Ok() : infer::InferModel(model);
  };
  const auto clean = [&]() -> Status {
    for (int round = 0; round < kMaxRounds; ++round) {
      const size_t before = state.applied;
      WB_RETURN_IF_ERROR(run(rewrite::RemoveIdentities), "rewrites");
      WB_RETURN_IF_ERROR(run(rewrite::FoldConstants), "rewrites");
      if (state.applied == before) break;
    }
    return Status::Ok();
  };
  // A model that was written after rewrites is not fused or laid out a second time: the passes know
  // what the ones before them leave, not what they make themselves.
  const bool fused =
      HasNode(model.main, [](const Node& node) { return node.domain == kInternalDomain; });
  const bool laid_out = fused && HasNode(model.main, [](const Node& node) {
                          return node.domain == kInternalDomain &&
                                 (node.op_type == "MaxPool" || node.op_type == "AveragePool" ||
                                  node.op_type == "LRN" || node.attrs.Int("channels_last") != 0);
                        });
  const bool extended = options.level >= RewriteLevel::kExtended && !fused;
  state.keep_dequantized =
      extended && options.fuse_quantized &&
      HasNode(model.main, [](const Node& node) { return node.Is("DequantizeLinear"); });
  state.keep_transposed = extended;
  WB_RETURN_IF_ERROR(clean());
  if (state.keep_dequantized) {
    WB_RETURN_IF_ERROR(run(rewrite::FuseQuantized), "rewrites");
    state.keep_dequantized = false;
    WB_RETURN_IF_ERROR(clean());
  }
  if (extended) {
    for (const Pass pass :
         {rewrite::TakeTransposedWeights, rewrite::RewriteOneHots, rewrite::RewriteBlockSlices,
          rewrite::FuseLayerNorms, rewrite::FuseInstanceNorms, rewrite::RewriteEinsums,
          rewrite::FoldScaleAndBias, rewrite::RewriteGemms, rewrite::SplitBatchNorms,
          rewrite::FuseElementwise}) {
      WB_RETURN_IF_ERROR(run(pass), "rewrites");
    }
  }
  if (options.level >= RewriteLevel::kLayout && !laid_out) {
    WB_RETURN_IF_ERROR(run(rewrite::QuantizedChannelsLast), "rewrites");
    WB_RETURN_IF_ERROR(run(rewrite::ChooseLayout), "rewrites");
    WB_RETURN_IF_ERROR(run(rewrite::MergeTransposes), "rewrites");
  }
  for (RewriteState::Short& note : state.short_of_memory) {
    report.short_of_memory.push_back(std::move(note.text));
  }
  return report;
}

}  // namespace waybill::graph
