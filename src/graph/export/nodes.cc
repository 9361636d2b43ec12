#include "graph/export/nodes.h"

#include <variant>

#include "graph/export/types.h"

namespace waybill::graph::exporting {

namespace {

// By the order of AttributeValue's members.
constexpr onnx::AttributeType kAttributeTypes[] = {
    onnx::kAttrInt,        onnx::kAttrFloat,        onnx::kAttrString,       onnx::kAttrTensor,
    onnx::kAttrGraph,      onnx::kAttrTypeProto,    onnx::kAttrSparseTensor, onnx::kAttrInts,
    onnx::kAttrFloats,     onnx::kAttrStrings,      onnx::kAttrTensors,      onnx::kAttrGraphs,
    onnx::kAttrTypeProtos, onnx::kAttrSparseTensors};
static_assert(std::size(kAttributeTypes) == std::variant_size_v<AttributeValue>);

template <typename... Fns>
struct Overloaded : Fns... {
  using Fns::operator()...;
};
template <typename... Fns>
Overloaded(Fns...) -> Overloaded<Fns...>;

onnx::TypeWriter TypeOrNone(const ValueType& type) {
  return ExportType(type).value_or(onnx::TypeWriter());
}

// What is written of a value that a body computes: what was declared, else no shape. A branch that
// is never taken may hold what does not fit, of which other readers conclude other shapes.
ValueType TypeInBody(const Value& value) {
  if (value.declared) return *value.declared;
  ValueType type = value.type;
  type.shape = SymShape();
  return type;
}

template <typename Out, typename In, typename Fn>
std::vector<Out> Mapped(const std::vector<In>& list, Fn fn) {
  std::vector<Out> out;
  out.reserve(list.size());
  for (const In& item : list) out.push_back(fn(item));
  return out;
}

void DropTrailingEmpty(std::vector<std::string>& names) {
  while (!names.empty() && names.back().empty()) names.pop_back();
}

// Names of the present ones of `ids`, by place; "" where one is omitted.
std::vector<std::string> Places(const std::vector<ValueId>& ids, char prefix) {
  std::vector<std::string> out;
  for (size_t i = 0; i < ids.size(); ++i) {
    out.push_back(ids[i] == kNoValue ? std::string() : prefix + std::to_string(i));
  }
  DropTrailingEmpty(out);
  return out;
}

std::vector<std::string> WithoutEmpty(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (!name.empty()) out.push_back(name);
  }
  return out;
}

}  // namespace

void NodeExporter::AddAttribute(const Attribute& attribute, onnx::NodeWriter& out) {
  const std::string& name = attribute.name;
  const auto tensor = [](const Tensor& item) { return ExportTensor({}, item); };
  const auto body = [&](const GraphPtr& item) { return Body(*item); };
  std::visit(Overloaded{
                 [&](int64_t v) { out.Int(name, v); },
                 [&](float v) { out.Float(name, v); },
                 [&](const std::string& v) { out.String(name, v); },
                 [&](const Tensor& v) { out.Tensor(name, tensor(v)); },
                 [&](const GraphPtr& v) { out.Graph(name, body(v)); },
                 [&](const ValueType& v) { out.Type(name, TypeOrNone(v)); },
                 [&](const SparseValue& v) { out.SparseTensor(name, ExportSparse(v)); },
                 [&](const std::vector<int64_t>& v) { out.Ints(name, v); },
                 [&](const std::vector<float>& v) { out.Floats(name, v); },
                 [&](const std::vector<std::string>& v) { out.Strings(name, v); },
                 [&](const std::vector<Tensor>& v) {
                   out.Tensors(name, Mapped<onnx::TensorWriter>(v, tensor));
                 },
                 [&](const std::vector<GraphPtr>& v) {
                   out.Graphs(name, Mapped<onnx::GraphWriter>(v, body));
                 },
                 [&](const std::vector<ValueType>& v) {
                   out.Types(name, Mapped<onnx::TypeWriter>(v, TypeOrNone));
                 },
                 [&](const std::vector<SparseValue>& v) {
                   out.SparseTensors(name, Mapped<onnx::SparseTensorWriter>(v, ExportSparse));
                 },
             },
             attribute.value);
}

