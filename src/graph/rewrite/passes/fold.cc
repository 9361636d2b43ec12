#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "graph/rewrite/passes/passes.h"
#include "graph/rewrite/passes/streamed.h"
#include "graph/schema/schema.h"

namespace waybill::graph::rewrite {

namespace {

bool HasBody(const Node& node) {
  bool found = false;
  ForEachBody(node, [&](const GraphPtr&) { found = true; });
  return found;
}

// Equal inputs give equal outputs. (The schema marks AffineGrid as random; it is not.)
bool IsDeterministic(const Node& node) {
  if (node.schema == nullptr) return true;
  return !node.schema->nondeterministic || node.Is("AffineGrid");
}

bool CanFold(const Editor& editor, const Node& node) {
  if (HasBody(node) || !IsDeterministic(node)) return false;
  if (editor.keep_transposed() && IsTransposedWeight(editor, node)) return false;
  if (editor.keep_dequantized() && node.Is("DequantizeLinear")) return false;
  for (const ValueId input : node.inputs) {
    if (input != kNoValue && editor.ConstantOf(input) == nullptr) return false;
  }
  return true;
}

size_t HeldBytes(const Constant& constant) {
  if (constant.dtype() == DType::kString) {
    size_t bytes = constant.tensor().view().bytes();
    for (const std::string& text : constant.tensor().span<std::string>()) bytes += text.size();
    return bytes;
  }
  return constant.tensor().view().bytes();
}

// What the constant takes when it is written out.
size_t DenseBytes(const Constant& constant) {
  const auto elems = constant.shape().CheckedElems();
  const auto bytes =
      elems ? DTypeBytes(constant.dtype(), static_cast<size_t>(*elems)) : std::nullopt;
  return bytes.value_or(std::numeric_limits<size_t>::max() / 16);
}

// Operators that only give their first input another shape or order: of a splat they make a splat.
bool KeepsElements(const Node& node) {
  for (const char* op :
       {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Tile", "Identity"}) {
    if (node.Is(op)) return true;
  }
  return false;
}

std::optional<std::vector<Constant>> FoldSplat(const Editor& editor, const Node& node) {
  if (!KeepsElements(node) || node.outputs.size() != 1) return std::nullopt;
  const Constant* data = node.HasInput(0) ? editor.ConstantOf(node.inputs[0]) : nullptr;
  if (data == nullptr || !data->is_splat()) return std::nullopt;
  auto shape = editor.graph().value(node.outputs[0]).type.shape.Concrete();
  if (!shape) return std::nullopt;
  return std::vector<Constant>{Constant::Splat(data->tensor(), std::move(*shape))};
}

// Integer contents that inference knows completely, as a constant.
Result<Constant> FromContents(Editor& editor, const Value& value) {
  const auto shape = value.type.shape.Concrete();
  if (!shape || !value.contents ||
      shape->CheckedElems() != static_cast<int64_t>(value.contents->size())) {
    return Constant();
  }
  for (const Dim& dim : *value.contents) {
    const bool fits =
        value.type.dtype == DType::kI64 || dim.value() <= std::numeric_limits<int32_t>::max();
    if (!dim.known() || !fits) return Constant();
  }
  if (value.type.dtype != DType::kI64 && value.type.dtype != DType::kI32) return Constant();
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(value.type.dtype, *shape,
                                                      editor.options().source, MemoryTag::kFolded));
  for (size_t i = 0; i < value.contents->size(); ++i) {
    const int64_t number = (*value.contents)[i].value();
    if (value.type.dtype == DType::kI64) {
      tensor.span<int64_t>()[i] = number;
    } else {
      tensor.span<int32_t>()[i] = static_cast<int32_t>(number);
    }
  }
  return Constant(std::move(tensor));
}

// True when the node is folded.
Result<bool> FoldByContents(Editor& editor, NodeId id) {
  const Node& node = editor.graph().node(id);
  if (node.outputs.size() != 1 || !node.HasOutput(0) || HasBody(node) || !IsDeterministic(node)) {
    return false;
  }
  const Value& value = editor.graph().value(node.outputs[0]);
  WB_ASSIGN_OR_RETURN(Constant constant, FromContents(editor, value));
  if (!constant.defined()) return false;
  Patch patch("fold-shape", id, Format("'{}' is {} by its shape", value.name, *value.contents));
  patch.constants.push_back({node.outputs[0], std::move(constant)});
  patch.removed.push_back(id);
  return editor.Apply(std::move(patch));
}

// Large weights as rows that are made while they are packed; undefined where that is not possible.
Result<Constant> FoldToRows(Editor& editor, const Node& node, size_t max_bytes) {
  const RewriteOptions& options = editor.options();
  if (options.evaluator == nullptr || !IsStreamed(editor, node)) return Constant();
  const auto shape = editor.graph().value(node.outputs[0]).type.shape.Concrete();
  const auto bytes = Tensor::BytesFor(DType::kF32, *shape);
  if (!bytes.ok() || *bytes > max_bytes) return Constant();
  return options.evaluator->Defer(editor.graph(), node, BlockBytes(options));
}

Status FoldByEvaluation(Editor& editor, NodeId id) {
  const Graph& graph = editor.graph();
  const Node& node = graph.node(id);
  size_t in_bytes = 0, spread_bytes = 0;
  // What is read twice is there once.
  for (const ValueId input : std::set<ValueId>(node.inputs.begin(), node.inputs.end())) {
    if (const Constant* constant = editor.ConstantOf(input)) {
      in_bytes += HeldBytes(*constant);
      if (constant->is_splat()) spread_bytes += DenseBytes(*constant);
    }
  }
  size_t& growth = editor.report().folded_growth_bytes;
  const size_t left =
      editor.options().fold_limit_bytes - std::min(growth, editor.options().fold_limit_bytes);
  std::vector<Constant> results;
  WB_ASSIGN_OR_RETURN(Constant rows, FoldToRows(editor, node, in_bytes + left));
  if (rows.defined()) {
    results.push_back(std::move(rows));
  } else if (auto splat = FoldSplat(editor, node)) {
    results = std::move(*splat);
  } else {
    if (editor.options().evaluator == nullptr || spread_bytes > left) return Status::Ok();
    auto evaluated = editor.options().evaluator->Evaluate(graph, node, in_bytes + left);
    if (!evaluated.ok()) {  // it fails, or works, when it runs
      if (evaluated.status().code() == Code::kOutOfMemory) {
        editor.NoteShortOfMemory(Patch("fold-constant", id, "its results are no constants"),
                                 evaluated.status());
      }
      return Status::Ok();
    }
    results = std::move(evaluated).value();
  }
  Patch patch("fold-constant", id, {});
  size_t out_bytes = 0;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.HasOutput(i)) continue;
    if (i >= results.size() || !results[i].defined()) return Status::Ok();
    out_bytes += HeldBytes(results[i]);
    if (!patch.what.empty()) patch.what += ", ";
    patch.what += Format("'{}' is a constant {} {}", graph.value(node.outputs[i]).name,
                         DTypeName(results[i].dtype()), results[i].shape());
    patch.constants.push_back({node.outputs[i], std::move(results[i])});
  }
  patch.removed.push_back(id);
  if (editor.Apply(std::move(patch)) && out_bytes > in_bytes) growth += out_bytes - in_bytes;
  return Status::Ok();
}

}  // namespace

Status FoldConstants(Editor& editor) {
  for (const NodeId id : editor.order()) {
    if (!editor.graph().node(id).alive) continue;
    WB_ASSIGN_OR_RETURN(const bool folded, FoldByContents(editor, id));
    if (!folded && CanFold(editor, editor.graph().node(id))) {
      WB_RETURN_IF_ERROR(FoldByEvaluation(editor, id));
    }
  }
  return Status::Ok();
}

void PassConstantsToBodies(Graph& graph) {
  for (const NodeId id : graph.order()) {
    ForEachBody(graph.node(id), [&](GraphPtr& body) {
      std::erase_if(body->captures, [&](const Capture& capture) {
        const Value& outer = graph.value(capture.outer);
        if (!outer.constant.defined()) return false;
        Value& inner = body->value(capture.inner);
        inner.constant = outer.constant;
        inner.type = outer.type;
        return true;
      });
    });
  }
}

}  // namespace waybill::graph::rewrite
