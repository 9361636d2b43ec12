// Whatever broadcasts its inputs element by element does so in any layout.
#include <algorithm>
#include <array>

#include "graph/rewrite/passes/layout/layout.h"

namespace waybill::graph::rewrite {

namespace {

constexpr std::array kBroadcasting =
    std::to_array<std::string_view>({"Abs",      "Add",         "And",       "Ceil",
                                     "Clip",     "Cos",         "Div",       "Elu",
                                     "Equal",    "Erf",         "Exp",       "Floor",
                                     "Greater",  "HardSigmoid", "HardSwish", "LeakyRelu",
                                     "Less",     "Log",         "Max",       "Mean",
                                     "Min",      "Mul",         "Neg",       "Not",
                                     "Or",       "PRelu",       "Pow",       "Reciprocal",
                                     "Relu",     "Round",       "Sigmoid",   "Sin",
                                     "Softplus", "Sqrt",        "Sub",       "Sum",
                                     "Tanh",     "Where",       "Cast",      "Gelu",
                                     "Mish",     "Selu",        "Softsign",  "ThresholdedRelu"});

bool Broadcasts(const Node& node) {
  if (node.domain == kInternalDomain) return node.op_type == "Elementwise";
  if (!node.domain.empty()) return false;
  if (std::find(kBroadcasting.begin(), kBroadcasting.end(), node.op_type) == kBroadcasting.end()) {
    return false;
  }
  // Before version 7 (8 for those of many inputs) an attribute says how they broadcast.
  return node.inputs.size() == 1 || node.since_version >= 8 ||
         (node.since_version == 7 && !node.Is("Sum") && !node.Is("Mean"));
}

// Inputs as large as the result that have a twin, and those that would have to be transposed.
struct Balance {
  size_t with = 0, without = 0;
};

Balance Weigh(const LayoutPass& pass, const Node& node, size_t rank) {
  Balance out;
  for (const ValueId input : node.inputs) {
    if (input == kNoValue || pass.graph().value(input).constant.defined()) continue;
    if (pass.HasTwin(input)) {
      ++out.with;
    } else if (pass.RankOf(input) == rank) {
      // With one pixel, moving the channels moves no byte.
      const SymShape& shape = pass.graph().value(input).type.shape;
      bool pixel = true;
      for (size_t i = 2; i < rank; ++i) pixel = pixel && shape[i].value() == 1;
      if (!pixel) ++out.without;
    }
  }
  return out;
}

}  // namespace

Result<bool> FollowElementwise(LayoutPass& pass, NodeId id) {
  const Node& node = pass.graph().node(id);
  if (!Broadcasts(node)) return false;
  if (node.outputs.size() != 1) return true;
  const size_t rank = pass.RankOf(node.outputs[0]);
  if (rank < 3) return true;
  const Balance balance = Weigh(pass, node, rank);
  if (balance.with == 0 || balance.with < balance.without) return true;
  auto draft = pass.Begin(id, Format("{} of its inputs are channels last", balance.with));
  for (ValueId& input : draft.node.inputs) {
    if (input == kNoValue) continue;
    WB_ASSIGN_OR_RETURN(const auto twin, pass.TwinOperand(input, rank, draft.patch));
    if (!twin) return true;
    input = *twin;
  }
  pass.Finish(std::move(draft), id);
  return true;
}

}  // namespace waybill::graph::rewrite
