// What one process shares: memory, threads, logging. Sessions hold a share in it, so it may be
// dropped before them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status/result.h"

namespace waybill {
class MemorySource;
class ThreadPool;
class WeightStore;
struct MemoryHub;
}  // namespace waybill

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
  // Bytes in use by tag, as JSON.
  virtual std::string MemoryJson() const = 0;
  // Gives idle slabs back to the system.
  virtual void Trim() = 0;
};

}  // namespace waybill::session
