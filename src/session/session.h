// A loaded model that runs. Immutable after Load; Run may be called from any number of threads.
// Sessions of one Env on the same model with the same options that decide loading (not threads, log
// or profiling) share everything that does not change: graph, program, weights, plans.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "session/options/options.h"
#include "tensor/value/value.h"

namespace waybill::session {

// One input, output or overridable initializer as the model declares it.
struct IoInfo {
  std::string name;
  ValueType type;
};

// Nanoseconds of each phase of a load. A session whose model was loaded already has spent its time
// in reading, that is looking for it, alone.
struct LoadReport {
  int64_t read_ns = 0, import_ns = 0, rewrite_ns = 0, select_ns = 0, pack_ns = 0, order_ns = 0;
  int64_t total_ns = 0;
  bool shared = false;  // with a session that was there before
};

// What one plan costs, in bytes.
struct PlanReport {
  size_t planned_bytes = 0;   // slab
  size_t bound_bytes = 0;     // no placement can need less
  size_t no_reuse_bytes = 0;  // every value at its own place
  size_t steps = 0, planned_values = 0, dynamic_values = 0;
  size_t output_bytes = 0;   // of outputs whose sizes are known; not in the slab
  size_t scratch_bytes = 0;  // largest that one step works in
  size_t peak_step = 0;      // the first of those with the most bytes alive
};

class Session {
 public:
  static Result<std::shared_ptr<Session>> LoadFile(std::shared_ptr<Env> env,
                                                   const std::string& path, SessionOptions options);
  // `bytes` is borrowed for the session's life when `keep` is set (its constants are used in
  // place), else only for the call.
  static Result<std::shared_ptr<Session>> LoadBytes(std::shared_ptr<Env> env,
                                                    std::span<const std::byte> bytes, bool keep,
                                                    SessionOptions options);
  virtual ~Session() = default;

  virtual const std::vector<IoInfo>& inputs() const = 0;  // without initializers
  virtual const std::vector<IoInfo>& outputs() const = 0;
  virtual const std::vector<IoInfo>& overridable_initializers() const = 0;
  virtual const graph::Model& model() const = 0;  // metadata; the graph after rewrites

  // Runs once. `input_names[i]` is fed `inputs[i]` (used in place for the call, written only
  // where it is donated).
  // `outputs` has one entry per output name: an undefined Value is filled with a fresh one, a
  // defined tensor is written in place (its type and shape must fit, see RunOptions). A defined
  // output may lie over bytes of inputs, which are copied first; then they are lost.
  // Errors: kInvalidArgument for unknown, missing or doubled names, wrong types or shapes, defined
  // outputs that share bytes and inputs that can not be donated, before anything runs; kCancelled;
  // kOutOfMemory; what kernels report, with the node named.
  virtual Status Run(const RunOptions& options, std::span<const std::string_view> input_names,
                     std::span<const Value> inputs, std::span<const std::string_view> output_names,
                     std::span<Value> outputs) = 0;

  virtual const LoadReport& load_report() const = 0;
  // The plan for given input shapes, without running. Inputs not named take their declared shape;
  // a free dimension that stays open is kInvalidArgument naming it. With no names at all: once this
  // session used one, the plan used last, by it or by one that shares its model, as long as no trim
  // gave it up.
  virtual Result<PlanReport> PlanFor(std::span<const std::string_view> names,
                                     std::span<const Shape> shapes) = 0;
  // What a run of these shapes (as for PlanFor) needs and why, and what runs so far reused: a JSON
  // document, docs/schemas/memory.schema.json. The plan alone as a planning problem with its
  // answer: CSV, see memory/plan/csv.h.
  virtual Result<std::string> MemoryJson(std::span<const std::string_view> names,
                                         std::span<const Shape> shapes) const = 0;
  virtual Result<std::string> PlanCsv(std::span<const std::string_view> names,
                                      std::span<const Shape> shapes) const = 0;
  // Plans for these shapes as PlanFor does, and makes the memory of one run with them ready, so
  // that the first run asks for none. Errors: as PlanFor; kOutOfMemory.
  virtual Status Prewarm(std::span<const std::string_view> names,
                         std::span<const Shape> shapes) = 0;
  // JSON documents: plan of the shape key used last (or of declared shapes), patches applied at
  // load, kernel chosen per node with the refusals before it.
  virtual Result<std::string> PlanJson() const = 0;
  virtual std::string PatchesJson() const = 0;
  virtual std::string KernelsJson() const = 0;

  // Whether runs count the time of each step. Starting forgets what was counted. Thread-safe; runs
  // under way keep to what they began with.
  virtual void SetProfiling(bool on) = 0;
  // JSON: time, calls and kernel by step, of all runs that ended since profiling started.
  virtual std::string ProfileJson() const = 0;
};

}  // namespace waybill::session
