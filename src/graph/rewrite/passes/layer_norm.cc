// A layer normalisation that is written out becomes LayerNormalization:
//   d = x - ReduceMean(x); y = d / Sqrt(ReduceMean(d^2) + epsilon) [* scale [+ bias]]
// with both means over the last axis.
#include <optional>

#include "graph/rewrite/passes/elementwise/steps.h"
#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

constexpr int kOpset = 17;  // the first that has the operator

struct Match {
  ValueId x = kNoValue, scale = kNoValue, bias = kNoValue;
  float epsilon = 0;
  NodeId last = kNoNode;
  std::vector<NodeId> nodes;
};

class Matcher {
 public:
  explicit Matcher(const Editor& editor) : editor_(editor), graph_(editor.graph()) {}

  // The normalisation that divides in node `id`.
  std::optional<Match> Find(NodeId id) {
    match_ = Match();
    const Node& div = graph_.node(id);
    if (!div.Is("Div") || div.inputs.size() != 2) return std::nullopt;
    const Node* sqrt = Producer(div.inputs[1], "Sqrt");
    const Node* centred = Producer(div.inputs[0], "Sub");
    if (sqrt == nullptr || centred == nullptr) return std::nullopt;
    match_.x = centred->inputs[0];
    if (!IsMeanOf(centred->inputs[1], match_.x) || !IsDeviation(sqrt->inputs[0])) {
      return std::nullopt;
    }
    match_.nodes.push_back(id);
    match_.last = id;
    TakeScaleAndBias();
    return match_;
  }

 private:
  const Node* Producer(ValueId value, std::string_view op) {
    const NodeId id = value == kNoValue ? kNoNode : graph_.value(value).producer;
    if (id == kNoNode || !graph_.node(id).alive || !graph_.node(id).Is(op)) return nullptr;
    return &graph_.node(id);
  }

  // mean((x - mean(x))^2) + epsilon
  bool IsDeviation(ValueId value) {
    const Node* add = Producer(value, "Add");
    if (add == nullptr || add->since_version < 7) return false;
    const size_t number = UniformFloat(editor_, add->inputs[0]) ? 0 : 1;
    const auto epsilon = UniformFloat(editor_, add->inputs[number]);
    if (!epsilon || !(*epsilon >= 0)) return false;
    if (editor_.ConstantOf(add->inputs[number])->shape().elems() != 1) return false;
    match_.epsilon = *epsilon;
    const Node* mean = Producer(add->inputs[1 - number], "ReduceMean");
    return mean != nullptr && OverLastAxis(*mean) && IsSquare(mean->inputs[0]);
  }

  bool IsSquare(ValueId value) {
    ValueId base = kNoValue;
    if (const Node* pow = Producer(value, "Pow")) {
      if (pow->since_version < 7 || UniformFloat(editor_, pow->inputs[1]) != 2.0f) return false;
      if (editor_.ConstantOf(pow->inputs[1])->shape().elems() != 1) return false;
      base = pow->inputs[0];
    } else if (const Node* mul = Producer(value, "Mul")) {
      if (mul->inputs[0] != mul->inputs[1]) return false;
      base = mul->inputs[0];
    }
    const Node* centred = Producer(base, "Sub");
    return centred != nullptr && centred->inputs[0] == match_.x &&
           IsMeanOf(centred->inputs[1], match_.x);
  }

  bool IsMeanOf(ValueId value, ValueId x) {
    const Node* mean = Producer(value, "ReduceMean");
    return mean != nullptr && mean->inputs[0] == x && OverLastAxis(*mean);
  }

  bool OverLastAxis(const Node& mean) {
    const SymShape& shape = graph_.value(mean.inputs[0]).type.shape;
    if (!shape.has_rank() || shape.rank() == 0 || mean.attrs.Int("keepdims", 1) == 0) return false;
    std::vector<int64_t> axes = mean.attrs.Ints("axes");
    if (mean.HasInput(1)) {
      axes = editor_.IntsOf(mean.inputs[1]).value_or(std::vector<int64_t>());
    }
    const auto last = static_cast<int64_t>(shape.rank()) - 1;
    return axes.size() == 1 && (axes[0] == -1 || axes[0] == last);
  }

