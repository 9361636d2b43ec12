#include "tests/fuzz/graph_check.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "graph/export/export.h"
#include "kernel/reference/reference.h"
#include "session/session.h"
#include "tests/fuzz/graph_gen.h"

namespace waybill::fuzz {
namespace {

using Values = std::vector<Value>;

// `written`: the model as it is after the rewrites; may be null.
Result<Values> RunAtLevel(const std::shared_ptr<session::Env>& env, const GeneratedModel& model,
                          const std::string& model_bytes, session::OptLevel level,
                          const Values& inputs, std::string* written) {
  session::SessionOptions options;
  options.level = level;
  options.providers.push_back({"CPUExecutionProvider", kernel::reference::AllTables()});
  const auto bytes = std::as_bytes(std::span(model_bytes));
  WB_ASSIGN_OR_RETURN(auto loaded, session::Session::LoadBytes(env, bytes, true, options), "load");
  std::vector<std::string_view> input_names,
      output_names(model.outputs.begin(), model.outputs.end());
  for (const auto& input : model.inputs) input_names.push_back(input.name);
  if (written != nullptr) {
    graph::ExportOptions wanted;
    wanted.model = [&](std::span<const std::byte> part) {
      written->append(reinterpret_cast<const char*>(part.data()), part.size());
      return Status::Ok();
    };
    WB_RETURN_IF_ERROR(graph::ExportModel(loaded->model(), wanted), "write");
  }
  Values outputs(output_names.size());
  WB_RETURN_IF_ERROR(loaded->Run({}, input_names, inputs, output_names, outputs), "run");
  return outputs;
}

Result<Values> RandomInputs(const std::shared_ptr<session::Env>& env, const GeneratedModel& model,
                            Choices& choices) {
  Values inputs;
  for (const auto& input : model.inputs) {
    WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kF32, Shape(input.shape),
                                                        env->cpu_source(), MemoryTag::kUser));
    for (float& value : tensor.span<float>()) value = 2.0f * choices.Unit();
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

std::string Compare(const std::string& name, const Tensor& plain, const Tensor& optimised) {
  if (plain.dtype() != optimised.dtype() || !(plain.shape() == optimised.shape())) {
    return Format("output {}: {} without and {} with optimisation", name, plain.view().Describe(),
                  optimised.view().Describe());
  }
  const auto a = plain.span<float>(), b = optimised.span<float>();
  float largest = 1.0f;
  for (const float value : a) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
                      std::abs(a[i] - b[i]) <= 1e-4f * largest;
    if (!same) {
      return Format("output {}, element {}: {} without and {} with optimisation", name, i, a[i],
                    b[i]);
    }
  }
  return {};
}

}  // namespace

std::string CheckGenerated(const std::shared_ptr<session::Env>& env, Choices& choices,
                           size_t max_nodes, std::string& model_bytes) {
  const GeneratedModel model = GenerateModel(choices, max_nodes);
  model_bytes = model.bytes;
  const auto inputs = RandomInputs(env, model, choices);
  if (!inputs.ok()) return inputs.status().ToString();
  using session::OptLevel;
  std::string written;
  const auto plain = RunAtLevel(env, model, model.bytes, OptLevel::kNone, *inputs, nullptr);
  if (!plain.ok()) return "level none: " + plain.status().ToString();
  const auto optimised = RunAtLevel(env, model, model.bytes, OptLevel::kAll, *inputs, &written);
  if (!optimised.ok()) return "level all: " + optimised.status().ToString();
  const auto reloaded = RunAtLevel(env, model, written, OptLevel::kAll, *inputs, nullptr);
  if (!reloaded.ok()) return "as it is after level all: " + reloaded.status().ToString();
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    for (const Values& other : {*optimised, *reloaded}) {
      const Tensor *a = (*plain)[i].tensor(), *b = other[i].tensor();
      if (a == nullptr || b == nullptr) return Format("output {} is no tensor", model.outputs[i]);
      std::string problem = Compare(model.outputs[i], *a, *b);
      if (!problem.empty()) return problem;
    }
  }
  return {};
}

}  // namespace waybill::fuzz
