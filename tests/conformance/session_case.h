// A conformance case through a session, as users run it.
#pragma once

#include <memory>
#include <string>

#include "session/options/options.h"
#include "tests/support/interpreter/compare.h"

namespace waybill::test {

// Loads the case's model at `level` with the kernels of the CPU provider, runs all its data sets,
// twice each, and compares; then the same with the model as it was written after the rewrites, and
// once more with poisoned memory and without reuse of memory. Last, node by node, each kernel is
// held to what it says of sharing. Ok when every output is as expected and all ways give the same
// bits.
Status RunCaseInSession(const std::shared_ptr<session::Env>& env, const std::string& case_dir,
                        session::OptLevel level, const Tolerance& tolerance);

}  // namespace waybill::test
