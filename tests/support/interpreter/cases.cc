#include "tests/support/interpreter/cases.h"

#include <algorithm>
#include <filesystem>
#include <map>

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

namespace {

std::string Summarize(const graph::Graph& graph, size_t nodes_before,
                      const graph::RewriteReport& report) {
  size_t untyped = 0, unranked = 0;
  for (const graph::NodeId id : graph.order()) {
    for (const graph::ValueId output : graph.node(id).outputs) {
      if (output == graph::kNoValue) continue;
      const ValueType& type = graph.value(output).type;
      untyped += type.kind == ValueKind::kUnknown;
      unranked += type.is_tensor() && !type.shape.has_rank();
    }
  }
  std::map<std::string, size_t> patches;
  for (const graph::PatchRecord& record : report.patches) {
    ++patches[record.refused ? record.patch + " (refused)" : record.patch];
  }
  std::string out = Format("{} nodes of {}, {} values without type, {} without rank",
                           graph.order().size(), nodes_before, untyped, unranked);
  for (const auto& [name, count] : patches) out += Format(", {} x {}", count, name);
  return out;
}

}  // namespace

Status RunCase(const std::string& case_dir, const CaseOptions& options, std::string* summary) {
  const Tolerance& tolerance = options.tolerance;
  WB_ASSIGN_OR_RETURN(const auto interpreter, Interpreter::Open(case_dir + "/model.onnx"));
  const graph::Graph& main = interpreter->model().main;
  const size_t nodes = main.order().size();
  WB_ASSIGN_OR_RETURN(const graph::RewriteReport report, interpreter->Rewrite(options.level));
  if (summary != nullptr) *summary = Summarize(main, nodes, report);
  if (options.load_only) return Status::Ok();
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
