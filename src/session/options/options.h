// Options of sessions and runs: plain structs, copied in; changing one later changes no session.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/select/select.h"
#include "session/options/env.h"
#include "tensor/value/value.h"

namespace waybill::session {

// Graph optimisation levels with ONNX Runtime's meaning: none, basic, extended, all.
enum class OptLevel : int { kNone = 0, kBasic = 1, kExtended = 2, kAll = 99 };

struct SessionOptions {
  OptLevel level = OptLevel::kAll;
  int intra_op_threads = 0;  // width the session may use of the shared pool; 0: all of it
  bool mem_pattern = true;   // accepted for compatibility; plans are always made
  bool cpu_mem_arena = true;
  std::string log_id;
  std::optional<Severity> severity;  // none: the Env's
  // Session config entries. Known keys are validated when the session is made:
  //   waybill.stop_after_patch = N: apply only the first N patches
  //   waybill.read_model = 1: read the file instead of mapping it
  //   waybill.fold_limit_bytes = N: growth that constant folding may cause (default 1 GiB)
  std::map<std::string, std::string> config;
  std::map<std::string, int64_t> free_dims_by_name;  // symbol -> size
  std::map<std::string, int64_t> free_dims_by_denotation;
  // Initializers replaced in place by the caller's values, by name.
  std::vector<std::pair<std::string, Value>> initializers;
  std::vector<std::pair<std::string, Value>> external_initializers;
  // External data files of a model, by `location`, as memory borrowed for the session's life.
  struct FileInMemory {
    std::string location;
    const std::byte* data = nullptr;
    size_t bytes = 0;
  };
  std::vector<FileInMemory> external_files;
  // Where external data of a model from memory is looked for; empty: nowhere.
  std::string base_directory;
  std::string optimized_model_path;                // write the optimised model here; empty: do not
  const std::atomic<bool>* cancel_load = nullptr;  // polled while loading; may be null
  // Providers in order of preference, chosen by the composition root.
  std::vector<kernel::Provider> providers;
};

struct RunOptions {
  std::string tag;
  Severity severity = Severity::kWarning;
  // Polled between steps; may be null. Set from any thread; the run then ends with kCancelled.
  const std::atomic<bool>* terminate = nullptr;
};

}  // namespace waybill::session
