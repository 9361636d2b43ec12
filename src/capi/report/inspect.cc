#include "capi/report/inspect.h"

#include <map>
#include <set>

#include "base/json/json_writer.h"
#include "onnx/model/model_file.h"
#include "tensor/dtype/dtype.h"

namespace waybill::capi {
namespace {

std::string_view TypeName(int32_t data_type) {
  return IsKnownDType(data_type) ? DTypeName(static_cast<DType>(data_type)) : "undefined";
}

// "tensor(float)", "seq(tensor(int64))", ...
std::string TypeText(const onnx::TypeView& type) {
  using Kind = onnx::TypeView::Kind;
  const std::string inner = type.element != nullptr ? TypeText(*type.element) : "?";
  switch (type.kind) {
    case Kind::kTensor:
      return Format("tensor({})", TypeName(type.elem_type));
    case Kind::kSparseTensor:
      return Format("sparse_tensor({})", TypeName(type.elem_type));
    case Kind::kSequence:
      return Format("seq({})", inner);
    case Kind::kOptional:
      return Format("optional({})", inner);
    case Kind::kMap:
      return Format("map({},{})", TypeName(type.key_type), inner);
    case Kind::kOpaque:
      return "opaque";
    case Kind::kNone:
      break;
  }
  return "unknown";
}

// The dimensions as numbers, names or null; null as a whole for an unknown rank.
void WriteShape(JsonWriter& json, const onnx::TypeView& type) {
  json.Key("shape");
  if (!type.has_shape) {
    json.Null();
    return;
  }
  json.BeginArray();
  for (const onnx::DimView& dim : type.dims) {
    if (dim.kind == onnx::DimView::Kind::kValue && dim.value >= 0) {
      json.Value(dim.value);
    } else if (dim.kind == onnx::DimView::Kind::kParam) {
      json.Value(dim.param);
    } else {
      json.Null();
    }
  }
  json.EndArray();
}

void WriteValues(JsonWriter& json, std::string_view key,
                 const std::vector<onnx::ValueInfoView>& values,
                 const std::set<std::string_view>& leave_out) {
  json.Key(key).BeginArray();
  for (const onnx::ValueInfoView& value : values) {
    if (leave_out.count(value.name) != 0) continue;
    json.BeginObject().Field("name", value.name).Field("type", TypeText(value.type));
    if (value.type.kind == onnx::TypeView::Kind::kTensor ||
        value.type.kind == onnx::TypeView::Kind::kSparseTensor) {
      WriteShape(json, value.type);
    }
    json.EndObject();
  }
  json.EndArray();
}

// Sums over the main graph, all subgraphs and the bodies of functions.
struct Totals {
  std::map<std::pair<std::string_view, std::string_view>, size_t> operators;
  size_t nodes = 0, subgraphs = 0;
  size_t initializers = 0, parameters = 0, bytes = 0, external = 0;
  std::map<std::string_view, std::pair<size_t, size_t>> by_type;  // elements, bytes

  void Add(const onnx::TensorProtoView& tensor) {
    ++initializers;
    const size_t stored = tensor.bytes;  // 0 for strings
    parameters += tensor.elems;
    bytes += stored;
    if (tensor.payload == onnx::TensorProtoView::Payload::kExternal) ++external;
    auto& [elems, type_bytes] = by_type[TypeName(tensor.data_type)];
    elems += tensor.elems;
    type_bytes += stored;
  }

  void Add(const std::vector<onnx::NodeView>& list) {
    for (const onnx::NodeView& node : list) {
      ++nodes;
      const std::string_view domain = node.domain == "ai.onnx" ? "" : node.domain;
      ++operators[{domain, node.op_type}];
      for (const onnx::AttributeView& attribute : node.attributes) {
        if (attribute.g != nullptr) AddSubgraph(*attribute.g);
        for (const onnx::GraphView& graph : attribute.graphs()) AddSubgraph(graph);
        if (node.op_type == "Constant" && attribute.t != nullptr) Add(*attribute.t);
      }
    }
  }

  void AddSubgraph(const onnx::GraphView& graph) {
    ++subgraphs;
    Add(graph);
  }

  void Add(const onnx::GraphView& graph) {
    for (const onnx::TensorProtoView& tensor : graph.initializers) Add(tensor);
    for (const onnx::SparseTensorView& sparse : graph.sparse_initializers) Add(sparse.values);
    Add(graph.nodes);
  }
};

void WriteTotals(JsonWriter& json, const Totals& totals) {
  json.Field("nodes", totals.nodes).Field("subgraphs", totals.subgraphs);
  json.Key("operators").BeginArray();
  for (const auto& [name, count] : totals.operators) {
    json.BeginObject()
        .Field("domain", name.first)
        .Field("op_type", name.second)
        .Field("count", count)
        .EndObject();
  }
  json.EndArray();
  json.Key("parameters").BeginObject();
  json.Field("tensors", totals.initializers)
      .Field("elements", totals.parameters)
      .Field("bytes", totals.bytes)
      .Field("external_tensors", totals.external);
  json.Key("by_type").BeginArray();
  for (const auto& [type, sums] : totals.by_type) {
    json.BeginObject()
        .Field("type", type)
        .Field("elements", sums.first)
        .Field("bytes", sums.second)
        .EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

Result<std::string> InspectJson(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const onnx::ModelFile> file,
                      onnx::ModelFile::Open(path));
  const onnx::ModelView& model = file->view();
  Totals totals;
  totals.Add(model.graph);
  for (const onnx::FunctionView& function : model.functions) totals.Add(function.nodes);
  std::set<std::string_view> initialized;
  for (const auto& tensor : model.graph.initializers) initialized.insert(tensor.name);

  JsonWriter json;
  json.BeginObject();
  json.Field("path", path)
      .Field("file_bytes", file->bytes().size())
      .Field("ir_version", model.ir_version)
      .Field("producer", model.producer_name)
      .Field("producer_version", model.producer_version)
      .Field("domain", model.domain)
      .Field("graph", model.graph.name)
      .Field("functions", model.functions.size());
  if (model.model_version) json.Field("model_version", *model.model_version);
  json.Key("opsets").BeginArray();
  for (const onnx::OpsetImport& opset : model.opset_imports) {
    json.BeginObject().Field("domain", opset.domain).Field("version", opset.version).EndObject();
  }
  json.EndArray();
  WriteValues(json, "inputs", model.graph.inputs, initialized);
  WriteValues(json, "outputs", model.graph.outputs, {});
  WriteTotals(json, totals);
  json.Key("metadata").BeginObject();
  for (const onnx::StringEntry& entry : model.metadata_props) json.Field(entry.key, entry.value);
  json.EndObject().EndObject();
  return json.Take();
}

}  // namespace waybill::capi
