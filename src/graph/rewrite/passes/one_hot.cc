// A product of one-hot rows with constant weights picks rows of the weights: OneHot and MatMul,
// with a Reshape of the rows between them or not, become the internal OneHotMatMul.
#include <cmath>
#include <cstring>
#include <optional>

#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

template <typename T>
T ElementOf(const Constant& constant, size_t i) {
  T element;
  std::memcpy(&element, constant.tensor().view().data + (constant.is_splat() ? 0 : i * sizeof(T)),
              sizeof(T));
  return element;
}

std::optional<int64_t> IntOf(const Constant* constant) {
  if (constant == nullptr || constant->shape().elems() != 1) return std::nullopt;
  if (constant->dtype() == DType::kI64) return ElementOf<int64_t>(*constant, 0);
  if (constant->dtype() == DType::kI32) return int64_t{ElementOf<int32_t>(*constant, 0)};
  return std::nullopt;
}

// OneHot along a new last axis, of f32 zeros and ones, by integer indices; its depth.
std::optional<int64_t> DepthOf(const Editor& editor, const Node& node) {
  if (!node.Is("OneHot") || node.attrs.Int("axis", -1) != -1) return std::nullopt;
  const DType index = editor.graph().value(node.inputs[0]).type.dtype;
  if (index != DType::kI32 && index != DType::kI64 && index != DType::kU8) return std::nullopt;
  const Constant* values = editor.ConstantOf(node.inputs[2]);
  if (values == nullptr || values->dtype() != DType::kF32 || values->shape() != Shape({2}) ||
      ElementOf<float>(*values, 0) != 0 || ElementOf<float>(*values, 1) != 1) {
    return std::nullopt;
  }
  return IntOf(editor.ConstantOf(node.inputs[1]));
}

// Zero times a weight is zero: not so for infinities and NaN.
bool IsFiniteMatrix(const Editor& editor, const Constant* weights, int64_t rows) {
  if (weights == nullptr || weights->dtype() != DType::kF32 || weights->shape().rank() != 2 ||
      weights->shape()[0] != rows || weights->is_splat()) {
    return false;
  }
  bool finite = true;
  const Status status =
      weights->ForEachBlock(1, editor.options().source, [&](int64_t, const TensorView& block) {
        for (size_t i = 0; finite && i < static_cast<size_t>(block.elems()); ++i) {
          float element;
          std::memcpy(&element, block.data + i * sizeof element, sizeof element);
          finite = std::isfinite(element);
        }
      });
  return status.ok() && finite;
}

// A Reshape to [-1, depth] or [rows, depth] by a constant.
std::optional<Shape> RowsShape(const Editor& editor, const Node& node, int64_t depth) {
  if (!node.Is("Reshape") || node.attrs.Int("allowzero") != 0) return std::nullopt;
  const Constant* shape = editor.ConstantOf(node.inputs[1]);
  if (shape == nullptr || shape->dtype() != DType::kI64 || shape->shape() != Shape({2})) {
    return std::nullopt;
  }
  const Shape target{ElementOf<int64_t>(*shape, 0), ElementOf<int64_t>(*shape, 1)};
  if (target[1] != depth || target[0] == 0) return std::nullopt;
  return target;
}

Result<Tensor> IntList(const Editor& editor, const std::vector<int64_t>& values) {
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Allocate(DType::kI64, Shape({static_cast<int64_t>(values.size())}),
                                       editor.options().source, MemoryTag::kFolded));
  std::copy(values.begin(), values.end(), tensor.span<int64_t>().begin());
  return tensor;
}

Node OnnxNode(const Editor& editor, NodeId like, std::string_view op, std::string name) {
  Node node;
  node.op_type = op;
  node.name = std::move(name);
  node.opset = editor.graph().node(like).opset;
  return node;
}

