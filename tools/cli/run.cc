// waybill run: once through a model.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/files/bytes.h"
#include "tools/files/npy.h"
#include "tools/values/describe.h"
#include "tools/values/printable.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

// A name as a file name: what would lead elsewhere becomes '_'.
std::string FileName(std::string name) {
  for (char& c : name) {
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '_';
  }
  if (name.empty() || name[0] == '.') name.insert(0, "_");
  return name;
}

void Save(const std::string& where, const std::vector<std::string>& names,
          const std::vector<Ort::Value>& values) {
  if (EndsWith(where, ".npz")) {
    std::vector<std::pair<std::string, std::string>> arrays;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!values[i].HasValue() || KindOf(values[i]) != ONNX_TYPE_TENSOR) {
        throw ToolError("output '" + names[i] + "' is no tensor and cannot go into a .npz file");
      }
      arrays.emplace_back(names[i], ToNpy(values[i]));
    }
    WriteFile(where, ToNpz(arrays));
    return;
  }
  std::filesystem::create_directories(where);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string path = where + "/" + FileName(names[i]);
    if (values[i].HasValue() && KindOf(values[i]) == ONNX_TYPE_TENSOR) {
      WriteFile(path + ".npy", ToNpy(values[i]));
    } else {
      WriteFile(path + ".pb", waybill::ValueToPb(values[i]));
    }
  }
}

}  // namespace

int Run(const RunArgs& args) {
  Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "waybill");
  Ort::Session session(env, args.model.c_str(), MakeOptions(args.session, args.model));
  const Inputs inputs = GatherInputs(session, args.inputs);
  for (const std::string& note : inputs.notes) {
    std::fprintf(stderr, "note: %s\n", Printable(note).c_str());
  }
  const std::vector<std::string> names =
      args.outputs.empty() ? session.GetOutputNames() : args.outputs;
  std::vector<const char*> output_names;
  for (const std::string& name : names) {
    CheckKnown(name, session.GetOutputNames(), "--outputs", "output");
    output_names.push_back(name.c_str());
  }
  const std::vector<Ort::Value> outputs =
      session.Run(Ort::RunOptions{nullptr}, inputs.NamePointers().data(), inputs.values.data(),
                  inputs.values.size(), output_names.data(), output_names.size());
  if (!args.save.empty()) Save(args.save, names, outputs);
  if (args.json) {
    nlohmann::ordered_json json;
    for (size_t i = 0; i < names.size(); ++i)
      json["outputs"][names[i]] = ToJson(outputs[i], args.print);
    std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return 0;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    std::printf("%s: %s\n", Printable(names[i]).c_str(), Summary(outputs[i], args.print).c_str());
  }
  return 0;
}

}  // namespace waybill::tools
