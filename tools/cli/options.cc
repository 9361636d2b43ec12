#include "tools/cli/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/files/bytes.h"
#include "tools/files/npy.h"
#include "tools/values/describe.h"
#include "tools/values/generate.h"
#include "tools/values/printable.h"
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

// "'a', 'b'", or "none".
std::string Listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "'" : ", '") + name + "'";
  return out.empty() ? "none" : out;
}

// Inputs from files, by name.
using Given = std::map<std::string, Ort::Value>;

void Give(Given& out, const std::string& name, Ort::Value value, const std::string& argument) {
  if (!out.emplace(name, std::move(value)).second) {
    throw ToolError("--input " + argument + ": the input '" + name + "' is given already", true);
  }
}

// input_0.pb, input_1.pb, ... of a folder, as they lie beside models.
void ReadFolder(const Ort::Session& session, const std::string& folder,
                const std::vector<std::string>& names, Given& out) {
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string path = folder + "/input_" + std::to_string(i) + ".pb";
    if (!std::filesystem::exists(path)) continue;
    Give(out, names[i], waybill::ValueFromPb(ReadFile(path), session.GetInputTypeInfo(i)), folder);
  }
}

// An --input as the name of an input, empty if there is none, and a path. Either may hold '='.
std::pair<std::string, std::string> SplitInput(const std::string& argument,
                                               const std::vector<std::string>& names) {
  for (size_t at = argument.find('='); at != std::string::npos; at = argument.find('=', at + 1)) {
    const std::string name = argument.substr(0, at);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return {name, argument.substr(at + 1)};
    }
  }
  if (argument.find('=') == std::string::npos || std::filesystem::exists(argument)) {
    return {"", argument};
  }
  CheckKnown(SplitPair(argument, "--input", SplitAt::kFirst).first, names, "--input", "input");
  return {"", argument};
}

// All arrays by their own names, or the one called `name`.
void ReadNpz(const std::string& path, const std::string& name,
             const std::vector<std::string>& inputs, const std::string& argument, Given& out) {
  std::vector<std::string> arrays;
  for (const auto& [array, bytes] : ParseNpz(ReadFile(path), path)) {
    arrays.push_back(array);
    if (name.empty()) {
      CheckKnown(array, inputs, ("--input " + path).c_str(), "input");
    } else if (array != name) {
      continue;
    }
    Give(out, array, ParseNpy(bytes, path + ":" + array), argument);
  }
  if (!name.empty()) CheckKnown(name, arrays, ("--input " + path).c_str(), "array");
}

// Files by input name; arrays of a .npz carry their own.
Given ReadFiles(const Ort::Session& session, const InputArgs& args,
                const std::vector<std::string>& names) {
  Given out;
  for (const std::string& argument : args.files) {
    auto [name, path] = SplitInput(argument, names);
    if (std::filesystem::is_directory(path)) {
      if (!name.empty()) {
        throw ToolError("--input " + argument + ": a folder is for all inputs, it takes no name",
                        true);
      }
      ReadFolder(session, path, names, out);
      continue;
    }
    if (EndsWith(path, ".npz")) {
      ReadNpz(path, name, names, argument, out);
      continue;
    }
    if (name.empty()) {
      if (names.size() != 1) {
        throw ToolError("--input " + argument + ": the model has " + std::to_string(names.size()) +
                            " inputs; write NAME=" + path,
                        true);
      }
      name = names[0];
    }
    const std::string bytes = ReadFile(path);
    if (EndsWith(path, ".npy")) {
      Give(out, name, ParseNpy(bytes, path), argument);
      continue;
    }
    const auto at = std::find(names.begin(), names.end(), name);
    const Ort::TypeInfo type = session.GetInputTypeInfo(static_cast<size_t>(at - names.begin()));
    Give(out, name, waybill::ValueFromPb(bytes, type), argument);
  }
  return out;
}

