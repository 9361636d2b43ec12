#include "onnx/model/model_view.h"

namespace waybill::onnx {
namespace {

constexpr const char* kEntry = "StringStringEntryProto";

Status ReadTrainingInfo(Cursor& in, TrainingInfoView& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Message("initialization", "GraphProto", ReadGraph, out.initialization);
        break;
      case 2:
        in.Message("algorithm", "GraphProto", ReadGraph, out.algorithm);
        break;
      case 3:
        in.Message("initialization_binding", kEntry, ReadStringEntry,
                   out.initialization_bindings.emplace_back());
        break;
      case 4:
        in.Message("update_binding", kEntry, ReadStringEntry, out.update_bindings.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status ReadModelFields(Cursor& in, ModelView& out, bool& has_graph) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int("ir_version", out.ir_version);
        break;
      case 2:
        in.String("producer_name", out.producer_name);
        break;
      case 3:
        in.String("producer_version", out.producer_version);
        break;
      case 4:
        in.String("domain", out.domain);
        break;
      case 5:
        in.Int("model_version", out.model_version.emplace());
        break;
      case 6:
        in.String("doc_string", out.doc_string);
        break;
      case 7:
        in.Message("graph", "GraphProto", ReadGraph, out.graph);
        has_graph = true;
        break;
      case 8:
        in.Message("opset_import", "OperatorSetIdProto", ReadOpsetImport,
                   out.opset_imports.emplace_back());
        break;
      case 14:
        in.Message("metadata_props", kEntry, ReadStringEntry, out.metadata_props.emplace_back());
        break;
      case 20:
        in.Message("training_info", "TrainingInfoProto", ReadTrainingInfo,
                   out.training_infos.emplace_back());
        break;
      case 25:
        in.Message("functions", "FunctionProto", ReadFunction, out.functions.emplace_back());
        break;
      case 26:
        in.Message("configuration", "DeviceConfigurationProto", ReadDeviceConfiguration,
                   out.configurations.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

}  // namespace

Result<ModelView> ReadModel(std::span<const std::byte> bytes) {
  ModelView out;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Cursor::Shared shared(text);
  Cursor cursor(text, "ModelProto", shared);
  bool has_graph = false;
  WB_RETURN_IF_ERROR(ReadModelFields(cursor, out, has_graph));
  if (!has_graph) {
    return Error(Code::kInvalidProtobuf, "these {} bytes are no ONNX model: they hold no graph",
                 bytes.size());
  }
  return out;
}

}  // namespace waybill::onnx
