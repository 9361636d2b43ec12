#include "session/load/save.h"

#include <filesystem>
#include <optional>

#include "base/file/new_file.h"
#include "graph/export/export.h"
#include "onnx/external/location.h"

namespace waybill::session {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExternalKey = "session.optimized_model_external_initializers_file_name";

graph::ByteSink SinkOf(NewFile& file) {
  return [&file](std::span<const std::byte> bytes) { return file.Write(bytes); };
}

// The file for initializers, in the folder of the model.
std::string ExternalPath(const std::string& model_path, const std::string& name) {
  return model_path.substr(0, model_path.rfind('/') + 1) + name;
}

Status Save(const graph::Model& model, const std::string& path, const Config& config) {
  WB_ASSIGN_OR_RETURN(NewFile file, NewFile::Create(path));
  graph::ExportOptions wanted;
  wanted.model = SinkOf(file);
  std::optional<NewFile> external;
  if (!config.optimized_external_file.empty()) {
    const std::string external_path = ExternalPath(path, config.optimized_external_file);
    WB_RETURN_IF_ERROR(onnx::CheckLocationText(config.optimized_external_file), "{}", kExternalKey);
    if (fs::path(external_path).lexically_normal() == fs::path(path).lexically_normal()) {
      return Error(Code::kInvalidArgument, "{} names the model's own file", kExternalKey);
    }
    WB_ASSIGN_OR_RETURN(NewFile beside, NewFile::Create(external_path));
    external.emplace(std::move(beside));
    wanted.external = SinkOf(*external);
    wanted.external_location = config.optimized_external_file;
    wanted.external_min_bytes = static_cast<size_t>(config.optimized_external_min_bytes);
  }
  WB_RETURN_IF_ERROR(graph::ExportModel(model, wanted));
  // First what the model refers to.
  if (external) WB_RETURN_IF_ERROR(external->Commit());
  return file.Commit();
}

}  // namespace

Status SaveOptimized(const graph::Model& model, const SessionOptions& options, const Config& config,
                     std::vector<std::string>& warnings) {
  const std::string& path = options.optimized_model_path;
  if (path.empty()) {
    if (!config.optimized_external_file.empty()) {
      warnings.push_back(
          Format("session config entry {} has no effect without a path for the "
                 "optimised model",
                 kExternalKey));
    }
    return Status::Ok();
  }
  WB_RETURN_IF_ERROR(Save(model, path, config), "saving the optimised model to {}", path);
  if (graph::HasInternalNodes(model.main)) {
    warnings.push_back(
        Format("the optimised model {} has operators of domain '{}', which only "
               "this library runs",
               path, graph::kInternalDomain));
  }
  return Status::Ok();
}

}  // namespace waybill::session
