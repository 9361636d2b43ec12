// The sub-commands. Each adds itself to the application; the function it registers runs when it is
// chosen and sets the exit code: 0 done, 1 it did not work or values differ.
#pragma once

#include <CLI/CLI.hpp>

namespace waybill::tools {

void AddRun(CLI::App& app, int& exit_code);
void AddInspect(CLI::App& app, int& exit_code);
// `allocations` counts heap allocations so far; null: they are not reported.
void AddBench(CLI::App& app, int& exit_code, size_t (*allocations)());
void AddVerify(CLI::App& app, int& exit_code);

}  // namespace waybill::tools