  // [K], which LayerNormalization takes for its scale and bias.
  bool IsVector(ValueId value) {
    const SymShape& shape = graph_.value(value).type.shape;
    const SymShape& x = graph_.value(match_.x).type.shape;
    return shape.has_rank() && shape.rank() == 1 && shape[0].known() && x.has_rank() &&
           shape[0].SameAs(x[x.rank() - 1]);
  }

  // The operand beside `value` in its only reader, an operator of that name; kNoValue without one.
  ValueId VectorBeside(ValueId value, std::string_view op, NodeId& reader) {
    reader = editor_.SingleReader(value);
    if (reader == kNoNode || !graph_.node(reader).Is(op)) return kNoValue;
    const Node& node = graph_.node(reader);
    if (node.since_version < 7) return kNoValue;
    const ValueId other = node.inputs[node.inputs[0] == value ? 1 : 0];
    return IsVector(other) ? other : kNoValue;
  }

  void TakeScaleAndBias() {
    NodeId mul = kNoNode, add = kNoNode;
    match_.scale = VectorBeside(graph_.node(match_.last).outputs[0], "Mul", mul);
    if (match_.scale == kNoValue) return;
    match_.nodes.push_back(mul);
    match_.last = mul;
    match_.bias = VectorBeside(graph_.node(mul).outputs[0], "Add", add);
    if (match_.bias == kNoValue) return;
    match_.nodes.push_back(add);
    match_.last = add;
  }

  const Editor& editor_;
  const Graph& graph_;
  Match match_;
};

// A scale of ones, where the graph has none. Undefined when the length is not known.
Result<Constant> Ones(Editor& editor, const Match& match) {
  const SymShape& x = editor.graph().value(match.x).type.shape;
  const Dim& last = x[x.rank() - 1];
  if (!last.known()) return Constant();
  WB_ASSIGN_OR_RETURN(Tensor one, Tensor::Allocate(DType::kF32, Shape(), editor.options().source,
                                                   MemoryTag::kFolded));
  one.span<float>()[0] = 1;
  return Constant::Splat(std::move(one), Shape({last.value()}));
}

Status Fuse(Editor& editor, const Match& match) {
  const Graph& graph = editor.graph();
  const Node& last = graph.node(match.last);
  Node norm;
  norm.name = last.name;
  norm.op_type = "LayerNormalization";
  norm.since_version = norm.opset = kOpset;
  norm.schema = schema::Find("", norm.op_type, kOpset);
  norm.inputs = {match.x, match.scale, match.bias};
  if (match.bias == kNoValue) norm.inputs.pop_back();
  if (match.scale == kNoValue) {
    WB_ASSIGN_OR_RETURN(Constant ones, Ones(editor, match));
    if (!ones.defined()) return Status::Ok();
    norm.inputs[1] =
        editor.AddConstant(graph.value(last.outputs[0]).name + "/scale", std::move(ones));
  }
  norm.outputs = {graph.node(match.last).outputs[0]};
  norm.attrs.Set("axis", int64_t{-1});
  norm.attrs.Set("epsilon", match.epsilon);
  norm.attrs.Set("stash_type", int64_t{1});
  Patch patch("fuse-layer-norm", match.last,
              Format("'{}' is normalised over its last axis", graph.value(match.x).name));
  patch.inserted.push_back(std::move(norm));
  patch.removed = match.nodes;
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status FuseLayerNorms(Editor& editor) {
  Matcher matcher(editor);
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (!node.alive || !node.HasOutput(0)) continue;
    if (editor.graph().value(node.outputs[0]).type.dtype != DType::kF32) continue;
    if (const auto match = matcher.Find(id)) WB_RETURN_IF_ERROR(Fuse(editor, *match));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
