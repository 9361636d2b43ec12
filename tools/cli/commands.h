// The sub-commands. Each gives the exit code, 0 done, 1 it did not work or values differ, and
// throws ToolError or what the library throws.
#pragma once

#include "tools/cli/args.h"

namespace waybill::tools {

int Run(const RunArgs& args);
int Inspect(const InspectArgs& args);
int Bench(const BenchArgs& args);
int Memory(const MemoryArgs& args);
int Verify(const VerifyArgs& args);

}  // namespace waybill::tools