// Shape of the one-hot tensor is the shape of the indices and the depth: then nobody but the
// product needs the tensor.
Status ReplaceShape(Editor& editor, NodeId one_hot, NodeId id, int64_t depth) {
  const Node& shape = editor.graph().node(id);
  if (shape.attrs.Has("end") || shape.attrs.Int("start", 0) != 0) return Status::Ok();
  WB_ASSIGN_OR_RETURN(Tensor last, IntList(editor, {depth}));
  Node indices = shape;
  indices.inputs[0] = editor.graph().node(one_hot).inputs[0];
  indices.outputs = {editor.AddValue(shape.name + "/indices")};
  Node concat = OnnxNode(editor, id, "Concat", shape.name + "/concat");
  concat.since_version = shape.opset >= 13 ? 13 : shape.opset >= 11 ? 11 : 4;
  concat.schema = schema::Find("", "Concat", concat.since_version);
  concat.inputs = {indices.outputs[0],
                   editor.AddConstant(shape.name + "/depth", Constant(std::move(last)))};
  concat.outputs = editor.graph().node(id).outputs;
  concat.attrs.Set("axis", int64_t{0});
  Patch patch("shape-of-one-hot", id, Format("{} adds {}", shape.Describe(), depth));
  patch.inserted = {std::move(indices), std::move(concat)};
  patch.removed = {id};
  editor.Apply(std::move(patch));
  return Status::Ok();
}

Status Rewrite(Editor& editor, NodeId id) {
  const std::optional<int64_t> depth = DepthOf(editor, editor.graph().node(id));
  if (!depth) return Status::Ok();
  const ValueId hot = editor.graph().node(id).outputs[0];
  for (const NodeId reader : editor.Readers(hot)) {
    if (editor.graph().node(reader).Is("Shape")) {
      WB_RETURN_IF_ERROR(ReplaceShape(editor, id, reader, *depth));
    }
  }
  NodeId product = editor.SingleReader(hot);
  if (product == kNoNode) return Status::Ok();
  const NodeId between = product;
  const std::optional<Shape> rows = RowsShape(editor, editor.graph().node(between), *depth);
  if (rows) product = editor.SingleReader(editor.graph().node(between).outputs[0]);
  if (product == kNoNode) return Status::Ok();
  const Node& matmul = editor.graph().node(product);
  const ValueId left = rows ? editor.graph().node(between).outputs[0] : hot;
  if (!matmul.Is("MatMul") || matmul.inputs[0] != left || matmul.inputs[1] == left) {
    return Status::Ok();
  }
  const Constant* weights = editor.ConstantOf(matmul.inputs[1]);
  if (!IsFiniteMatrix(editor, weights, *depth)) return Status::Ok();
  Node pick;
  pick.name = matmul.name;
  pick.domain = std::string(kInternalDomain);
  pick.op_type = "OneHotMatMul";
  pick.since_version = pick.opset = 1;
  pick.inputs = {editor.graph().node(id).inputs[0], matmul.inputs[1]};
  pick.outputs = matmul.outputs;
  Patch patch("one-hot-matmul", product, Format("{} picks rows", matmul.Describe()));
  patch.removed = {product, id};
  if (rows) {
    WB_ASSIGN_OR_RETURN(Tensor target, IntList(editor, {(*rows)[0], weights->shape()[1]}));
    Node reshape = editor.graph().node(between);
    reshape.outputs = pick.outputs;
    pick.outputs = {editor.AddValue(pick.name + "/rows")};
    reshape.inputs = {pick.outputs[0],
                      editor.AddConstant(reshape.name + "/shape", Constant(std::move(target)))};
    patch.removed.push_back(between);
    patch.inserted = {std::move(pick), std::move(reshape)};
  } else {
    patch.inserted = {std::move(pick)};
  }
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status RewriteOneHots(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (!node.alive || !node.HasOutput(0)) continue;
    WB_RETURN_IF_ERROR(Rewrite(editor, id));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
