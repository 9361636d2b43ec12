#include "graph/rewrite/passes/norm/layer_norm_match.h"

#include "graph/rewrite/passes/elementwise/steps.h"

namespace waybill::graph::rewrite {

namespace {

constexpr int kBroadcasting = 7;  // the version from which arithmetic broadcasts as numpy does

}  // namespace

std::optional<LayerNormMatch> LayerNormMatcher::Find(NodeId id) {
  for (const auto form : {&LayerNormMatcher::ByDivision, &LayerNormMatcher::ByFactor}) {
    match_ = LayerNormMatch();
    axis_.reset();
    if (!(this->*form)(id)) continue;
    match_.axis = *axis_;
    match_.last = id;
    match_.nodes = {id};
    if (match_.scale == kNoValue) TakeScaleAndBias();
    return match_;
  }
  return std::nullopt;
}

bool LayerNormMatcher::ByDivision(NodeId id) {
  const Node* div = Arithmetic(graph_.node(id).outputs[0], "Div");
  if (div == nullptr) return false;
  const Node* centred = Arithmetic(div->inputs[0], "Sub");
  const Node* sqrt = Producer(div->inputs[1], "Sqrt");
  if (centred == nullptr || sqrt == nullptr) return false;
  match_.x = centred->inputs[0];
  return IsMean(centred->inputs[1], match_.x) && IsDeviation(sqrt->inputs[0]);
}

bool LayerNormMatcher::ByFactor(NodeId id) {
  const Node* add = Arithmetic(graph_.node(id).outputs[0], "Add");
  for (size_t i = 0; add != nullptr && i < 2; ++i) {
    const Node* scaled = Arithmetic(add->inputs[i], "Mul");
    const Node* shift = Arithmetic(add->inputs[1 - i], "Sub");
    const Node* scaled_mean = shift == nullptr ? nullptr : Arithmetic(shift->inputs[1], "Mul");
    if (scaled == nullptr || scaled_mean == nullptr) continue;
    for (size_t at = 0; at < 4; ++at) {
      const size_t factor = at % 2, mean_factor = at / 2;
      axis_.reset();
      match_.x = scaled->inputs[1 - factor];
      match_.bias = shift->inputs[0];
      if (scaled->inputs[factor] == scaled_mean->inputs[mean_factor] &&
          IsMean(scaled_mean->inputs[1 - mean_factor], match_.x) &&
          IsScaledReciprocal(scaled->inputs[factor]) && IsVector(match_.bias)) {
        return true;
      }
    }
  }
  return false;
}

bool LayerNormMatcher::IsScaledReciprocal(ValueId factor) {
  const Node* mul = Arithmetic(factor, "Mul");
  for (size_t i = 0; mul != nullptr && i < 2; ++i) {
    const Node* reciprocal = Producer(mul->inputs[i], "Reciprocal");
    const Node* sqrt = reciprocal == nullptr ? nullptr : Producer(reciprocal->inputs[0], "Sqrt");
    match_.scale = mul->inputs[1 - i];
    if (sqrt != nullptr && IsVector(match_.scale)) return IsDeviation(sqrt->inputs[0]);
  }
  return false;
}

// mean((x - mean(x))^2) + epsilon
bool LayerNormMatcher::IsDeviation(ValueId value) {
  const Node* add = Arithmetic(value, "Add");
  if (add == nullptr) return false;
  const size_t number = UniformFloat(editor_, add->inputs[0]) ? 0 : 1;
  const auto epsilon = UniformFloat(editor_, add->inputs[number]);
  if (!epsilon || !(*epsilon >= 0)) return false;
  if (editor_.ConstantOf(add->inputs[number])->shape().elems() != 1) return false;
  match_.epsilon = *epsilon;
  const Node* mean = Producer(add->inputs[1 - number], "ReduceMean");
  return mean != nullptr && IsSquare(mean->inputs[0]) &&
         IsMean(add->inputs[1 - number], mean->inputs[0]);
}

bool LayerNormMatcher::IsSquare(ValueId value) {
  ValueId base = kNoValue;
  if (const Node* pow = Arithmetic(value, "Pow")) {
    if (UniformFloat(editor_, pow->inputs[1]) != 2.0f) return false;
    if (editor_.ConstantOf(pow->inputs[1])->shape().elems() != 1) return false;
    base = pow->inputs[0];
  } else if (const Node* mul = Arithmetic(value, "Mul")) {
    if (mul->inputs[0] != mul->inputs[1]) return false;
    base = mul->inputs[0];
  }
  const Node* centred = Arithmetic(base, "Sub");
  return centred != nullptr && centred->inputs[0] == match_.x &&
         IsMean(centred->inputs[1], match_.x);
}

// The mean over one axis, the same for all means of a match, which stays as an axis of one place.
bool LayerNormMatcher::IsMean(ValueId value, ValueId of) {
  const Node* mean = Producer(value, "ReduceMean");
  if (mean == nullptr || mean->inputs[0] != of || mean->attrs.Int("keepdims", 1) == 0) return false;
  std::vector<int64_t> axes = mean->attrs.Ints("axes");
  if (mean->HasInput(1)) {
    axes = editor_.IntsOf(mean->inputs[1]).value_or(std::vector<int64_t>());
  }
  const SymShape& shape = graph_.value(of).type.shape;
  if (axes.size() != 1 || !shape.has_rank()) return false;
  const auto axis = NormalizeAxis(axes[0], shape.rank());
  if (!axis || (axis_ && *axis_ != *axis)) return false;
  axis_ = axis;
  return true;
}

// [K, 1, ...] with as many ones behind K as `x` has axes behind its axis of K places, or with ones
// before it too.
bool LayerNormMatcher::IsVector(ValueId value) const {
  if (value == kNoValue) return false;
  const SymShape& shape = graph_.value(value).type.shape;
  const SymShape& x = graph_.value(match_.x).type.shape;
  if (!shape.has_rank() || !x.has_rank() || shape.rank() > x.rank()) return false;
  const size_t missing = x.rank() - shape.rank();
  if (missing > *axis_) return false;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const Dim& wanted = i + missing == *axis_ ? x[*axis_] : Dim(1);
    if (!shape[i].known() || !shape[i].SameAs(wanted)) return false;
  }
  return true;
}

// The operand beside `value` in its only reader, an operator of that name; kNoValue without one.
ValueId LayerNormMatcher::VectorBeside(ValueId value, std::string_view op, NodeId& reader) const {
  reader = editor_.SingleReader(value);
  if (reader == kNoNode || Arithmetic(graph_.node(reader).outputs[0], op) == nullptr) {
    return kNoValue;
  }
  const Node& node = graph_.node(reader);
  const ValueId other = node.inputs[node.inputs[0] == value ? 1 : 0];
  return IsVector(other) ? other : kNoValue;
}

void LayerNormMatcher::TakeScaleAndBias() {
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

const Node* LayerNormMatcher::Producer(ValueId value, std::string_view op) const {
  const NodeId id = value == kNoValue ? kNoNode : graph_.value(value).producer;
  if (id == kNoNode || !graph_.node(id).alive || !graph_.node(id).Is(op)) return nullptr;
  return &graph_.node(id);
}

const Node* LayerNormMatcher::Arithmetic(ValueId value, std::string_view op) const {
  const Node* node = Producer(value, op);
  if (node == nullptr || node->since_version < kBroadcasting) return nullptr;
  return node->inputs.size() == 2 ? node : nullptr;
}

}  // namespace waybill::graph::rewrite
