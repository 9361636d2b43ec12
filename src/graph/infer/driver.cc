#include "graph/infer/driver.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#include "graph/infer/infer.h"
#include "graph/infer/letters.h"
#include "graph/infer/types.h"

namespace waybill::graph::infer {

namespace {

// Constants up to this size are copied for rules where the bytes can not be read in place.
constexpr size_t kMaxCopiedBytes = 64 << 10;
constexpr size_t kMaxContents = 4096;

ControlFn ControlOf(const Node& node) {
  if (!node.domain.empty()) return nullptr;
  if (node.op_type == "If") return InferIf;
  if (node.op_type == "Loop") return InferLoop;
  if (node.op_type == "Scan") return InferScan;
  if (node.op_type == "SequenceMap") return InferSequenceMap;
  return nullptr;
}

// Constants of a node's inputs as dense, aligned views: rules read them as typed arrays.
class ConstantViews {
 public:
  // Null when the constant is too large to be copied.
  const TensorView* ViewOf(const Constant& constant) {
    const TensorView& view = constant.tensor().view();
    const bool aligned = reinterpret_cast<uintptr_t>(view.data) % DTypeAlign(view.dtype) == 0;
    if (!constant.is_splat() && (aligned || view.dtype == DType::kString)) return &view;
    const auto elems = constant.shape().CheckedElems();
    const auto bytes = elems ? DTypeBytes(view.dtype, static_cast<size_t>(*elems)) : std::nullopt;
    if (!bytes || *bytes > kMaxCopiedBytes) return nullptr;
    auto& storage = storage_.emplace_back(std::max<size_t>(*bytes / sizeof(Block) + 1, 1));
    auto* data = reinterpret_cast<std::byte*>(storage.data());
    const size_t unit = constant.is_splat() ? DTypeBits(view.dtype) / 8 : *bytes;
    for (size_t done = 0; done < *bytes; done += unit) std::memcpy(data + done, view.data, unit);
    return &views_.emplace_back(TensorView{view.dtype, constant.shape(), data, Device{}});
  }

 private:
  struct alignas(16) Block {
    std::byte bytes[16];
  };
  std::deque<std::vector<Block>> storage_;
  std::deque<TensorView> views_;
};

}  // namespace

InferFn Driver::RuleOf(const Node& node) {
  if (node.schema == nullptr) return FindInferRule(node.domain, node.op_type);
  const auto [it, fresh] = rules_.emplace(node.schema, nullptr);
  if (fresh) it->second = FindInferRule(node.domain, node.op_type);
  return it->second;
}

Status Driver::Infer(Graph& graph, const Node& node, std::vector<ValueType>& outputs,
                     std::vector<std::optional<std::vector<Dim>>>& contents) {
  if (node.schema != nullptr) {
    WB_ASSIGN_OR_RETURN(outputs, BindLetters(graph, node));
  }
  if (const ControlFn control = ControlOf(node)) return control(*this, graph, node, outputs);
  const InferFn rule = RuleOf(node);
  if (rule == nullptr) return Status::Ok();
  ConstantViews views;
  std::vector<InputFact> facts(node.inputs.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    if (!node.HasInput(i)) continue;
    const Value& value = graph.value(node.inputs[i]);
    facts[i].type = &value.type;
    if (value.constant.defined()) facts[i].values = views.ViewOf(value.constant);
    if (value.contents) facts[i].contents = &*value.contents;
  }
  InferContext ctx(node, facts, std::move(outputs));
  const Status status = rule(ctx);
  if (!status.ok()) {
    return Error(status.code(), "node {} (opset {}) with inputs {}: {}", node.Describe(),
                 node.opset, DescribeInputs(graph, node), status.message());
  }
  outputs = std::move(ctx.outputs());
  contents = std::move(ctx.contents());
  return Status::Ok();
}

Status Driver::Store(Graph& graph, const Node& node, std::vector<ValueType> outputs,
                     std::vector<std::optional<std::vector<Dim>>> contents) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.HasOutput(i)) continue;
    Value& value = graph.value(node.outputs[i]);
    ValueType& type = outputs[i];
    if (value.declared) {
      if (Contradicts(type, *value.declared)) {
        return Error(Code::kInvalidGraph,
                     "node {} (opset {}): output {} ('{}') has type {}, but it is declared as {}",
                     node.Describe(), node.opset, i, value.name, type.TypeString(),
                     value.declared->TypeString());
      }
      FillFromDeclared(type, *value.declared, false);
    }
    value.contents.reset();
    if (i < contents.size() && contents[i] && contents[i]->size() <= kMaxContents) {
      const auto elems = type.shape.Elems();
      if (!elems || *elems == static_cast<int64_t>(contents[i]->size())) {
        value.contents = std::move(contents[i]);
      }
    }
    value.type = std::move(type);
  }
  return Status::Ok();
}

Status Driver::RunNode(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::vector<ValueType> outputs(node.outputs.size());
  std::vector<std::optional<std::vector<Dim>>> contents;
  WB_RETURN_IF_ERROR(Infer(graph, node, outputs, contents));
  if (node.schema != nullptr) WB_RETURN_IF_ERROR(CheckOutputTypes(node, outputs));
  return Store(graph, node, std::move(outputs), std::move(contents));
}

Status Driver::Run(Graph& graph) {
  for (const NodeId id : graph.order()) WB_RETURN_IF_ERROR(RunNode(graph, id));
  return Status::Ok();
}

Status Driver::RunBody(const Graph& outer, Graph& body, const std::vector<ValueType>& inputs) {
  if (body.inputs.size() != inputs.size()) {
    return Error(Code::kInvalidGraph, "body '{}' has {} inputs, but gets {} values", body.name,
                 body.inputs.size(), inputs.size());
  }
  for (const Capture& capture : body.captures) {
    const Value& from = outer.value(capture.outer);
    Value& to = body.value(capture.inner);
    to.type = from.type;
    to.contents = from.contents;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value& input = body.value(body.inputs[i]);
    ValueType type = inputs[i];
    if (input.declared) {
      if (Contradicts(type, *input.declared)) {
        return Error(Code::kInvalidGraph,
                     "input {} ('{}') of body '{}' gets type {}, but is declared as {}", i,
                     input.name, body.name, type.TypeString(), input.declared->TypeString());
      }
      FillFromDeclared(type, *input.declared, false);
    }
    input.type = std::move(type);
  }
  WB_RETURN_IF_ERROR(Run(body), "body '{}'", body.name);
  return Status::Ok();
}

Status InferModel(Model& model) {
  Graph& main = model.main;
  WB_RETURN_IF_ERROR(Driver().Run(main));
  // What users are told of outputs; at the end, so that nothing is concluded from it.
  for (const ValueId id : main.outputs) {
    Value& value = main.value(id);
    if (value.declared && value.producer != kNoNode) {
      FillFromDeclared(value.type, *value.declared, true);
    }
  }
  return Status::Ok();
}

Status InferGraph(Graph& graph) { return Driver().Run(graph); }
Status InferNode(Graph& graph, NodeId id) { return Driver().RunNode(graph, id); }

}  // namespace waybill::graph::infer
