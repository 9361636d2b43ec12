#include <algorithm>
#include <unordered_map>

#include "graph/import/state.h"
#include "graph/ir/order.h"

namespace waybill::graph::importing {

namespace {

// An initializer of the view: dense or sparse.
struct InitializerView {
  const onnx::TensorProtoView* dense = nullptr;
  const onnx::SparseTensorView* sparse = nullptr;
};
using InitializerMap = std::unordered_map<std::string_view, InitializerView>;

// Later initializers of a name replace earlier ones.
InitializerMap CollectInitializers(ImportState& state, const onnx::GraphView& view) {
  InitializerMap out;
  const auto add = [&](std::string_view name, InitializerView initializer) {
    if (!out.insert_or_assign(name, initializer).second) {
      state.WarnOnce(Format("initializer '{}' is defined twice; the last one counts", name));
    }
  };
  for (const auto& tensor : view.initializers) add(tensor.name, {&tensor, nullptr});
  for (const auto& sparse : view.sparse_initializers) add(sparse.values.name, {nullptr, &sparse});
  return out;
}

Result<Tensor> ReadInitializer(ImportState& state, const Scope& scope, std::string_view name,
                               const InitializerView& view) {
  if (scope.parent == nullptr && scope.frame == nullptr) {
    const auto given = state.options.initializers.find(name);
    if (given != state.options.initializers.end()) {
      const std::vector<int64_t>& dims = view.dense ? view.dense->dims : view.sparse->dims;
      const int32_t type = view.dense ? view.dense->data_type : view.sparse->values.data_type;
      const Shape shape{std::span<const int64_t>(dims)};
      if (given->second.dtype() != static_cast<DType>(type) || given->second.shape() != shape) {
        return Error(Code::kInvalidArgument, "initializer '{}' is {} {}, not {}", name,
                     DTypeName(static_cast<DType>(type)), shape, given->second.view().Describe());
      }
      return given->second;
    }
  }
  return view.dense ? state.tensors.Import(*view.dense) : state.tensors.Densify(*view.sparse);
}

Status AddInitializer(ImportState& state, Scope& scope, std::string_view name,
                      const InitializerView& view, const onnx::ValueInfoView* as_input) {
  WB_ASSIGN_OR_RETURN(Tensor tensor, ReadInitializer(state, scope, name, view), "initializer '{}'",
                      name);
  const ValueType type = ValueType::Tensor(tensor.dtype(), SymShape(tensor.shape()));
  if (as_input != nullptr) {
    const ValueType declared = ImportType(as_input->type);
    if (declared.kind != ValueKind::kUnknown && !declared.SameTypeAs(type)) {
      return Error(Code::kInvalidGraph, "initializer '{}' is {}, but is declared as {}", name,
                   type.TypeString(), declared.TypeString());
    }
  }
  const ValueId id = scope.graph->AddValue({std::string(name), type});
  scope.names.emplace(name, Scope::Definition{id, Scope::kBeforeNodes});
  if (as_input != nullptr && state.view.ir_version >= 4) {
    scope.graph->inputs.push_back(id);
    scope.graph->defaults.push_back({id, Constant(std::move(tensor))});
  } else {
    scope.graph->value(id).constant = Constant(std::move(tensor));
  }
  return Status::Ok();
}

Status AddInput(Scope& scope, const onnx::ValueInfoView& view) {
  ValueType type = ImportType(view.type);
  if (scope.parent == nullptr && type.kind == ValueKind::kUnknown) {
    return Error(Code::kInvalidGraph, "input '{}' of the graph has no type", view.name);
  }
  Value value;
  value.name = scope.prefix + std::string(view.name);
  value.declared = std::make_shared<const ValueType>(type);
  value.type = std::move(type);
  const ValueId id = scope.graph->AddValue(std::move(value));
  scope.names.emplace(view.name, Scope::Definition{id, Scope::kBeforeNodes});
  scope.graph->inputs.push_back(id);
  return Status::Ok();
}

Status AddInputsAndInitializers(ImportState& state, Scope& scope, const onnx::GraphView& view) {
  const InitializerMap initializers = CollectInitializers(state, view);
  for (const onnx::ValueInfoView& input : view.inputs) {
    if (input.name.empty()) return Error(Code::kInvalidGraph, "an input of the graph has no name");
    if (scope.names.count(input.name) != 0) {
      return Error(Code::kInvalidGraph, "duplicate name: the graph has two inputs '{}'",
                   input.name);
    }
    const auto initializer = initializers.find(input.name);
    if (initializer == initializers.end()) {
      WB_RETURN_IF_ERROR(AddInput(scope, input));
    } else {
      WB_RETURN_IF_ERROR(AddInitializer(state, scope, input.name, initializer->second, &input));
    }
  }
  const auto add_rest = [&](std::string_view name) {
    if (scope.names.count(name) != 0) return Status::Ok();
    return AddInitializer(state, scope, name, initializers.at(name), nullptr);
  };
  for (const auto& tensor : view.initializers) WB_RETURN_IF_ERROR(add_rest(tensor.name));
  for (const auto& sparse : view.sparse_initializers) {
    WB_RETURN_IF_ERROR(add_rest(sparse.values.name));
  }
  return Status::Ok();
}

Status AddOutputs(ImportState& state, Scope& scope, const onnx::GraphView& view) {
  for (const onnx::ValueInfoView& output : view.outputs) {
    const bool here = scope.names.count(output.name) != 0;
    const std::optional<ValueId> id =
        output.name.empty() ? std::nullopt : scope.Resolve(output.name);
    if (!id || *id == kNoValue) {
      return Error(Code::kInvalidGraph, "output '{}' of the graph is not defined", output.name);
    }
    if (here) {
      scope.graph->outputs.push_back(*id);
      continue;
    }
    // A value of an enclosing graph, which a subgraph can return only through a node.
    const ValueId copy = scope.NewValue(output.name);
    AppendIdentity(state, *scope.graph, *id, copy);
    scope.graph->outputs.push_back(copy);
  }
  return Status::Ok();
}

// Gives every node output of the span its value.
Status DefineOutputs(Scope& scope, std::span<const onnx::NodeView> nodes,
                     const OutputBindings* bound) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string_view name : nodes[i].outputs) {
      if (name.empty()) continue;
      const auto [it, fresh] =
          scope.names.emplace(name, Scope::Definition{kNoValue, static_cast<int64_t>(i)});
      if (!fresh) {
        const bool by_node = it->second.node != Scope::kBeforeNodes;
        return Error(Code::kInvalidGraph, "duplicate name: output '{}' of {} is {} already", name,
                     DescribeNode(nodes[i]),
                     by_node
                         ? "defined by " + DescribeNode(nodes[static_cast<size_t>(it->second.node)])
                         : std::string("an input or initializer"));
      }
      const bool is_bound = bound != nullptr && bound->count(name) != 0;
      it->second.value = is_bound ? bound->at(name) : scope.NewValue(name);
    }
  }
  return Status::Ok();
}

