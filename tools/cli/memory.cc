// waybill memory: what a run needs of memory, at which step and why, and who holds what afterwards.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/memory_text.h"
#include "tools/cli/memory_trace.h"
#include "tools/cli/options.h"
#include "tools/values/printable.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

using Json = nlohmann::ordered_json;

// Shapes of the tensors that are fed.
ShapesByName ShapesOf(const Inputs& inputs) {
  ShapesByName out;
  for (size_t i = 0; i < inputs.names.size(); ++i) {
    if (!inputs.values[i].IsTensor()) continue;
    out.emplace_back(inputs.names[i], inputs.values[i].GetTensorTypeAndShapeInfo().GetShape());
  }
  return out;
}

Json ToJson(const ShapesByName& shapes) {
  Json json = Json::array();
  for (const auto& [name, shape] : shapes) json.push_back({{"input", name}, {"shape", shape}});
  return json;
}

// The environment's account at one moment.
void Look(Ort::Env& env, const std::string& when, Json& balance) {
  balance.push_back({{"when", when}, {"environment", Json::parse(MemoryJson(env))}});
}

// Runs and looks; the last look but one is with the outputs of the last run in hand.
void RunAll(Ort::Env& env, Ort::Session& session, const Inputs& inputs, size_t runs,
            Json& balance) {
  const std::vector<const char*> input_names = inputs.NamePointers();
  const std::vector<std::string> outputs = session.GetOutputNames();
  std::vector<const char*> output_names;
  for (const std::string& name : outputs) output_names.push_back(name.c_str());
  std::vector<Ort::Value> held;
  for (size_t i = 0; i < runs; ++i) {
    held.clear();
    held = session.Run(Ort::RunOptions{nullptr}, input_names.data(), inputs.values.data(),
                       inputs.values.size(), output_names.data(), output_names.size());
    if (i == 0 && runs > 1) Look(env, "after run 1", balance);
  }
  Look(env, "after run " + std::to_string(runs), balance);
  held.clear();
  Look(env, "outputs released", balance);
}

}  // namespace

int Memory(const MemoryArgs& args) {
  Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "waybill");
  if (args.trace || args.json) SetMemoryTrace(env, true);
  Ort::Session session(env, args.model.c_str(), MakeOptions(args.session, args.model));
  Json balance = Json::array();
  Look(env, "after load", balance);

  ShapesByName shapes;
  const bool runs = args.runs != 0 && !args.csv;
  if (runs || !args.inputs.files.empty()) {
    const Inputs inputs = GatherInputs(session, args.inputs);
    for (const std::string& note : inputs.notes) {
      std::fprintf(stderr, "note: %s\n", Printable(note).c_str());
    }
    shapes = ShapesOf(inputs);
    if (runs) {
      Look(env, "inputs made", balance);
      RunAll(env, session, inputs, args.runs, balance);
    }
  } else {
    shapes = InputShapes(session, args.inputs);
  }
  if (args.csv) {
    std::printf("%s", PlanCsv(session, shapes).c_str());
    return 0;
  }
  Json json = {{"model", args.model}, {"shapes", ToJson(shapes)}};
  json["session"] = Json::parse(MemoryJson(session, shapes));
  if (runs) {  // after the session told of its plans, which a trim gives up
    Trim(env);
    Look(env, "trimmed", balance);
  }
  json["balance"] = std::move(balance);
  if (args.trace || args.json) json["trace"] = Json::parse(MemoryTraceJson(env));
  if (args.trace) {
    std::printf("%s\n", ChromeTrace(json).dump().c_str());
  } else if (args.json) {
    std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    PrintMemory(json);
  }
  return 0;
}

}  // namespace waybill::tools
