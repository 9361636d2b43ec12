// BatchNormalization by the mean and the variance of its own input, where that is a batch of one,
// becomes InstanceNormalization:
//   m = ReduceMean(x); v = ReduceSumSquare(x - m) / n; BatchNormalization(x, scale, bias, m, v)
// over all axes but that of the channels.
#include <algorithm>

#include "graph/rewrite/passes/elementwise/steps.h"
#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

constexpr int kOpset = 6;         // the first where InstanceNormalization consumes nothing
constexpr int kBroadcasting = 7;  // the first where arithmetic broadcasts as numpy does
constexpr int kSpatial = 9;       // the first where BatchNormalization is always by channels

class Matcher {
 public:
  Matcher(const Editor& editor, ValueId x) : editor_(editor), graph_(editor.graph()), x_(x) {}

  // Elements of one channel; 0 where they are not known or the batch is not one.
  int64_t Count() const {
    const SymShape& shape = graph_.value(x_).type.shape;
    if (!shape.has_rank() || shape.rank() < 3 || !shape[0].SameAs(Dim(1))) return 0;
    std::vector<Dim> dims = shape.dims();
    dims[1] = Dim(1);
    return SymShape(std::move(dims)).Elems().value_or(0);
  }

  // [C]
  bool IsMean(ValueId value) const {
    const Node* mean = Producer(Squeezed(value), "ReduceMean");
    return mean != nullptr && IsVector(value) && IsOfChannels(*mean, x_);
  }

  // [C]
  bool IsVariance(ValueId value, int64_t count) const {
    const Node* div = Producer(value, "Div");
    if (div == nullptr || div->since_version < kBroadcasting || !IsVector(value)) return false;
    const auto divisor = UniformFloat(editor_, div->inputs[1]);
    // Beyond that not every count is a float.
    if (!divisor || count > (1 << 24) || *divisor != static_cast<float>(count)) return false;
    const Node* squares = Producer(Squeezed(div->inputs[0]), "ReduceSumSquare");
    if (squares == nullptr || !IsVector(div->inputs[0])) return false;
    const Node* centred = Producer(squares->inputs[0], "Sub");
    if (centred == nullptr || centred->since_version < kBroadcasting) return false;
    const Node* mean = Producer(centred->inputs[1], "ReduceMean");
    return centred->inputs[0] == x_ && mean != nullptr && IsOfChannels(*mean, x_) &&
           mean->attrs.Int("keepdims", 1) != 0 && IsOfChannels(*squares, squares->inputs[0]);
  }

 private:
  const Node* Producer(ValueId value, std::string_view op) const {
    const NodeId id = value == kNoValue ? kNoNode : graph_.value(value).producer;
    if (id == kNoNode || !graph_.node(id).alive || !graph_.node(id).Is(op)) return nullptr;
    return &graph_.node(id);
  }

  // What it was before axes of one element went.
  ValueId Squeezed(ValueId value) const {
    const Node* squeeze = Producer(value, "Squeeze");
    return squeeze == nullptr ? value : squeeze->inputs[0];
  }

  bool IsVector(ValueId value) const {
    const SymShape& shape = graph_.value(value).type.shape;
    return shape.has_rank() && shape.rank() == 1;
  }

  // A reduction of `from`, of the rank of x, over all axes but the second.
  bool IsOfChannels(const Node& reduce, ValueId from) const {
    const size_t rank = graph_.value(x_).type.shape.rank();
    const SymShape& shape = graph_.value(from).type.shape;
    if (reduce.inputs[0] != from || !shape.has_rank() || shape.rank() != rank) return false;
    std::vector<int64_t> axes = reduce.attrs.Ints("axes");
    if (reduce.HasInput(1)) {
      axes = editor_.IntsOf(reduce.inputs[1]).value_or(std::vector<int64_t>());
    }
    std::vector<bool> gone(rank, false);
    for (const int64_t axis : axes) {
      if (const auto at = NormalizeAxis(axis, rank)) gone[*at] = true;
    }
    return !gone[1] && std::count(gone.begin(), gone.end(), true) == static_cast<long>(rank) - 1;
  }

  const Editor& editor_;
  const Graph& graph_;
  ValueId x_;
};

bool IsInference(const Node& norm) {
  return norm.Is("BatchNormalization") && norm.since_version >= kSpatial &&
         norm.attrs.Int("training_mode", 0) == 0 && norm.inputs.size() == 5;
}

void Fuse(Editor& editor, NodeId id) {
  const Node& old = editor.graph().node(id);
  Node norm;
  norm.name = old.name;
  norm.op_type = "InstanceNormalization";
  norm.since_version = norm.opset = kOpset;
  norm.schema = schema::Find("", norm.op_type, kOpset);
  norm.inputs = {old.inputs[0], old.inputs[1], old.inputs[2]};
  norm.outputs = {old.outputs[0]};
  norm.attrs.Set("epsilon", old.attrs.Float("epsilon", 1e-5f));
  Patch patch("fuse-instance-norm", id,
              Format("'{}' is normalised by its own mean and variance",
                     editor.graph().value(old.inputs[0]).name));
  patch.inserted.push_back(std::move(norm));
  patch.removed = {id};
  editor.Apply(std::move(patch));
}

}  // namespace

Status FuseInstanceNorms(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Graph& graph = editor.graph();
    const Node& node = graph.node(id);
    if (!node.alive || !node.HasOutput(0) || !IsInference(node)) continue;
    if (graph.value(node.outputs[0]).type.dtype != DType::kF32) continue;
    const Matcher matcher(editor, node.inputs[0]);
    const int64_t count = matcher.Count();
    if (count > 0 && matcher.IsMean(node.inputs[3]) && matcher.IsVariance(node.inputs[4], count)) {
      Fuse(editor, id);
    }
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
