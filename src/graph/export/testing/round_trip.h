// For GoogleTest: models written and read, which must succeed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "graph/export/testing/model_text.h"

namespace waybill::graph {

inline std::string Written(const Model& model) {
  Result<std::string> bytes = ExportBytes(model);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? std::move(bytes).value() : std::string();
}

inline Model Load(const std::string& bytes) {
  Result<Model> model = LoadBytes(bytes);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? std::move(model).value() : Model();
}

}  // namespace waybill::graph
