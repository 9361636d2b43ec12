#include "tests/support/interpreter/cases.h"

#include <algorithm>
#include <filesystem>

#include "base/file/file_bytes.h"
#include "session/io/pb_value.h"
#include "tests/support/interpreter/interpreter.h"

namespace waybill::test {

namespace fs = std::filesystem;

std::vector<std::string> FindCases(const std::string& path) {
  if (fs::exists(fs::path(path) / "model.onnx")) return {path};
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (fs::exists(entry.path() / "model.onnx")) out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> DataSets(const std::string& case_dir) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(case_dir)) {
    if (entry.path().filename().string().rfind("test_data_set_", 0) == 0) {
      out.push_back(entry.path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<std::vector<Value>> ReadValues(const std::string& data_set, const std::string& stem,
                                      const std::vector<ValueType>& types) {
  std::vector<Value> out;
  for (size_t i = 0;; ++i) {
    const fs::path path = fs::path(data_set) / Format("{}_{}.pb", stem, i);
    if (!fs::exists(path)) return out;
    WB_ASSIGN_OR_RETURN(const FileBytes file, FileBytes::Open(path.string()));
    const ValueType type = i < types.size() ? types[i] : ValueType();
    WB_ASSIGN_OR_RETURN(Value value, ValueFromPb(file.bytes(), type), "{}", path.string());
    out.push_back(std::move(value));
  }
}

std::vector<ValueType> InputTypes(const graph::Graph& graph) {
  std::vector<ValueType> out;
  for (const graph::ValueId id : graph.inputs) {
    const bool has_default =
        std::any_of(graph.defaults.begin(), graph.defaults.end(),
                    [id](const graph::InputDefault& item) { return item.input == id; });
    if (!has_default) out.push_back(graph.value(id).type);
  }
  return out;
}

std::vector<ValueType> OutputTypes(const graph::Graph& graph) {
  std::vector<ValueType> out;
  for (const graph::ValueId id : graph.outputs) out.push_back(graph.value(id).type);
  return out;
}

Status RunCase(const std::string& case_dir, const Tolerance& tolerance) {
  WB_ASSIGN_OR_RETURN(const auto interpreter, Interpreter::Open(case_dir + "/model.onnx"));
  const graph::Graph& main = interpreter->model().main;
  for (const std::string& set : DataSets(case_dir)) {
    WB_ASSIGN_OR_RETURN(const auto inputs, ReadValues(set, "input", InputTypes(main)));
    WB_ASSIGN_OR_RETURN(const auto expected, ReadValues(set, "output", OutputTypes(main)));
    WB_ASSIGN_OR_RETURN(const auto actual, interpreter->Run(inputs));
    if (actual.size() < expected.size()) {
      return Error(Code::kFail, "{} outputs, expected {}", actual.size(), expected.size());
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string difference = Difference(actual[i], expected[i], tolerance);
      if (!difference.empty()) {
        return Error(Code::kFail, "output {} ('{}'): {}", i, main.value(main.outputs[i]).name,
                     difference);
      }
    }
  }
  return Status::Ok();
}

}  // namespace waybill::test
