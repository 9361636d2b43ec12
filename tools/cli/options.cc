#include "tools/cli/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "tools/files/bytes.h"
#include "tools/files/npy.h"
#include "tools/values/describe.h"
#include "tools/values/generate.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

int64_t ToNumber(const std::string& text, const char* option) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw ToolError(std::string(option) + ": '" + text + "' is not a size", true);
  }
  return value;
}

std::vector<int64_t> ToShape(const std::string& text, const char* option) {
  std::vector<int64_t> shape;
  if (text.empty()) return shape;
  size_t start = 0;
  while (true) {
    const size_t end = text.find_first_of("x,", start);
    shape.push_back(ToNumber(text.substr(start, end - start), option));
    if (end == std::string::npos) return shape;
    start = end + 1;
  }
}

GraphOptimizationLevel ToLevel(int level) {
  switch (level) {
    case 0:
      return ORT_DISABLE_ALL;
    case 1:
      return ORT_ENABLE_BASIC;
    case 2:
      return ORT_ENABLE_EXTENDED;
    default:
      return ORT_ENABLE_ALL;
  }
}

// input_0.pb, input_1.pb, ... of a folder, as they lie beside models.
void ReadFolder(const Ort::Session& session, const std::string& folder,
                const std::vector<std::string>& names, std::map<std::string, Ort::Value>& out) {
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string path = folder + "/input_" + std::to_string(i) + ".pb";
    if (!std::filesystem::exists(path)) continue;
    out.insert_or_assign(names[i],
                         waybill::ValueFromPb(ReadFile(path), session.GetInputTypeInfo(i)));
  }
}

// Files by input name; arrays of a .npz carry their own.
std::map<std::string, Ort::Value> ReadFiles(const Ort::Session& session, const InputArgs& args,
                                            const std::vector<std::string>& names) {
  std::map<std::string, Ort::Value> out;
  for (const std::string& argument : args.files) {
    const size_t equals = argument.rfind('=');
    const std::string path = equals == std::string::npos ? argument : argument.substr(equals + 1);
    if (equals == std::string::npos && std::filesystem::is_directory(path)) {
      ReadFolder(session, path, names, out);
      continue;
    }
    const std::string bytes = ReadFile(path);
    if (EndsWith(path, ".npz")) {
      for (const auto& [name, array] : ParseNpz(bytes, path)) {
        out.insert_or_assign(name, ParseNpy(array, path + ":" + name));
      }
      continue;
    }
    std::string name = equals == std::string::npos ? "" : argument.substr(0, equals);
    if (name.empty()) {
      if (names.size() != 1) {
        throw ToolError("--input " + argument + ": the model has " + std::to_string(names.size()) +
                            " inputs; write NAME=" + path,
                        true);
      }
      name = names[0];
    }
    if (EndsWith(path, ".npy")) {
      out.insert_or_assign(name, ParseNpy(bytes, path));
      continue;
    }
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) throw ToolError("the model has no input '" + name + "'", true);
    const Ort::TypeInfo type = session.GetInputTypeInfo(static_cast<size_t>(at - names.begin()));
    out.insert_or_assign(name, waybill::ValueFromPb(bytes, type));
  }
  for (const auto& entry : out) {
    if (std::find(names.begin(), names.end(), entry.first) == names.end()) {
      throw ToolError("the model has no input '" + entry.first + "'", true);
    }
  }
  return out;
}

// The shape to generate; what had to be guessed goes to `notes`.
std::vector<int64_t> ShapeFor(const Ort::ConstTensorTypeAndShapeInfo& info, const std::string& name,
                              const InputArgs& args, std::vector<std::string>& notes) {
  for (const std::string& argument : args.shapes) {
    const auto [input, text] = SplitPair(argument, "--shape");
    if (input == name) return ToShape(text, "--shape");
  }
  if (!info.HasShape()) {
    throw ToolError(
        "input '" + name + "' has no declared rank; give its shape with --shape " + name + "=AxB",
        true);
  }
  std::vector<int64_t> shape = info.GetShape();
  const std::vector<const char*> symbols = info.GetSymbolicDimensions();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) continue;
    shape[i] = 1;
    const std::string symbol = symbols[i];
    notes.push_back("input '" + name + "': dimension " +
                    (symbol.empty() ? std::to_string(i) : "'" + symbol + "'") +
                    " is open, 1 is taken (set it with " +
                    (symbol.empty() ? "--shape " + name + "=AxB" : "--dim " + symbol + "=N") + ")");
  }
  return shape;
}

}  // namespace

