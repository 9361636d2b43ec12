#include "tests/conformance/session_case.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/kernels/table.h"
#include "kernel/reference/reference.h"
#include "session/session.h"
#include "tests/support/interpreter/cases.h"
#include "tests/support/interpreter/interpreter.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace waybill::test {
namespace {

std::vector<ValueType> Types(const std::vector<session::IoInfo>& infos) {
  std::vector<ValueType> types;
  for (const session::IoInfo& info : infos) types.push_back(info.type);
  return types;
}

std::vector<std::string_view> Names(const std::vector<session::IoInfo>& infos, size_t count) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < infos.size() && i < count; ++i) names.push_back(infos[i].name);
  return names;
}

Status RunDataSet(session::Session& session, const std::string& set, const Tolerance& tolerance) {
  WB_ASSIGN_OR_RETURN(const auto inputs, ReadValues(set, "input", Types(session.inputs())));
  WB_ASSIGN_OR_RETURN(const auto expected, ReadValues(set, "output", Types(session.outputs())));
  const auto input_names = Names(session.inputs(), inputs.size());
  const auto output_names = Names(session.outputs(), expected.size());
  std::vector<Value> first(output_names.size()), second(output_names.size());
  WB_RETURN_IF_ERROR(session.Run({}, input_names, inputs, output_names, first));
  WB_RETURN_IF_ERROR(session.Run({}, input_names, inputs, output_names, second), "second run");
  for (size_t i = 0; i < output_names.size(); ++i) {
    std::string difference = Difference(first[i], expected[i], tolerance);
    if (difference.empty()) {
      difference = Difference(second[i], first[i], {0, 0});
      if (!difference.empty()) difference = "second run: " + difference;
    }
    if (!difference.empty()) {
      return Error(Code::kFail, "output {} ('{}'): {}", i, output_names[i], difference);
    }
  }
  return Status::Ok();
}

Status RunDataSets(session::Session& session, const std::string& case_dir,
                   const Tolerance& tolerance) {
  for (const std::string& set : DataSets(case_dir)) {
    WB_RETURN_IF_ERROR(RunDataSet(session, set, tolerance), "data set {}",
                       set.substr(set.rfind('/') + 1));
  }
  return Status::Ok();
}

// Outputs of all data sets, one behind the other.
Result<std::vector<Value>> AllOutputs(session::Session& session, const std::string& case_dir) {
  std::vector<Value> out;
  for (const std::string& set : DataSets(case_dir)) {
    WB_ASSIGN_OR_RETURN(const auto inputs, ReadValues(set, "input", Types(session.inputs())));
    const auto input_names = Names(session.inputs(), inputs.size());
    const auto output_names = Names(session.outputs(), session.outputs().size());
    std::vector<Value> outputs(output_names.size());
    WB_RETURN_IF_ERROR(session.Run({}, input_names, inputs, output_names, outputs));
    out.insert(out.end(), outputs.begin(), outputs.end());
  }
  return out;
}

// What the plan of the last run says that it would take without reuse is what `apart` takes.
Status CheckNoReuse(session::Session& plain, session::Session& apart) {
  WB_ASSIGN_OR_RETURN(const session::PlanReport said, plain.PlanFor({}, {}));
  WB_ASSIGN_OR_RETURN(const session::PlanReport taken, apart.PlanFor({}, {}));
  if (said.no_reuse_bytes == taken.planned_bytes) return Status::Ok();
  return Error(Code::kFail, "the plan says {} bytes without reuse, which takes {}",
               said.no_reuse_bytes, taken.planned_bytes);
}

// Poisoned, and without reuse of memory: both give the bits of `plain`.
Status CompareMemoryModes(const std::shared_ptr<session::Env>& env, const std::string& case_dir,
                          const session::SessionOptions& options, session::Session& plain) {
  WB_ASSIGN_OR_RETURN(const auto expected, AllOutputs(plain, case_dir));
  for (const char* key : {"waybill.poison_freed", "waybill.no_reuse"}) {
    session::SessionOptions other = options;
    other.config[key] = "1";
    WB_ASSIGN_OR_RETURN(const auto session,
                        session::Session::LoadFile(env, case_dir + "/model.onnx", other), "load");
    WB_ASSIGN_OR_RETURN(const auto outputs, AllOutputs(*session, case_dir), "{}", key);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string difference = Difference(outputs[i], expected[i], {0, 0});
      if (!difference.empty()) return Error(Code::kFail, "{}: output {}: {}", key, i, difference);
    }
    if (other.config.count("waybill.no_reuse") != 0) {
      WB_RETURN_IF_ERROR(CheckNoReuse(plain, *session));
    }
  }
  return Status::Ok();
}

// Node by node, after the rewrites of `level`.
Status RunNodes(const std::string& case_dir, session::OptLevel level,
                const std::vector<kernel::Provider>& providers) {
  for (const std::string& set : DataSets(case_dir)) {
    WB_ASSIGN_OR_RETURN(const auto interpreter, Interpreter::Open(case_dir + "/model.onnx"));
    interpreter->UseProviders(providers);
    WB_RETURN_IF_ERROR(
        interpreter->Rewrite(static_cast<graph::RewriteLevel>(static_cast<int>(level))).status());
    std::vector<ValueType> types;
    const graph::Graph& main = interpreter->model().main;
    for (const graph::ValueId id : main.inputs) {
      const auto is_default = [&](const graph::InputDefault& given) { return given.input == id; };
      if (std::any_of(main.defaults.begin(), main.defaults.end(), is_default)) continue;
      types.push_back(main.value(id).type);
    }
    WB_ASSIGN_OR_RETURN(const auto inputs, ReadValues(set, "input", types));
    WB_RETURN_IF_ERROR(interpreter->Run(inputs).status());
  }
  return Status::Ok();
}

}  // namespace

Status RunCaseInSession(const std::shared_ptr<session::Env>& env, const std::string& case_dir,
                        session::OptLevel level, const Tolerance& tolerance) {
  session::SessionOptions options;
  options.level = level;
  // Fast kernels first, as users get them; the interpreter has run the reference kernels.
  kernel::Provider provider{"CPUExecutionProvider", kernel::reference::AllTables()};
  provider.tables.insert(provider.tables.begin(), cpu::Kernels());
  options.providers.push_back(std::move(provider));
  const TempDir dir;
  options.optimized_model_path = dir / "optimized.onnx";
  WB_ASSIGN_OR_RETURN(const auto loaded,
                      session::Session::LoadFile(env, case_dir + "/model.onnx", options), "load");
  WB_RETURN_IF_ERROR(RunDataSets(*loaded, case_dir, tolerance));
  const std::string written = std::exchange(options.optimized_model_path, {});
  WB_ASSIGN_OR_RETURN(const auto reloaded, session::Session::LoadFile(env, written, options),
                      "load what was written after the rewrites");
  WB_RETURN_IF_ERROR(RunDataSets(*reloaded, case_dir, tolerance), "as written after the rewrites");
  // Bits do not depend on the build, and a sanitizer's has enough to do.
  if (!kSanitized) {
    WB_RETURN_IF_ERROR(CompareMemoryModes(env, case_dir, options, *loaded));
  }
  return RunNodes(case_dir, level, options.providers).With("node by node");
}

}  // namespace waybill::test
