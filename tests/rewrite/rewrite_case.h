// A small model run as written and at every level of rewriting: the outputs must agree.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "exec/program/evaluator.h"
#include "graph/export/testing/model_text.h"
#include "graph/import/testing.h"
#include "graph/rewrite/rewrite.h"
#include "kernel/reference/reference.h"
#include "tensor/dtype/types.h"
#include "tests/support/interpreter/compare.h"
#include "tests/support/interpreter/interpreter.h"

namespace waybill::test {

struct Rewritten {
  graph::Model model;
  graph::RewriteReport report;

  // Live nodes of one operator; of all operators when `op` is empty.
  size_t Count(std::string_view op = {}) const {
    size_t count = 0;
    for (const graph::NodeId id : model.main.order()) {
      count += op.empty() || model.main.node(id).op_type == op;
    }
    return count;
  }
  // Names of the applied patches, in order.
  std::vector<std::string> Patches() const {
    std::vector<std::string> out;
    for (const graph::PatchRecord& record : report.patches) {
      if (!record.refused) out.push_back(record.patch);
    }
    return out;
  }
};

struct RewriteSettings {
  graph::RewriteLevel level = graph::RewriteLevel::kAll;
  size_t stop_after_patch = std::numeric_limits<size_t>::max();
  size_t fold_limit_bytes = size_t{1} << 30;
};

inline Rewritten RewriteBytes(
    const std::string& bytes, const RewriteSettings& settings = {},
    const std::shared_ptr<MemorySource>& source = std::make_shared<SystemSource>()) {
  Rewritten out;
  Result<graph::Model> model = graph::LoadBytes(bytes);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  if (!model.ok()) return out;
  out.model = std::move(model).value();
  const kernel::Provider provider{"reference", kernel::reference::AllTables()};
  exec::KernelEvaluator evaluator(std::span(&provider, 1), source);
  graph::RewriteOptions options;
  options.level = settings.level;
  options.stop_after_patch = settings.stop_after_patch;
  options.fold_limit_bytes = settings.fold_limit_bytes;
  options.evaluator = &evaluator;
  options.source = source;
  Result<graph::RewriteReport> report = graph::Rewrite(out.model, options);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  if (report.ok()) out.report = std::move(report).value();
  return out;
}

template <typename T>
Value MakeTensor(const Shape& shape, const std::vector<T>& elements) {
  Result<Tensor> tensor =
      Tensor::Allocate(kDTypeOf<T>, shape, std::make_shared<SystemSource>(), MemoryTag::kUser);
  EXPECT_TRUE(tensor.ok());
  std::copy(elements.begin(), elements.end(), tensor->span<T>().begin());
  return Value(*tensor);
}

inline std::vector<Value> RunModel(graph::Model model, std::span<const Value> inputs) {
  auto interpreter = Interpreter::FromModel(std::move(model));
  EXPECT_TRUE(interpreter.ok());
  Result<std::vector<Value>> outputs = (*interpreter)->Run(inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  return outputs.ok() ? std::move(outputs).value() : std::vector<Value>();
}

// The model written to a file and loaded again, and rewritten once more when `level` says so.
inline graph::Model Reloaded(const graph::Model& model, graph::RewriteLevel level) {
  const Result<std::string> bytes = graph::ExportBytes(model);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? RewriteBytes(*bytes, {level}).model : graph::Model();
}

// Runs the model as written and rewritten at each level, and after each number of patches; all must
// agree, and what is rewritten must be the same when it comes from a file of its own. Returns the
// outputs as written.
inline std::vector<Value> ExpectSameAtAllLevels(const std::string& bytes,
                                                const std::vector<Value>& inputs,
                                                const Tolerance& tolerance = {1e-5, 1e-6}) {
  using graph::RewriteLevel;
  const auto plain = RunModel(RewriteBytes(bytes, {RewriteLevel::kNone}).model, inputs);
  const auto check = [&](Rewritten rewritten, const std::string& what) {
    const auto file_outputs = RunModel(Reloaded(rewritten.model, RewriteLevel::kNone), inputs);
    const auto twice = RunModel(Reloaded(rewritten.model, RewriteLevel::kAll), inputs);
    const auto outputs = RunModel(std::move(rewritten.model), inputs);
    EXPECT_EQ(outputs.size(), file_outputs.size()) << what;
    EXPECT_EQ(outputs.size(), twice.size()) << what;
    for (size_t i = 0; i < outputs.size() && i < twice.size(); ++i) {
      EXPECT_EQ(Difference(file_outputs[i], outputs[i], {0, 0}), "") << what << ", from its file";
      EXPECT_EQ(Difference(twice[i], outputs[i], tolerance), "") << what << ", rewritten twice";
    }
    EXPECT_EQ(outputs.size(), plain.size()) << what;
    for (size_t i = 0; i < outputs.size() && i < plain.size(); ++i) {
      EXPECT_EQ(Difference(outputs[i], plain[i], tolerance), "") << what << ", output " << i;
    }
  };
  check(RewriteBytes(bytes, {RewriteLevel::kBasic}), "basic");
  check(RewriteBytes(bytes, {RewriteLevel::kExtended}), "extended");
  const size_t patches = RewriteBytes(bytes).Patches().size();
  for (size_t i = 0; i <= patches; ++i) {
    check(RewriteBytes(bytes, {RewriteLevel::kAll, i}), Format("after patch {}", i));
  }
  return plain;
}

}  // namespace waybill::test
