#include "graph/rewrite/passes/streamed.h"

#include <algorithm>

#include "graph/rewrite/passes/elementwise/producer.h"
#include "graph/rewrite/passes/passes.h"

namespace waybill::graph::rewrite {

namespace {

constexpr size_t kBlockBytes = size_t{4} << 20;

bool IsLarge(const Editor& editor, ValueId id) {
  const ValueType& type = editor.graph().value(id).type;
  if (!type.is_tensor() || type.dtype != DType::kF32) return false;
  const auto shape = type.shape.Concrete();
  if (!shape || shape->rank() < 2) return false;
  const auto bytes = Tensor::BytesFor(DType::kF32, *shape);
  return bytes.ok() && *bytes >= editor.options().stream_bytes;
}

// `weights` as input 1 and nothing else.
bool ReadsAsWeights(const Node& node, ValueId weights) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if ((node.inputs[i] == weights) != (i == 1)) return false;
  }
  return true;
}

bool IsProduct(const Node& node) {
  return node.Is("MatMul") || (node.Is("Gemm") && node.since_version >= 7);
}

template <typename Fn>
bool AllReaders(const Editor& editor, ValueId value, const Fn& fits) {
  if (editor.is_output(value)) return false;
  const std::vector<NodeId> readers = editor.Readers(value);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                         [&](NodeId id) { return fits(editor.graph().node(id)); });
}

bool TurnsMatrix(const Node& node) {
  if (!node.Is("Transpose") || node.outputs.size() != 1 || !node.HasOutput(0)) return false;
  const std::vector<int64_t> perm = node.attrs.Ints("perm");
  return perm.empty() || perm == std::vector<int64_t>{1, 0};
}

// A MatMul of vectors stays what it is.
bool MayTurn(const Editor& editor, const Node& product) {
  if (!IsProduct(product) || !product.HasOutput(0)) return false;
  const SymShape& shape = editor.graph().value(product.outputs[0]).type.shape;
  return shape.has_rank() && shape.rank() >= 2;
}

bool FeedsProducts(const Editor& editor, const Node& transpose) {
  const ValueId out = transpose.outputs[0];
  return AllReaders(editor, out, [&](const Node& reader) {
    return MayTurn(editor, reader) && ReadsAsWeights(reader, out);
  });
}

// MatMul or Gemm reading the transposed weights of `from`.
Node Turned(const Node& product, ValueId from) {
  Node node = product.Is("MatMul") ? AsInternal(product) : product;
  node.inputs[1] = from;
  node.attrs.Set("transB", int64_t{product.attrs.Int("transB") == 0 ? 1 : 0});
  return node;
}

}  // namespace

bool IsStreamed(const Editor& editor, const Node& node) {
  if (node.outputs.size() != 1 || !node.HasOutput(0)) return false;
  const ValueId out = node.outputs[0];
  if (!IsLarge(editor, out)) return false;
  return AllReaders(editor, out, [&](const Node& reader) {
    if (editor.keep_transposed() && TurnsMatrix(reader)) return FeedsProducts(editor, reader);
    return (IsProduct(reader) || reader.Is("Conv")) && ReadsAsWeights(reader, out);
  });
}

bool IsTransposedWeight(const Editor& editor, const Node& node) {
  if (!TurnsMatrix(node)) return false;
  const Constant* weights = editor.ConstantOf(node.inputs[0]);
  return weights != nullptr && !weights->is_splat() && weights->shape().rank() == 2 &&
         IsLarge(editor, node.outputs[0]) && FeedsProducts(editor, node);
}

size_t BlockBytes(const RewriteOptions& options) {
  return std::min(options.stream_bytes, kBlockBytes);
}

Status TakeTransposedWeights(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& transpose = editor.graph().node(id);
    if (!transpose.alive || !IsTransposedWeight(editor, transpose)) continue;
    const ValueId from = transpose.inputs[0];
    for (const NodeId reader : editor.Readers(transpose.outputs[0])) {
      Patch patch("take-transposed-weights", reader,
                  Format("{} reads '{}' as it is", editor.graph().node(reader).Describe(),
                         editor.graph().value(from).name));
      patch.inserted.push_back(Turned(editor.graph().node(reader), from));
      patch.removed = {reader};
      editor.Apply(std::move(patch));
    }
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
