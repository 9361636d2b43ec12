#include "graph/export/export.h"

#include <algorithm>
#include <limits>

#include "graph/export/initializers.h"
#include "graph/export/names.h"
#include "graph/export/nodes.h"
#include "graph/export/opsets.h"
#include "graph/export/types.h"
#include "graph/export/walk.h"

namespace waybill::graph {

namespace {

using namespace exporting;  // NOLINT

constexpr int64_t kInitializersWithoutInputs = 4;  // IR versions that have these
constexpr int64_t kFunctions = 8;
// protobuf holds no message of 2 GiB.
constexpr uint64_t kMaxFileBytes = std::numeric_limits<int32_t>::max();

// A field of ModelProto: of text, where there is some.
void Text(onnx::Encoder& out, uint32_t field, const std::string& text) {
  if (!text.empty()) out.Bytes(field, text);
}

void Opset(onnx::Encoder& out, std::string_view domain, int version) {
  onnx::Encoder opset;
  opset.Bytes(1, domain);
  opset.Int(2, version);
  out.Bytes(8, opset.bytes());
}

// Everything of the ModelProto but the graph.
std::string ModelFields(const Model& model, const OpsetImports& imports,
                        const std::vector<onnx::FunctionWriter>& functions) {
  onnx::Encoder out;
  out.Int(1,
          std::max(model.ir_version, functions.empty() ? kInitializersWithoutInputs : kFunctions));
  for (const auto& [domain, version] : imports) Opset(out, domain, version);
  if (!functions.empty()) Opset(out, kFunctionDomain, 1);
  Text(out, 2, model.producer_name);
  Text(out, 3, model.producer_version);
  Text(out, 4, model.domain);
  if (model.model_version) out.Int(5, *model.model_version);
  Text(out, 6, model.doc_string);
  for (const auto& [key, value] : model.metadata) {
    out.Bytes(14, onnx::StringEntryBytes(key, value));
  }
  for (const onnx::FunctionWriter& function : functions) out.Bytes(25, function.bytes());
  return std::move(out).bytes();
}

// The main graph without its initializers.
Result<std::string> MainFields(const Model& model, const Names& names, NodeExporter& nodes) {
  const Graph& main = model.main;
  onnx::GraphWriter out(main.name.empty() ? std::string_view("graph") : main.name);
  if (!model.graph_doc_string.empty()) out.DocString(model.graph_doc_string);
  for (const ValueId id : main.inputs) {
    const auto type = ExportType(main.value(id).type);
    if (!type) {
      return Error(Code::kInvalidArgument, "input '{}' has the type {}, which can not be written",
                   names.Of(main, id), main.value(id).type.TypeString());
    }
    out.Input(names.Of(main, id), *type);
  }
  nodes.AddNodes(main, false, out);
  for (const ValueId id : main.outputs) {
    const auto type = ExportType(main.value(id).type);
    type ? out.Output(names.Of(main, id), *type) : out.Output(names.Of(main, id));
  }
  return out.bytes();
}

}  // namespace

bool HasInternalNodes(const Graph& graph) {
  bool found = false;
  ForEachNode(graph, [&](const Graph&, const Node& node) {
    found = found || node.domain == kInternalDomain;
  });
  return found;
}

Status ExportModel(const Model& model, const ExportOptions& options) {
  const Names names(model.main);
  const OpsetImports imports = ChooseImports(model);
  NodeExporter nodes(names, imports);
  WB_ASSIGN_OR_RETURN(const std::string graph, MainFields(model, names, nodes));
  InitializerFields initializers(options);
  for (const Initializer& item : names.initializers()) {
    WB_RETURN_IF_ERROR(initializers.Add(item.name, *item.constant));
  }
  for (const InputDefault& given : model.main.defaults) {
    WB_RETURN_IF_ERROR(initializers.Add(names.Of(model.main, given.input), given.value));
  }
  onnx::Encoder head;
  head.RawBytes(ModelFields(model, imports, nodes.functions()));
  const uint64_t graph_bytes = graph.size() + initializers.size();
  if (graph_bytes + head.bytes().size() + 16 > kMaxFileBytes) {
    return Error(
        Code::kInvalidArgument,
        "the model takes {} bytes, more than one ONNX file may hold: large initializers need "
        "a file of their own",
        graph_bytes);
  }
  head.Tag(7, onnx::WireType::kLength);
  head.RawVarint(graph_bytes);
  head.RawBytes(graph);
  WB_RETURN_IF_ERROR(options.model(std::as_bytes(std::span(head.bytes()))));
  return initializers.Write(options.model);
}

}  // namespace waybill::graph