// Every --shape must be for an input, and only for one that is not given.
void CheckShapes(const InputArgs& args, const std::vector<std::string>& names, const Given& given) {
  std::set<std::string> seen;
  for (const std::string& argument : args.shapes) {
    const std::string name = SplitPair(argument, "--shape", SplitAt::kLast).first;
    CheckKnown(name, names, "--shape", "input");
    if (given.count(name) != 0) {
      throw ToolError("--shape " + argument + ": the input is given by --input", true);
    }
    if (!seen.insert(name).second) {
      throw ToolError("--shape " + argument + ": the input has a shape already", true);
    }
  }
}

// The names that dimensions of inputs and outputs have.
std::vector<std::string> DimensionNames(const std::string& model) {
  std::set<std::string> names;
  const auto json = nlohmann::json::parse(waybill::InspectModel(model));
  for (const char* key : {"inputs", "outputs"}) {
    for (const auto& value : json[key]) {
      if (!value.contains("shape")) continue;
      for (const auto& dim : value["shape"]) {
        if (dim.is_string()) names.insert(dim.get<std::string>());
      }
    }
  }
  return {names.begin(), names.end()};
}

// The shape to generate; what had to be guessed goes to `notes`.
std::vector<int64_t> ShapeFor(const Ort::ConstTensorTypeAndShapeInfo& info, const std::string& name,
                              const InputArgs& args, std::vector<std::string>& notes) {
  for (const std::string& argument : args.shapes) {
    const auto [input, text] = SplitPair(argument, "--shape", SplitAt::kLast);
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

std::pair<std::string, std::string> SplitPair(const std::string& text, const char* option,
                                              SplitAt where) {
  const size_t equals = where == SplitAt::kFirst ? text.find('=') : text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw ToolError(std::string(option) + ": '" + text + "' is not of the form NAME=VALUE", true);
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void CheckKnown(const std::string& name, const std::vector<std::string>& known, const char* option,
                const char* what) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw ToolError(
      std::string(option) + ": there is no " + what + " '" + name + "'; there is: " + Listed(known),
      true);
}

Ort::SessionOptions MakeOptions(const SessionArgs& args, const std::string& model) {
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel(ToLevel(args.level)).SetIntraOpNumThreads(args.threads);
  std::set<std::string> keys, dims;
  for (const std::string& argument : args.config) {
    const auto [key, value] = SplitPair(argument, "--config", SplitAt::kFirst);
    if (!keys.insert(key).second) {
      throw ToolError("--config " + argument + ": the entry has a value already", true);
    }
    options.AddConfigEntry(key.c_str(), value.c_str());
  }
  if (args.dims.empty()) return options;
  const std::vector<std::string> known = DimensionNames(model);
  for (const std::string& argument : args.dims) {
    const auto [name, value] = SplitPair(argument, "--dim", SplitAt::kLast);
    CheckKnown(name, known, "--dim", "dimension");
    if (!dims.insert(name).second) {
      throw ToolError("--dim " + argument + ": the dimension has a size already", true);
    }
    options.AddFreeDimensionOverrideByName(name.c_str(), ToNumber(value, "--dim"));
  }
  return options;
}

std::vector<const char*> Inputs::NamePointers() const {
  std::vector<const char*> out;
  for (const std::string& name : names) out.push_back(name.c_str());
  return out;
}

Inputs GatherInputs(const Ort::Session& session, const InputArgs& args) {
  Inputs inputs;
  inputs.names = session.GetInputNames();
  Given given = ReadFiles(session, args, inputs.names);
  CheckShapes(args, inputs.names, given);
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
  CheckShapes(args, names, {});
  for (size_t i = 0; i < names.size(); ++i) {
    const Ort::TypeInfo type = session.GetInputTypeInfo(i);
    if (type.GetONNXType() != ONNX_TYPE_TENSOR) continue;
    out.emplace_back(names[i], ShapeFor(type.GetTensorTypeAndShapeInfo(), names[i], args, notes));
  }
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", Printable(note).c_str());
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
