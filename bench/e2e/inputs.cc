#include "bench/e2e/inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/file/file_bytes.h"
#include "base/text/format.h"
#include "bench/e2e/library.h"
#include "session/io/pb_value.h"

namespace waybill::bench {

namespace fs = std::filesystem;

std::vector<ModelFolder> FindModels(const std::string& root,
                                    const std::vector<std::string>& wanted) {
  std::vector<ModelFolder> models;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    const std::string name = entry.path().filename().string();
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    models.push_back({name, entry.path().string()});
  }
  for (const std::string& name : wanted) {
    if (std::none_of(models.begin(), models.end(), [&](const auto& m) { return m.name == name; })) {
      throw BenchError(Format("there is no model {} below {}", name, root));
    }
  }
  std::sort(models.begin(), models.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return models;
}

std::vector<Tensor> ReadInputs(const ModelFolder& model, size_t num_inputs) {
  std::vector<Tensor> inputs(num_inputs);
  for (size_t i = 0; i < num_inputs; ++i) {
    const std::string path = Format("{}/test_data_set_0/input_{}.pb", model.path, i);
    if (!fs::exists(path)) continue;
    const Result<FileBytes> file = FileBytes::Open(path);
    if (!file.ok()) throw BenchError(file.status().ToString());
    const Result<Value> value = ValueFromPb(file->bytes(), ValueType());
    if (!value.ok()) throw BenchError(path + ": " + value.status().ToString());
    if (value->tensor() == nullptr) throw BenchError(path + " is no tensor");
    inputs[i] = *value->tensor();
  }
  return inputs;
}

}  // namespace waybill::bench
