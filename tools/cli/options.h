// What the sub-commands have in common: how to make a session, which inputs to feed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnxruntime_cxx_api.h"
#include "tools/cli/args.h"

namespace waybill::tools {

// For a session of this model file. Throws ToolError (usage) for malformed pairs, and for
// dimensions that are in no input or output of the model.
Ort::SessionOptions MakeOptions(const SessionArgs& args, const std::string& model);

// Splits "a=b"; throws ToolError (usage) naming `option` when there is no '=' or nothing before it.
// Of several '=' the first counts where values are any text, the last where they are numbers, which
// leaves names of the model whole.
enum class SplitAt { kFirst, kLast };
std::pair<std::string, std::string> SplitPair(const std::string& text, const char* option,
                                              SplitAt where);

// Throws ToolError (usage) that names `name` and all there are, unless it is one of `known`.
void CheckKnown(const std::string& name, const std::vector<std::string>& known, const char* option,
                const char* what);

// Values of all inputs of a session, in its order.
struct Inputs {
  std::vector<std::string> names;
  std::vector<Ort::Value> values;
  std::vector<std::string> notes;  // what was made up

  std::vector<const char*> NamePointers() const;
};

// From files where given, generated otherwise. Throws ToolError.
Inputs GatherInputs(const Ort::Session& session, const InputArgs& args);

// Shapes as GatherInputs would generate them, by input name; tensors only.
std::vector<std::pair<std::string, std::vector<int64_t>>> InputShapes(const Ort::Session& session,
                                                                      const InputArgs& args);

// "1.5 MiB".
std::string BytesText(double bytes);

}  // namespace waybill::tools
