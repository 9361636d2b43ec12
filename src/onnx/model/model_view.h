// ModelView: the root of a model in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "onnx/model/graph_view.h"

namespace waybill::onnx {

struct TrainingInfoView {
  GraphView initialization;
  GraphView algorithm;
  std::vector<StringEntry> initialization_bindings;
  std::vector<StringEntry> update_bindings;
};

struct ModelView {
  int64_t ir_version = 0;  // 0: the file does not say
  std::string_view producer_name;
  std::string_view producer_version;
  std::string_view domain;
  std::optional<int64_t> model_version;
  std::string_view doc_string;
  GraphView graph;
  std::vector<OpsetImport> opset_imports;
  std::vector<StringEntry> metadata_props;
  std::vector<TrainingInfoView> training_infos;
  std::vector<FunctionView> functions;
  std::vector<DeviceConfigurationView> configurations;
};

// Reads a serialized ModelProto. The view borrows `bytes`; payloads are neither copied nor decoded.
// Errors: kInvalidProtobuf where the bytes are no well-formed message (message, field and offset
// are named), kInvalidGraph where a message contradicts itself.
Result<ModelView> ReadModel(std::span<const std::byte> bytes);

}  // namespace waybill::onnx