std::pair<std::string, std::string> SplitPair(const std::string& text, const char* option) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw ToolError(std::string(option) + ": '" + text + "' is not of the form NAME=VALUE", true);
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void SessionArgs::AddTo(CLI::App& app, bool with_dims) {
  app.add_option("--level", level, "graph optimisation: 0 none, 1 basic, 2 extended, 3 all")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  app.add_option("--threads", threads, "threads a run may use; 0: as many as the process may")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--config", config, "session config entry KEY=VALUE (repeatable)");
  if (with_dims) {
    app.add_option("--dim", dims, "size of a named dimension, NAME=N (repeatable)");
  }
}

Ort::SessionOptions SessionArgs::Make() const {
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel(ToLevel(level)).SetIntraOpNumThreads(threads);
  for (const std::string& argument : config) {
    const auto [key, value] = SplitPair(argument, "--config");
    options.AddConfigEntry(key.c_str(), value.c_str());
  }
  for (const std::string& argument : dims) {
    const auto [name, value] = SplitPair(argument, "--dim");
    options.AddFreeDimensionOverrideByName(name.c_str(), ToNumber(value, "--dim"));
  }
  return options;
}

void InputArgs::AddTo(CLI::App& app) {
  app.add_option("-i,--input", files,
                 "NAME=FILE for one input (.npy or .pb), a .npz with arrays named like the inputs, "
                 "or a folder with input_0.pb, ... (repeatable); other inputs are generated");
  app.add_option("--shape", shapes, "shape of a generated input, INPUT=AxBxC (repeatable)");
  app.add_option("--seed", seed, "seed of generated inputs")->capture_default_str();
}

std::vector<const char*> Inputs::NamePointers() const {
  std::vector<const char*> out;
  for (const std::string& name : names) out.push_back(name.c_str());
  return out;
}

Inputs GatherInputs(const Ort::Session& session, const InputArgs& args) {
  Inputs inputs;
  inputs.names = session.GetInputNames();
  std::map<std::string, Ort::Value> given = ReadFiles(session, args, inputs.names);
  for (size_t i = 0; i < inputs.names.size(); ++i) {
    const auto it = given.find(inputs.names[i]);
    if (it != given.end()) {
      inputs.values.push_back(std::move(it->second));
      continue;
    }
    const Ort::TypeInfo type = session.GetInputTypeInfo(i);
    if (type.GetONNXType() != ONNX_TYPE_TENSOR) {
      throw ToolError("input '" + inputs.names[i] + "' is " + Describe(type.GetConst()) +
                          ", which cannot be generated; give it with --input " + inputs.names[i] +
                          "=FILE.pb",
                      true);
    }
    const auto info = type.GetTensorTypeAndShapeInfo();
    const std::vector<int64_t> shape = ShapeFor(info, inputs.names[i], args, inputs.notes);
    inputs.values.push_back(Generate(info.GetElementType(), shape, args.seed + i));
  }
  return inputs;
}

std::vector<std::pair<std::string, std::vector<int64_t>>> InputShapes(const Ort::Session& session,
                                                                      const InputArgs& args) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> out;
  std::vector<std::string> notes;
  const std::vector<std::string> names = session.GetInputNames();
  for (size_t i = 0; i < names.size(); ++i) {
    const Ort::TypeInfo type = session.GetInputTypeInfo(i);
    if (type.GetONNXType() != ONNX_TYPE_TENSOR) continue;
    out.emplace_back(names[i], ShapeFor(type.GetTensorTypeAndShapeInfo(), names[i], args, notes));
  }
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  return out;
}

std::string BytesText(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
    bytes /= 1024;
    ++unit;
  }
  char text[40];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", bytes, units[unit]);
  return text;
}

}  // namespace waybill::tools
