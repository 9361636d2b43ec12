#include "tests/models/model_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file/file_bytes.h"
#include "session/io/pb_value.h"

namespace waybill::testing {

namespace fs = std::filesystem;

std::vector<ModelCase> FindModelCases(const std::string& root) {
  std::vector<ModelCase> cases;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    ModelCase model;
    model.name = entry.path().filename().string();
    model.folder = entry.path().string();
    std::ifstream file(entry.path() / "case.json");
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_object() && json.contains("reference_noise")) {
      for (const auto& [output, noise] : json["reference_noise"].items()) {
        if (noise.contains("maxabs") && noise["maxabs"].is_number()) {
          model.noise[output] = noise["maxabs"].get<double>();
        }
      }
    }
    cases.push_back(std::move(model));
  }
  std::sort(cases.begin(), cases.end(),
            [](const ModelCase& a, const ModelCase& b) { return a.name < b.name; });
  return cases;
}

Result<std::vector<Value>> ReadValues(const ModelCase& model, const std::string& stem,
                                      const std::vector<session::IoInfo>& infos) {
  std::vector<Value> values;
  for (size_t i = 0; i < infos.size(); ++i) {
    const std::string path = Format("{}/test_data_set_0/{}_{}.pb", model.folder, stem, i);
    if (!fs::exists(path)) break;
    WB_ASSIGN_OR_RETURN(const FileBytes file, FileBytes::Open(path));
    WB_ASSIGN_OR_RETURN(Value value, ValueFromPb(file.bytes(), infos[i].type), "{}", path);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace waybill::testing
