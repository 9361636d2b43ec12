#include "graph/import/import.h"

#include "graph/import/state.h"

namespace waybill::graph {

namespace {

void CopyMetadata(const onnx::ModelView& view, Model& model) {
  model.ir_version = view.ir_version;
  model.producer_name = std::string(view.producer_name);
  model.producer_version = std::string(view.producer_version);
  model.domain = std::string(view.domain);
  model.doc_string = std::string(view.doc_string);
  model.graph_doc_string = std::string(view.graph.doc_string);
  model.model_version = view.model_version;
  for (const onnx::StringEntry& entry : view.metadata_props) {
    model.metadata.emplace_back(std::string(entry.key), std::string(entry.value));
  }
}

Status CheckReplacements(const onnx::GraphView& graph, const ImportOptions& options) {
  if (options.initializers.empty()) return Status::Ok();
  std::map<std::string_view, bool> known;
  for (const auto& tensor : graph.initializers) known.emplace(tensor.name, true);
  for (const auto& sparse : graph.sparse_initializers) known.emplace(sparse.values.name, true);
  for (const auto& entry : options.initializers) {
    if (known.count(entry.first) == 0) {
      return Error(Code::kInvalidArgument, "the model has no initializer '{}' to replace",
                   entry.first);
    }
  }
  return Status::Ok();
}

}  // namespace

Result<Model> ImportModel(std::shared_ptr<const onnx::ModelFile> file,
                          const ImportOptions& options) {
  using namespace importing;  // NOLINT
  const onnx::ModelView& view = file->view();
  Model model;
  CopyMetadata(view, model);
  ImportState state{view, options, TensorImporter(file, options), model, {}, {}, {}, 0, {}, {}};
  WB_RETURN_IF_ERROR(CheckIrVersion(view.ir_version, model.warnings));
  WB_RETURN_IF_ERROR(
      ReadOpsets(view.opset_imports, options.released_opsets_only, state.opsets, model.warnings));
  WB_RETURN_IF_ERROR(CheckReplacements(view.graph, options));
  WB_RETURN_IF_ERROR(CollectFunctions(state));
  Scope scope;
  scope.graph = &model.main;
  WB_RETURN_IF_ERROR(BuildGraph(state, scope, view.graph), "graph '{}'", view.graph.name);
  for (const auto& [domain, version] : state.opsets) model.opset_imports[domain] = version;
  return model;
}

}  // namespace waybill::graph
