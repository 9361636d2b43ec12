// Scales and shifts by channel go into the weights and the bias of the node before them.
#include <vector>

#include "graph/rewrite/passes/affine/affine.h"
#include "graph/rewrite/passes/affine/scale.h"
#include "graph/rewrite/passes/elementwise/producer.h"
#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

// Where the output channels of a node's weights are: of element i, channel i / inner % count.
struct Channels {
  size_t axis = 1;  // of the output
  size_t rank = 0;  // of the output
  size_t count = 0;
  size_t inner = 1;
};

// Also one that reads its weights as they were before their Transpose.
bool IsProduct(const Node& node) {
  return node.Is("MatMul") || (node.Is("MatMul", kInternalDomain) && !node.attrs.Has("expr"));
}

std::optional<Channels> ChannelsOf(const Editor& editor, const Node& node) {
  const bool conv = node.Is("Conv"), transposed = node.Is("ConvTranspose");
  if (!conv && !transposed && !IsProduct(node)) return std::nullopt;
  if (!node.HasInput(1) || !node.HasOutput(0)) return std::nullopt;
  const Constant* weights = editor.ConstantOf(node.inputs[1]);
  if (weights == nullptr || weights->shape().elems() == 0) return std::nullopt;
  if (weights->dtype() != DType::kF32 && weights->dtype() != DType::kF64) return std::nullopt;
  const Shape& shape = weights->shape();
  Channels out;
  if (conv || transposed) {
    if (shape.rank() < 3 || (transposed && node.attrs.Int("group", 1) != 1)) return std::nullopt;
    out.rank = shape.rank();
    out.count = static_cast<size_t>(shape[conv ? 0 : 1]);
    out.inner = static_cast<size_t>(shape.ElemsBetween(conv ? 1 : 2, shape.rank()));
    return out;
  }
  const SymShape& result = editor.graph().value(node.outputs[0]).type.shape;
  if (shape.rank() != 2 || weights->dtype() != DType::kF32 || !result.has_rank() ||
      result.rank() < 2) {
    return std::nullopt;
  }
  out.rank = result.rank();
  out.axis = out.rank - 1;
  const bool turned = node.attrs.Int("transB") != 0;
  out.count = static_cast<size_t>(shape[turned ? 0 : 1]);
  out.inner = turned ? static_cast<size_t>(shape[1]) : 1;
  return out;
}

Result<Constant> MakeBias(Editor& editor, DType dtype, const std::vector<double>& old,
                          const Affine& affine) {
  const Shape shape{static_cast<int64_t>(affine.factor.size())};
  WB_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(dtype, shape, editor.options().source, MemoryTag::kFolded));
  for (size_t c = 0; c < affine.factor.size(); ++c) {
    const double bias = (old.empty() ? 0.0 : old[c] * affine.factor[c]) + affine.shift[c];
    if (dtype == DType::kF32) {
      out.span<float>()[c] = static_cast<float>(bias);
    } else {
      out.span<double>()[c] = bias;
    }
  }
  return Constant(std::move(out));
}

// The nodes behind `value` that scale and shift it, one after the other, and what they do together.
struct Tail {
  std::vector<NodeId> nodes;
  Affine affine;
};

Result<Tail> ReadTail(Editor& editor, ValueId value, const Channels& channels) {
  Tail tail;
  for (;;) {
    const NodeId reader = editor.SingleReader(value);
    if (reader == kNoNode) return tail;
    const Node& node = editor.graph().node(reader);
    WB_ASSIGN_OR_RETURN(const auto affine, ReadAffine(editor, node, value, channels.rank,
                                                      channels.axis, channels.count));
    if (!affine) return tail;
    if (tail.nodes.empty()) {
      tail.affine = *affine;
    } else {
      tail.affine.Append(*affine);
    }
    tail.nodes.push_back(reader);
    value = node.outputs[0];
  }
}

Status Fold(Editor& editor, NodeId id) {
  Graph& graph = editor.graph();
  const auto channels = ChannelsOf(editor, graph.node(id));
  if (!channels) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const Tail tail, ReadTail(editor, graph.node(id).outputs[0], *channels));
  if (tail.nodes.empty()) return Status::Ok();
  Node node = graph.node(id);
  std::vector<double> old_bias;
  if (node.HasInput(2)) {
    WB_ASSIGN_OR_RETURN(auto numbers, ReadNumbers(editor, node.inputs[2], channels->count));
    if (!numbers) return Status::Ok();
    old_bias = std::move(*numbers);
  }
  const NodeId last = tail.nodes.back();
  const ValueId result = graph.node(last).outputs[0];
  const std::string name = graph.value(result).name;
  const Constant& weights = *editor.ConstantOf(node.inputs[1]);
  const DType dtype = weights.dtype();
  const bool streamed = !node.Is("ConvTranspose");
  if (node.Is("MatMul")) node = AsInternal(node);  // which has a bias
  node.inputs.resize(3, kNoValue);
  if (tail.affine.scales) {
    WB_ASSIGN_OR_RETURN(Constant scaled,
                        ScaleWeights(editor, weights, tail.affine, channels->inner, streamed));
    node.inputs[1] = editor.AddConstant(name + "/weights", std::move(scaled));
  }
  WB_ASSIGN_OR_RETURN(Constant bias, MakeBias(editor, dtype, old_bias, tail.affine));
  node.inputs[2] = editor.AddConstant(name + "/bias", std::move(bias));
  node.outputs = {result};
  Patch patch("fold-scale-and-bias", last,
              Format("{} takes over {} nodes up to {}", node.Describe(), tail.nodes.size(),
                     graph.node(last).Describe()));
  patch.inserted.push_back(std::move(node));
  patch.removed = tail.nodes;
  patch.removed.push_back(id);
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status FoldScaleAndBias(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    if (editor.graph().node(id).alive) WB_RETURN_IF_ERROR(Fold(editor, id));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
