#include "session/options/env.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "exec/runner/account.h"
#include "memory/admission/cgroup_memory.h"
#include "memory/source/hub.h"
#include "memory/weights/weight_store.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/topology/usable_cpus.h"
#include "session/load/model_store.h"
#include "session/load/model_use.h"
#include "session/options/log_format.h"
#include "session/report/env_memory.h"

namespace waybill::session {

namespace {

// 0 asks for none.
size_t BudgetOf(uint64_t bytes) {
  return bytes == 0 ? MemoryBudget::kUnlimited
                    : static_cast<size_t>(std::min<uint64_t>(bytes, MemoryBudget::kUnlimited));
}

size_t BudgetOf(const EnvOptions& options) {
  if (options.memory_budget_bytes) return BudgetOf(*options.memory_budget_bytes);
  return CgroupMemoryLeft().value_or(MemoryBudget::kUnlimited);
}

class EnvImpl final : public Env {
 public:
  explicit EnvImpl(EnvOptions options)
      : options_(std::move(options)),
        severity_(options_.severity),
        usable_cpus_(UsableCpus()),
        hub_({.idle_trim_ms = options_.idle_trim_ms}, options_.wrap_source, BudgetOf(options_)),
        pool_(MakeThreadPool(options_.threads > 0 ? static_cast<size_t>(options_.threads)
                                                  : usable_cpus_)) {}

  const std::shared_ptr<MemorySource>& cpu_source() override { return hub_.system; }
  ThreadPool& pool() override { return *pool_; }
  MemoryHub& hub() override { return hub_; }
  exec::RunBook& runs() override { return runs_; }
  WeightStore& weights() override { return weights_; }
  ModelStore& models() override { return models_; }

  void Log(Severity severity, std::string_view log_id, std::string_view location,
           std::string_view message) override {
    if (severity < severity_.load(std::memory_order_relaxed)) return;
    LogAlways(severity, log_id, location, message);
  }

  void LogAlways(Severity severity, std::string_view log_id, std::string_view location,
                 std::string_view message) override {
    const std::string_view id = log_id.empty() ? std::string_view(options_.log_id) : log_id;
    if (options_.sink) {
      options_.sink(severity, kCategory, id, location, message);
      return;
    }
    const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const std::string line =
        FormatLogLine(now, severity, kCategory, id, location, message, terminal);
    std::fwrite(line.data(), 1, line.size(), stderr);
  }

  void SetSeverity(Severity severity) override { severity_ = severity; }
  Severity severity() const override { return severity_; }

  std::string MemoryJson() override { return WriteEnvMemory(hub_, runs_.Sum(), ModelUses(*this)); }

  // Outputs that were dropped leave holes in the heap, which the system gets back only when asked.
  void TrimIdle() override {
    hub_.Trim();
    malloc_trim(0);
  }
  void Trim() override {
    for (const auto& loaded : models_.Live()) loaded->program->Trim();
    TrimIdle();
  }
  void SetMemoryBudget(uint64_t bytes) override { hub_.SetBudget(BudgetOf(bytes)); }
  void SetIdleTrim(int64_t idle_trim_ms) override { hub_.SetIdleTrim(idle_trim_ms); }
  size_t usable_cpus() const override { return usable_cpus_; }

 private:
  static constexpr std::string_view kCategory = "onnxruntime";  // as clients of the C API expect

  const EnvOptions options_;
  std::atomic<Severity> severity_;
  const size_t usable_cpus_;
  MemoryHub hub_;
  exec::RunBook runs_;
  std::shared_ptr<ThreadPool> pool_;
  WeightStore weights_;
  ModelStore models_;
};

}  // namespace

Result<std::shared_ptr<Env>> Env::Create(EnvOptions options) {
  return std::shared_ptr<Env>(std::make_shared<EnvImpl>(std::move(options)));
}

}  // namespace waybill::session
