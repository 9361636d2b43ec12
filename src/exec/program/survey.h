// What the constants of a program come to, found out before any of them is packed.
#pragma once

#include <memory>
#include <set>

#include "base/status/result.h"
#include "exec/program/program.h"
#include "memory/source/weight_survey.h"

namespace waybill::exec {

// Bytes as a budget counts them.
struct WeightSum {
  size_t packed = 0;    // packed forms, and constants that have to be written out or aligned
  size_t released = 0;  // of constants made while loading, which go as soon as they are packed
};

// What Program::Build with the same options would make for good. `look_up`: without what other
// programs share already; the contents of constants may be read for that. Without it the sum may
// be too large, never too small, but for what kernels take for the time of packing.
// Errors: those of Program::Build.
Result<WeightSum> SurveyWeights(const graph::Graph& graph, const BuildOptions& options,
                                bool look_up);

// What the builder notes for it. Not thread-safe.
struct BuildSurvey {
  std::shared_ptr<WeightSurvey> packed;
  const WeightLoad* origins = nullptr;  // null: nothing is known to be made while loading
  bool look_up = false;
  std::set<const void*> let_go;  // addresses
  size_t released = 0;

  void LetGo(const graph::Constant& constant);
  Status Place(const graph::Constant& constant);
};

}  // namespace waybill::exec