Result<std::vector<ValueId>> ResolveInputs(Scope& scope, const onnx::NodeView& node) {
  std::vector<ValueId> out;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string_view name = node.inputs[i];
    if (name.empty()) {
      out.push_back(kNoValue);
      continue;
    }
    if (scope.IsAmbiguous(name)) {
      return Error(Code::kInvalidGraph,
                   "{}: input {} reads '{}', which a later node defines while it shadows a value "
                   "of an enclosing graph",
                   DescribeNode(node), i, name);
    }
    const std::optional<ValueId> value = scope.Resolve(name);
    if (!value) {
      return Error(Code::kInvalidGraph, "{}: input {} reads '{}', which nothing defines",
                   DescribeNode(node), i, name);
    }
    out.push_back(*value);
  }
  while (!out.empty() && out.back() == kNoValue) out.pop_back();
  return out;
}

std::vector<ValueId> OutputsOf(const Scope& scope, const onnx::NodeView& node) {
  std::vector<ValueId> out;
  for (const std::string_view name : node.outputs) {
    out.push_back(name.empty() ? kNoValue : scope.names.at(name).value);
  }
  return out;
}

// A node with a body has as many outputs as its body gives it: the file may leave out the last
// ones that nobody reads.
void PadOutputs(Node& node) {
  const GraphPtr body = node.attrs.Subgraph(node.Is("If") ? "then_branch" : "body");
  if (!node.domain.empty() || !body) return;
  const size_t skipped = node.Is("Loop") ? 1 : 0;  // the body's condition
  const size_t count = body->outputs.size() - std::min(body->outputs.size(), skipped);
  if (node.outputs.size() < count) node.outputs.resize(count, kNoValue);
}