// A function whose body is the node alone, with the import that the node needs; the call gives it
// the inputs that are not omitted, and all attributes.
std::string NodeExporter::FunctionFor(const Node& node, int version) {
  const std::vector<std::string> inputs = Places(node.inputs, 'i');
  const std::vector<std::string> outputs = Places(node.outputs, 'o');
  std::string look =
      Format("{}:{}-{}({})->({})", node.domain, node.op_type, version, inputs, outputs);
  for (const Attribute& attribute : node.attrs.all()) {
    look += Format(" {}:{}", attribute.name, attribute.value.index());
  }
  const auto [it, fresh] = function_names_.emplace(look, std::string());
  if (!fresh) return it->second;
  it->second = Format("{}_{}_{}", node.op_type, version, functions_.size());
  onnx::FunctionWriter function(kFunctionDomain, it->second, WithoutEmpty(inputs),
                                WithoutEmpty(outputs));
  function.Opset(node.domain, version);
  for (const Attribute& attribute : node.attrs.all()) function.Attribute(attribute.name);
  onnx::NodeWriter& inner = function.Node(node.op_type, inputs, outputs);
  if (!node.domain.empty()) inner.Domain(node.domain);
  for (const Attribute& attribute : node.attrs.all()) {
    inner.Ref(attribute.name, attribute.name, kAttributeTypes[attribute.value.index()]);
  }
  functions_.push_back(std::move(function));
  return it->second;
}

void NodeExporter::AddNode(const Graph& graph, const Node& node, onnx::GraphWriter& out) {
  std::vector<std::string> inputs, outputs;
  for (const ValueId id : node.inputs) inputs.push_back(names_.Of(graph, id));
  for (const ValueId id : node.outputs) outputs.push_back(names_.Of(graph, id));
  std::string op = node.op_type, domain = node.domain;
  if (Suits(graph, node, imports_.at(node.domain))) {
    DropTrailingEmpty(inputs);
    DropTrailingEmpty(outputs);
  } else {
    // The version the node was read under, or, for one that import made, that of its schema.
    const bool as_read = Suits(graph, node, node.opset);
    op = FunctionFor(node, as_read ? node.opset : node.since_version);
    domain = kFunctionDomain;
    inputs = WithoutEmpty(inputs);
    outputs = WithoutEmpty(outputs);
  }
  onnx::NodeWriter& writer = out.Node(op, inputs, outputs);
  if (!node.name.empty()) writer.Name(node.name);
  if (!domain.empty()) writer.Domain(domain);
  for (const Attribute& attribute : node.attrs.all()) AddAttribute(attribute, writer);
}

void NodeExporter::AddNodes(const Graph& graph, bool is_body, onnx::GraphWriter& out) {
  std::vector<bool> is_output(graph.num_values(), false);
  for (const ValueId id : graph.outputs) is_output[id] = true;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    AddNode(graph, node, out);
    for (const ValueId output : node.outputs) {
      if (output == kNoValue || is_output[output]) continue;
      const Value& value = graph.value(output);
      const auto type = ExportType(is_body ? TypeInBody(value) : value.type);
      if (type) out.ValueInfo(names_.Of(graph, output), *type);
    }
  }
}

onnx::GraphWriter NodeExporter::Body(const Graph& body) {
  onnx::GraphWriter out(body.name.empty() ? std::string_view("body") : body.name);
  for (const ValueId id : body.inputs) {
    const auto type = ExportType(body.value(id).type);
    type ? out.Input(names_.Of(body, id), *type) : out.Input(names_.Of(body, id));
  }
  for (const ValueId id : names_.body_initializers(body)) {
    const Constant& constant = body.value(id).constant;
    out.Initializer(ExportConstant(names_.Of(body, id), constant));
  }
  for (const InputDefault& given : body.defaults) {
    out.Initializer(ExportConstant(names_.Of(body, given.input), given.value));
  }
  AddNodes(body, true, out);
  for (const Names::Passed& passed : names_.passed(body)) {
    out.Node("Identity", {names_.Of(body, passed.from)}, {passed.name});
  }
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    const auto type = ExportType(TypeInBody(body.value(body.outputs[i])));
    const std::string& name = names_.outputs(body)[i];
    type ? out.Output(name, *type) : out.Output(name);
  }
  return out;
}

}  // namespace waybill::graph::exporting
