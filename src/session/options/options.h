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

// Graph optimisation levels with ONNX Runtime's meaning: none, basic, extended, layout, all. The
// numbers are those of graph::RewriteLevel.
enum class OptLevel : int { kNone = 0, kBasic = 1, kExtended = 2, kLayout = 3, kAll = 99 };

struct SessionOptions {
  OptLevel level = OptLevel::kAll;
  int intra_op_threads = 0;  // width the session may use of the shared pool; 0: all of it
  // Whether runs take and make denormal numbers as zeros, on every thread they use.
  bool denormals_as_zero = false;
  // Accepted for compatibility. Values other than these change nothing and give a warning: the
  // steps of a run go one after the other, by a plan, in a slab of the shared pool.
  bool mem_pattern = true;
  bool cpu_mem_arena = true;
  bool parallel_steps = false;
  int inter_op_threads = 0;
  std::string log_id;
  std::optional<Severity> severity;  // none: the Env's
  // Session config entries. Known keys are validated when the session is made:
  // (docs/guide/settings.md has the others)
  //   waybill.stop_after_patch = N: apply only the first N patches
  //   waybill.read_model = 1: read the file instead of mapping it
  //   waybill.fold_limit_bytes = N: growth that constant folding may cause (default 1 GiB)
  //   waybill.stream_bytes = N: weights from this size on are dequantized, cast, scaled and
  //     transposed while they are packed, without a whole copy in memory (default 1 MiB)
  //   waybill.plan_cache_plans, waybill.plan_cache_bytes = N: what is kept (exec::PlanBytes)
  //   waybill.prewarm = 1 or SHAPES: what is made ready at load
  //   waybill.step_order = memory or file: whether steps may leave the order of the file
  //   waybill.no_reuse, waybill.poison_freed = 1: for finding faults
  //   waybill.max_inflight = N: runs of the process that hold a slab at once, for runs of this
  //     session to start (default 2 x usable CPUs / width, at least 3 (2 on one CPU), small slabs
  //     not counted); 0: any number
  //   waybill.admission_timeout_ms = N: how long the load may wait for memory, and runs that do not
  //     say it themselves, as RunOptions has it (default -1)
  // and for all sessions of the Env, from then on:
  //   waybill.memory_budget_bytes = N: as Env::SetMemoryBudget
  //   waybill.idle_trim_ms = N: as Env::SetIdleTrim
  std::map<std::string, std::string> config;
  std::map<std::string, int64_t> free_dims_by_name;  // symbol -> size
  std::map<std::string, int64_t> free_dims_by_denotation;
  // Initializers replaced in place by the caller's values, by name.
  std::vector<std::pair<std::string, Value>> initializers;
  std::vector<std::pair<std::string, Value>> external_initializers;
  // External data files of a model, by `location`, as memory borrowed for the session's life, or
  // else, without `keep`, for the load: weights are then used in a copy, shared like others.
  struct FileInMemory {
    std::string location;
    const std::byte* data = nullptr;
    size_t bytes = 0;
    bool keep = true;
    // What the bytes live by where `keep` is set: released after the last session and the last
    // options with them. Null: the caller sees to it.
    std::shared_ptr<const void> owner;
  };
  std::vector<FileInMemory> external_files;
  // Where external data of a model from memory is looked for; empty: nowhere.
  std::string base_directory;
  // Where the model is written as an ONNX file after the rewrites of `level`; empty: nowhere.
  std::string optimized_model_path;
  const std::atomic<bool>* cancel_load = nullptr;  // polled while loading; may be null
  // Where outputs and values of unknown size come from; null: the Env's CPU source.
  std::shared_ptr<MemorySource> output_source;
  // Providers in order of preference, chosen by the composition root.
  std::vector<kernel::Provider> providers;
};

struct RunOptions {
  // Gives idle memory back to the system after the run.
  bool trim = false;
  // Polled between steps; may be null. Set from any thread; the run then ends with kCancelled.
  const std::atomic<bool>* terminate = nullptr;
  // A given output of another shape takes the shape of the result when its bytes are enough for it.
  bool reshape_outputs = false;
  // How long the run may wait until it may start; negative: as long as it takes, or for
  // Admission::kGrace where no run is at work; 0: not at all. None: what the session's entry says.
  std::optional<int64_t> admission_timeout_ms;
  // Names of inputs whose bytes the run may overwrite, so that it needs less of its own: what they
  // hold after it is undefined. An output is made in them only where it is given over the same
  // bytes. Other runs must not use them meanwhile.
  std::vector<std::string> donated_inputs;
};

}  // namespace waybill::session
