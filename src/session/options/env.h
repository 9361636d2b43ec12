// What one process shares: memory, threads, logging. Sessions hold a share in it, so it may be
// dropped before them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status/result.h"

namespace waybill {
class MemorySource;
class ThreadPool;
class WeightStore;
struct MemoryHub;
}  // namespace waybill

namespace waybill::exec {
class RunBook;
}

namespace waybill::session {

class ModelStore;

enum class Severity : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3, kFatal = 4 };

// category, log id, code location and message of one line. Called from any thread.
using LogSink = std::function<void(Severity, std::string_view category, std::string_view log_id,
                                   std::string_view location, std::string_view message)>;

struct EnvOptions {
  Severity severity = Severity::kWarning;
  std::string log_id;
  LogSink sink;     // empty: stderr
  int threads = 0;  // of the shared pool; 0: as many as the process may use
  // Bytes that all memory of the Env may come to; 0: any number. None: what the control groups of
  // the process have left when the Env is made.
  std::optional<uint64_t> memory_budget_bytes;
  int64_t idle_trim_ms = 30'000;  // see Env::SetIdleTrim
  // Where not empty: asked once for each source of host memory; what it returns is used instead.
  std::function<std::shared_ptr<MemorySource>(std::shared_ptr<MemorySource>)> wrap_source;
};

class Env {
 public:
  static Result<std::shared_ptr<Env>> Create(EnvOptions options);
  virtual ~Env() = default;

  // System memory of the CPU, every byte in the ledger.
  virtual const std::shared_ptr<MemorySource>& cpu_source() = 0;
  virtual ThreadPool& pool() = 0;
  // All memory sources; the Env owns it.
  virtual MemoryHub& hub() = 0;
  // The accounts of all runs.
  virtual exec::RunBook& runs() = 0;
  // Constants in the form that kernels read, shared by models.
  virtual WeightStore& weights() = 0;
  // The loaded models, shared by sessions.
  virtual ModelStore& models() = 0;
  // Drops lines below the Env's severity.
  virtual void Log(Severity severity, std::string_view log_id, std::string_view location,
                   std::string_view message) = 0;
  // For callers with a severity of their own (sessions, runs): writes the line whatever it is.
  virtual void LogAlways(Severity severity, std::string_view log_id, std::string_view location,
                         std::string_view message) = 0;
  virtual void SetSeverity(Severity severity) = 0;
  virtual Severity severity() const = 0;
  // Bytes in use by tag and by holder, as JSON.
  virtual std::string MemoryJson() = 0;
  // Gives idle slabs and free heap back to the system.
  virtual void TrimIdle() = 0;
  // The same after giving up what sessions hold beside their weights: plans, the constants computed
  // in them, frames of finished runs. The next run of each shape plans anew. Runs under way keep
  // what they use.
  virtual void Trim() = 0;
  // From now on; 0: none. What is in use stays, runs and loads beyond it wait or are refused.
  virtual void SetMemoryBudget(uint64_t bytes) = 0;
  // Slabs that nobody needed whole for this long go back to the system; 0: only a trim does.
  virtual void SetIdleTrim(int64_t idle_trim_ms) = 0;
  // CPUs that the process may use, as far as its affinity and its control groups say.
  virtual size_t usable_cpus() const = 0;
};

}  // namespace waybill::session
