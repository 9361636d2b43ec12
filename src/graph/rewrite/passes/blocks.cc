// Four slices of every second row and column, put side by side as channels (the "focus" of some
// detectors), are one transposition of the blocks of the image.
#include <cstring>
#include <optional>

#include "graph/rewrite/passes/passes.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

// The single number of a constant list of one.
std::optional<int64_t> OnlyInt(const Editor& editor, const Node& node, size_t input) {
  const Constant* constant = node.HasInput(input) ? editor.ConstantOf(node.inputs[input]) : nullptr;
  if (constant == nullptr || constant->shape().elems() != 1) return std::nullopt;
  const std::byte* data = constant->tensor().view().data;
  if (constant->dtype() == DType::kI64) {
    int64_t value = 0;
    std::memcpy(&value, data, sizeof(value));
    return value;
  }
  if (constant->dtype() != DType::kI32) return std::nullopt;
  int32_t value = 0;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

// A slice of every second element of one axis to its end.
struct HalfSlice {
  ValueId from = kNoValue;
  int64_t axis = 0, start = 0;
};

std::optional<HalfSlice> AsHalfSlice(const Editor& editor, ValueId value) {
  const NodeId producer = editor.graph().value(value).producer;
  if (producer == kNoNode) return std::nullopt;
  const Node& node = editor.graph().node(producer);
  if (!node.alive || !node.Is("Slice") || node.since_version < 10) return std::nullopt;
  const auto start = OnlyInt(editor, node, 1), end = OnlyInt(editor, node, 2);
  const auto axis = OnlyInt(editor, node, 3), step = OnlyInt(editor, node, 4);
  if (!start || !end || !axis || !step || *step != 2) return std::nullopt;
  const SymShape& shape = editor.graph().value(node.inputs[0]).type.shape;
  if (!shape.has_rank() || shape.rank() != 4 || (*axis != 2 && *axis != 3)) return std::nullopt;
  const Dim& dim = shape[static_cast<size_t>(*axis)];
  if (!dim.known() || dim.value() % 2 != 0 || *end < dim.value()) return std::nullopt;
  if (*start != 0 && *start != 1) return std::nullopt;
  return HalfSlice{node.inputs[0], *axis, *start};
}

// Rows and columns that begin at `row` and `column` of `image`.
struct Corner {
  ValueId image = kNoValue;
  int64_t row = 0, column = 0;
};

std::optional<Corner> AsCorner(const Editor& editor, ValueId value) {
  const auto second = AsHalfSlice(editor, value);
  if (!second) return std::nullopt;
  const auto first = AsHalfSlice(editor, second->from);
  if (!first || first->axis == second->axis) return std::nullopt;
  const bool rows_first = first->axis == 2;
  return Corner{first->from, rows_first ? first->start : second->start,
                rows_first ? second->start : first->start};
}

// Whether rows vary faster than columns over the inputs of the Concat; nothing when they are not
// the four corners of one image in such an order.
struct Corners {
  ValueId image = kNoValue;
  bool rows_fast = false;
};

std::optional<Corners> CornersOf(const Editor& editor, const Node& concat) {
  if (!concat.Is("Concat") || concat.inputs.size() != 4 || concat.attrs.Int("axis", 1) != 1) {
    return std::nullopt;
  }
  Corner corners[4];
  for (size_t i = 0; i < 4; ++i) {
    const auto corner = AsCorner(editor, concat.inputs[i]);
    if (!corner || (i != 0 && corner->image != corners[0].image)) return std::nullopt;
    corners[i] = *corner;
  }
  for (const bool rows_fast : {true, false}) {
    bool fits = true;
    for (int64_t i = 0; i < 4; ++i) {
      const Corner& corner = corners[i];
      fits &= (rows_fast ? corner.row : corner.column) == i % 2;
      fits &= (rows_fast ? corner.column : corner.row) == i / 2;
    }
    if (fits) return Corners{corners[0].image, rows_fast};
  }
  return std::nullopt;
}

Result<ValueId> AddInts(Editor& editor, std::string name, const std::vector<int64_t>& values) {
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Allocate(DType::kI64, Shape({static_cast<int64_t>(values.size())}),
                                       editor.options().source, MemoryTag::kFolded));
  std::copy(values.begin(), values.end(), tensor.span<int64_t>().begin());
  return editor.AddConstant(std::move(name), Constant(std::move(tensor)));
}

Node MakeNode(const Node& like, std::string_view op, std::string_view suffix) {
  Node node;
  node.op_type = op;
  node.name = like.name + std::string(suffix);
  node.opset = like.opset;
  node.schema = schema::Find("", op, like.opset);
  node.since_version = node.schema == nullptr ? 0 : node.schema->since_version;
  return node;
}

Status Rewrite(Editor& editor, NodeId id) {
  const auto corners = CornersOf(editor, editor.graph().node(id));
  if (!corners) return Status::Ok();
  const SymShape image = editor.graph().value(corners->image).type.shape;
  if (!image[1].known()) return Status::Ok();
  const int64_t channels = image[1].value(), rows = image[2].value() / 2;
  const int64_t columns = image[3].value() / 2;
  const Node concat = editor.graph().node(id);
  Node split = MakeNode(concat, "Reshape", "/blocks");
  Node turn = MakeNode(concat, "Transpose", "/turn");
  Node join = MakeNode(concat, "Reshape", "");
  if (split.schema == nullptr || turn.schema == nullptr || split.since_version < 5) {
    return Status::Ok();
  }
  WB_ASSIGN_OR_RETURN(const ValueId apart,
                      AddInts(editor, split.name + "/shape", {0, channels, rows, 2, columns, 2}));
  WB_ASSIGN_OR_RETURN(const ValueId together,
                      AddInts(editor, turn.name + "/shape", {0, 4 * channels, rows, columns}));
  split.inputs = {corners->image, apart};
  split.outputs = {editor.AddValue(split.name)};
  turn.inputs = split.outputs;
  turn.outputs = {editor.AddValue(turn.name)};
  turn.attrs.Set("perm", corners->rows_fast ? std::vector<int64_t>{0, 5, 3, 1, 2, 4}
                                            : std::vector<int64_t>{0, 3, 5, 1, 2, 4});
  join.inputs = {turn.outputs[0], together};
  join.outputs = concat.outputs;
  Patch patch("corners-to-blocks", id, Format("{} joins blocks of 2 x 2", concat.Describe()));
  patch.inserted = {std::move(split), std::move(turn), std::move(join)};
  patch.removed = {id};
  editor.Apply(std::move(patch));
  return Status::Ok();
}

}  // namespace

Status RewriteBlockSlices(Editor& editor) {
  for (const NodeId id : std::vector<NodeId>(editor.order())) {
    const Node& node = editor.graph().node(id);
    if (!node.alive || !node.HasOutput(0)) continue;
    WB_RETURN_IF_ERROR(Rewrite(editor, id));
  }
  return Status::Ok();
}

}  // namespace waybill::graph::rewrite
