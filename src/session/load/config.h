// What the session config entries say.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "session/load/warm_shapes.h"

namespace waybill::session {

struct Config {
  int64_t stop_after_patch = -1;  // negative: apply all
  bool read_model = false;        // read the file instead of mapping it
  int64_t fold_limit_bytes = int64_t{1} << 30;
  int64_t stream_bytes = int64_t{1} << 20;
  int64_t max_inflight = -1;         // negative: the default
  int64_t memory_budget_bytes = -1;  // of the Env; negative: as it is
  int64_t idle_trim_ms = -1;         // of the Env; negative: as it is
  // How long the load and, where they do not say it themselves, runs may wait until they may start;
  // negative: as long as it takes; 0: not at all.
  int64_t admission_timeout_ms = -1;
  std::string external_folder;  // where external data of a model from memory is
  bool denormals_as_zero = false;
  bool released_opsets_only = false;
  bool fuse_quantized = true;
  bool pack = true;  // whether weights are put into the form that kernels like best
  bool reuse_memory = true;
  bool order_steps = true;    // whether steps may leave the order of the file
  bool poison_freed = false;  // a test aid
  bool plan_templates = true;
  int64_t max_plans = 1024;
  int64_t max_plan_bytes = -1;  // negative: a part of what the session holds
  std::vector<WarmShapes> prewarm;
  // Where packed weights are kept beyond the process: a folder, "beside_model", or empty: nowhere.
  std::string packed_weights_path;
  // Of the optimised model: a file beside it for its large initializers; empty: none.
  std::string optimized_external_file;
  int64_t optimized_external_min_bytes = 1024;
  // One for each entry that has no effect here: unknown, or known and set to something.
  std::vector<std::string> warnings;

  bool operator==(const Config&) const = default;
};

// Reads the keys that start with "waybill." and those of ONNX Runtime that have a meaning here.
// Others of its keys that are about speed give a warning when they ask for something, and keys that
// nobody knows give one.
// Errors, naming key and value: kInvalidArgument for an unknown "waybill." key, a bad value and
// settings of memory that belong elsewhere;
// kNotImplemented for an entry that would change results or write files and is not done here.
Result<Config> ParseConfig(const std::map<std::string, std::string>& entries);

// -1 or a number of milliseconds. `entry` names it in the error, which is kInvalidArgument.
Result<int64_t> ParseTimeoutMs(std::string_view entry, std::string_view text);

}  // namespace waybill::session
