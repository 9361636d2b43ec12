// For tests: from the bytes of a model to the inferred IR.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "graph/import/import.h"
#include "graph/infer/infer.h"
#include "memory/source/system_source.h"
#include "onnx/model/model_file.h"
#include "onnx/model/writer/model_writer.h"

namespace waybill::graph {

inline Result<Model> ImportBytes(const std::string& bytes, ImportOptions options = {}) {
  if (!options.source) options.source = std::make_shared<SystemSource>();
  WB_ASSIGN_OR_RETURN(
      auto file, onnx::ModelFile::FromCopy(std::as_bytes(std::span(bytes.data(), bytes.size()))));
  return ImportModel(file, options);
}

// Imported and inferred.
inline Result<Model> LoadBytes(const std::string& bytes) {
  WB_ASSIGN_OR_RETURN(Model model, ImportBytes(bytes));
  WB_RETURN_IF_ERROR(infer::InferModel(model));
  return model;
}

// The value with this name in the graph; fails loudly by being kNoValue.
inline ValueId FindValue(const Graph& graph, std::string_view name) {
  for (ValueId id = 0; id < graph.num_values(); ++id) {
    if (graph.value(id).name == name) return id;
  }
  return kNoValue;
}

}  // namespace waybill::graph
