// Command lines as plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/cli/args.h"

namespace waybill::tools {

// Runs the sub-command that is asked for. Returns the exit code: 0 done, 1 it did not work or
// values differ, 2 the command line is wrong. `allocations` counts heap allocations so far; null:
// `bench` does not report them.
int CommandLine(int argc, char** argv, size_t (*allocations)());

// For programs that take models beside the options of sessions and inputs.
struct ModelsArgs {
  std::vector<std::string> models;
  SessionArgs session;
  InputArgs inputs;
};
// A number that such a program takes too; `value` holds the default.
struct NumberOption {
  const char* name;
  std::variant<size_t*, double*> value;
  const char* help;
};
// Returns the exit code when the program must end: after --help, or after an error, which is
// printed.
std::optional<int> ParseModels(int argc, char** argv, const std::string& about, ModelsArgs& args,
                               const std::vector<NumberOption>& numbers);

}  // namespace waybill::tools
