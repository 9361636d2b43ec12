// Writing the optimised model, as SessionOptions::optimized_model_path asks.
#pragma once

#include <string>
#include <vector>

#include "base/status/status.h"
#include "graph/ir/graph.h"
#include "session/load/config.h"
#include "session/options/options.h"

namespace waybill::session {

// Does nothing when no path is given. The files appear as a whole or not at all. Adds warnings of
// what a reader of the file, or of the settings, should know.
// Errors, naming the path: kFail when a file can not be written; kInvalidArgument for a path or a
// name that can not be that of a file, and for a model that does not fit into one file.
Status SaveOptimized(const graph::Model& model, const SessionOptions& options, const Config& config,
                     std::vector<std::string>& warnings);

}  // namespace waybill::session