Status BuildNode(ImportState& state, Scope& scope, const onnx::NodeView& view) {
  WB_ASSIGN_OR_RETURN(const Binding binding, Bind(state, scope, view));
  WB_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, ResolveInputs(scope, view));
  std::vector<ValueId> outputs = OutputsOf(scope, view);
  if (binding.function != nullptr) {
    return InlineCall(state, scope, view, *binding.function, inputs, outputs);
  }
  Node node;
  node.name = scope.prefix + std::string(view.name);
  node.domain = std::string(CanonicalDomain(view.domain));
  node.op_type = std::string(view.op_type);
  node.schema = binding.schema;
  node.since_version = binding.schema->since_version;
  node.opset = binding.opset;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  WB_RETURN_IF_ERROR(CheckArity(node));
  WB_ASSIGN_OR_RETURN(const std::vector<WrittenAttribute> written, WrittenAttributes(view, scope));
  if (node.Is("Constant")) {
    if (!node.HasOutput(0)) return Status::Ok();
    WB_ASSIGN_OR_RETURN(Tensor tensor, ImportConstant(state, written, node));
    Value& value = scope.graph->value(node.outputs[0]);
    value.type = ValueType::Tensor(tensor.dtype(), SymShape(tensor.shape()));
    value.constant = Constant(std::move(tensor));
    return Status::Ok();
  }
  WB_RETURN_IF_ERROR(ImportAttributes(state, scope, written, node));
  if (node.domain == kInternalDomain) WB_RETURN_IF_ERROR(CheckInternal(node));
  PadOutputs(node);
  scope.graph->AddNode(std::move(node));
  return Status::Ok();
}

}  // namespace

void AppendIdentity(ImportState& state, Graph& graph, ValueId from, ValueId to) {
  const auto own = state.opsets.find("");
  Node node;
  node.name = graph.value(to).name;
  node.op_type = "Identity";
  node.opset = own == state.opsets.end() ? schema::DefaultOpset("") : own->second;
  // Of the newest version, so that it passes on every type.
  node.schema = schema::Find("", "Identity", schema::NewestOpset(""));
  node.since_version = node.schema->since_version;
  node.inputs = {from};
  node.outputs = {to};
  node.origin = "import";
  graph.AddNode(std::move(node));
}

Status BuildNodes(ImportState& state, Scope& scope, std::span<const onnx::NodeView> nodes,
                  const OutputBindings* bound) {
  if (scope.repeated) {
    state.inlined_nodes += nodes.size();
    if (state.inlined_nodes > kMaxInlinedNodes) {
      return Error(Code::kInvalidGraph, "the model's functions expand to more than {} nodes",
                   kMaxInlinedNodes);
    }
  }
  WB_RETURN_IF_ERROR(DefineOutputs(scope, nodes, bound));
  for (size_t i = 0; i < nodes.size(); ++i) {
    scope.position = static_cast<int64_t>(i);
    WB_RETURN_IF_ERROR(BuildNode(state, scope, nodes[i]));
  }
  scope.position = static_cast<int64_t>(nodes.size());
  return Status::Ok();
}

Status BuildGraph(ImportState& state, Scope& scope, const onnx::GraphView& view) {
  if (scope.depth > kMaxNesting) {
    return Error(Code::kInvalidGraph, "graphs and functions are nested deeper than {}",
                 kMaxNesting);
  }
  scope.graph->name = std::string(view.name);
  for (const auto& info : view.value_infos) scope.declared.emplace(info.name, &info.type);
  for (const auto& info : view.outputs) scope.declared.emplace(info.name, &info.type);
  WB_RETURN_IF_ERROR(AddInputsAndInitializers(state, scope, view));
  WB_RETURN_IF_ERROR(BuildNodes(state, scope, view.nodes, nullptr));
  WB_RETURN_IF_ERROR(AddOutputs(state, scope, view));
  return SortNodes(*scope.graph);
}

Result<GraphPtr> BuildSubgraph(ImportState& state, Scope& parent, const onnx::GraphView& view) {
  auto graph = std::make_shared<Graph>();
  Scope scope;
  scope.graph = graph.get();
  scope.parent = &parent;
  scope.frame = parent.frame;
  scope.repeated = parent.repeated;
  scope.prefix = parent.prefix;
  scope.depth = parent.depth + 1;
  WB_RETURN_IF_ERROR(BuildGraph(state, scope, view), "subgraph '{}'", view.name);
  return graph;
}

}  // namespace waybill::graph::importing
