// Cases as folders: model.onnx, and test_data_set_N/{input,output}_K.pb.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "graph/rewrite/rewrite.h"
#include "tests/support/interpreter/compare.h"

namespace waybill::test {

// Folders with a model.onnx: `path` itself or those right below it, sorted.
std::vector<std::string> FindCases(const std::string& path);

// The values of input_K.pb or output_K.pb ("input", "output") in a data set, in order of K, read as
// `types` say (further files as tensors).
Result<std::vector<Value>> ReadValues(const std::string& data_set, const std::string& stem,
                                      const std::vector<ValueType>& types);

// Types of the inputs that a case feeds (those without a default) and of the outputs.
std::vector<ValueType> InputTypes(const graph::Graph& graph);
std::vector<ValueType> OutputTypes(const graph::Graph& graph);

// Folders test_data_set_* of a case, sorted.
std::vector<std::string> DataSets(const std::string& case_dir);

struct CaseOptions {
  Tolerance tolerance;
  graph::RewriteLevel level = graph::RewriteLevel::kNone;
  bool load_only = false;
};

// Runs all data sets of a case through the interpreter. Ok when every output is as expected; else
// the error of loading or running, or kFail with the difference. `summary`, where not null, gets a
// line on the model.
Status RunCase(const std::string& case_dir, const CaseOptions& options,
               std::string* summary = nullptr);

}  // namespace waybill::test
