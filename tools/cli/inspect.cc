// waybill inspect: what a model is, and what a session makes of it.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/values/printable.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(const Json& value) {
  if (value.is_string()) return Printable(value.get<std::string>());
  return value.is_null() ? "?" : value.dump();
}

void PrintValues(const char* title, const Json& values) {
  std::printf("%s\n", title);
  for (const Json& value : values) {
    std::string shape;
    if (value.contains("shape")) {
      shape = " ";
      if (value["shape"].is_null()) {
        shape += "?";
      } else {
        shape += "[";
        for (size_t i = 0; i < value["shape"].size(); ++i) {
          shape += (i != 0 ? ", " : "") + Text(value["shape"][i]);
        }
        shape += "]";
      }
    }
    std::printf("  %s: %s%s\n", Text(value["name"]).c_str(), Text(value["type"]).c_str(),
                shape.c_str());
  }
}

void PrintModel(const Json& model) {
  std::string producer;
  for (const char* key : {"producer", "producer_version"}) {
    const std::string text = Text(model[key]);
    if (!text.empty()) producer += (producer.empty() ? ", by " : " ") + text;
  }
  std::printf("%s: %s, IR version %s%s\n", Text(model["path"]).c_str(),
              BytesText(model["file_bytes"].get<double>()).c_str(),
              Text(model["ir_version"]).c_str(), producer.c_str());
  std::printf("opsets:");
  for (const Json& opset : model["opsets"]) {
    const std::string domain = Text(opset["domain"]);
    std::printf(" %s-%s", domain.empty() ? "ai.onnx" : domain.c_str(),
                Text(opset["version"]).c_str());
  }
  std::printf("\n");
  PrintValues("inputs:", model["inputs"]);
  PrintValues("outputs:", model["outputs"]);
  const Json& parameters = model["parameters"];
  std::printf("parameters: %s in %s tensors, %s", Text(parameters["elements"]).c_str(),
              Text(parameters["tensors"]).c_str(),
              BytesText(parameters["bytes"].get<double>()).c_str());
  for (const Json& type : parameters["by_type"]) {
    std::printf("; %s %s", Text(type["type"]).c_str(),
                BytesText(type["bytes"].get<double>()).c_str());
  }
  std::printf("\nnodes: %s", Text(model["nodes"]).c_str());
  if (model["subgraphs"] != 0) std::printf(", subgraphs: %s", Text(model["subgraphs"]).c_str());
  if (model["functions"] != 0) std::printf(", functions: %s", Text(model["functions"]).c_str());
  std::printf("\n");
  for (const Json& op : model["operators"]) {
    const std::string domain = Text(op["domain"]);
    std::printf("  %6s  %s%s\n", Text(op["count"]).c_str(),
                domain.empty() ? "" : (domain + ".").c_str(), Text(op["op_type"]).c_str());
  }
  for (const auto& [key, value] : model["metadata"].items()) {
    std::printf("metadata %s: %.200s\n", Printable(key).c_str(), Text(value).c_str());
  }
}

// Any JSON document as indented lines: one line for each object without objects inside.
void PrintTree(const Json& json, int indent) {
  const auto flat = [](const Json& item) {
    for (const Json& member : item) {
      if (member.is_structured() && !member.empty()) return false;
    }
    return true;
  };
  if (json.is_object() && flat(json)) {
    std::printf("%*s", indent, "");
    bool first = true;
    for (const auto& [key, value] : json.items()) {
      if (value.is_structured()) continue;
      std::printf("%s%s=%s", first ? "" : "  ", Printable(key).c_str(), Text(value).c_str());
      first = false;
    }
    std::printf("\n");
  } else if (json.is_object()) {
    std::string line;
    for (const auto& [key, value] : json.items()) {
      if (value.is_structured()) continue;
      line += (line.empty() ? "" : "  ") + Printable(key) + "=" + Text(value);
    }
    if (!line.empty()) std::printf("%*s%s\n", indent, "", line.c_str());
    for (const auto& [key, value] : json.items()) {
      if (!value.is_structured() || value.empty()) continue;
      std::printf("%*s%s:\n", indent, "", Printable(key).c_str());
      PrintTree(value, indent + 2);
    }
  } else if (json.is_array()) {
    for (const Json& item : json) PrintTree(item, indent);
  } else {
    std::printf("%*s%s\n", indent, "", Text(json).c_str());
  }
}

Json PlanOf(Ort::Session& session, const InputArgs& inputs) {
  const PlanReport report = GetPlanReport(session, InputShapes(session, inputs));
  return {{"planned_bytes", report.planned_bytes},   {"bound_bytes", report.bound_bytes},
          {"no_reuse_bytes", report.no_reuse_bytes}, {"steps", report.steps},
          {"planned_values", report.planned_values}, {"dynamic_values", report.dynamic_values}};
}

void PrintPlan(const Json& plan) {
  const auto bytes = [&](const char* key) {
    return Text(plan[key]) + " bytes (" + BytesText(plan[key].get<double>()) + ")";
  };
  std::printf("plan: %s steps, %s planned values, %s dynamic values\n", Text(plan["steps"]).c_str(),
              Text(plan["planned_values"]).c_str(), Text(plan["dynamic_values"]).c_str());
  std::printf("  planned   %s\n  bound     %s\n  no reuse  %s\n", bytes("planned_bytes").c_str(),
              bytes("bound_bytes").c_str(), bytes("no_reuse_bytes").c_str());
}

}  // namespace

int Inspect(const InspectArgs& args) {
  Json json;
  json["model"] = Json::parse(InspectModel(args.model));
  if (args.kernels || args.patches || args.plan) {
    Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "waybill");
    Ort::Session session(env, args.model.c_str(), MakeOptions(args.session, args.model));
    if (args.patches) json["patches"] = Json::parse(PatchesJson(session));
    if (args.kernels) json["kernels"] = Json::parse(KernelsJson(session));
    if (args.plan) json["plan"] = PlanOf(session, args.inputs);
  }
  if (args.json) {
    std::printf("%s\n", json.dump(2).c_str());
    return 0;
  }
  PrintModel(json["model"]);
  for (const char* part : {"patches", "kernels"}) {
    if (!json.contains(part)) continue;
    std::printf("%s:\n", part);
    PrintTree(json[part], 2);
  }
  if (json.contains("plan")) PrintPlan(json["plan"]);
  return 0;
}

}  // namespace waybill::tools
