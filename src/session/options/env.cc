#include "session/options/env.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "base/json/json_writer.h"
#include "memory/admission/cgroup_memory.h"
#include "memory/source/hub.h"
#include "memory/weights/weight_store.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/topology/usable_cpus.h"
#include "session/load/model_store.h"
#include "session/options/log_format.h"

namespace waybill::session {

namespace {

void WriteUse(JsonWriter& json, const MemoryUse& use) {
  json.Field("bytes_in_use", use.bytes_in_use).Field("peak_bytes", use.peak_bytes);
  json.Field("takes", use.takes).Field("gives", use.gives);
}

void WriteAdmission(JsonWriter& json, const MemoryHub& hub) {
  const MemoryBudget& budget = *hub.budget;
  json.Key("budget").BeginObject();
  if (budget.limited()) json.Field("bytes", budget.limit());
  json.Field("bytes_in_use", budget.in_use()).Field("peak_bytes", budget.peak());
  json.Field("refusals", budget.refusals()).EndObject();
  const AdmissionStats stats = hub.admission->Stats();
  json.Key("admission").BeginObject();
  json.Field("admitted", stats.admitted).Field("waited", stats.waited);
  json.Field("refused", stats.refused).Field("cancelled", stats.cancelled);
  json.Field("waiting", stats.waiting).Field("peak_waiting", stats.peak_waiting);
  json.Field("wait_ns", stats.wait_ns).EndObject();
}

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

  std::string MemoryJson() const override {
    JsonWriter json;
    json.BeginObject().Key("devices").BeginArray();
    for (const DeviceUse& use : hub_.ledger->Snapshot()) {
      json.BeginObject().Field("device", use.device.ToString()).Key("total").BeginObject();
      WriteUse(json, use.total);
      json.EndObject().Key("by_tag").BeginObject();
      for (size_t tag = 0; tag < kMemoryTagCount; ++tag) {
        json.Key(MemoryTagName(static_cast<MemoryTag>(tag))).BeginObject();
        WriteUse(json, use.by_tag[tag]);
        json.EndObject();
      }
      json.EndObject().EndObject();
    }
    const SlabPoolStats stats = hub_.slabs->Stats();
    json.EndArray().Key("slab_pool").BeginObject();
    json.Field("hits", stats.hits).Field("misses", stats.misses).Field("trims", stats.trims);
    json.Field("bytes_held", stats.bytes_held).Field("bytes_leased", stats.bytes_leased);
    json.Field("peak_bytes_held", stats.peak_bytes_held);
    json.Field("peak_bytes_leased", stats.peak_bytes_leased).Field("refusals", stats.refusals);
    json.Field("reused_bytes", stats.reused_bytes);
    json.Field("allocated_bytes", stats.allocated_bytes).EndObject();
    WriteAdmission(json, hub_);
    return json.EndObject().Take();
  }

  void Trim() override { hub_.Trim(); }
  void SetMemoryBudget(uint64_t bytes) override { hub_.SetBudget(BudgetOf(bytes)); }
  void SetIdleTrim(int64_t idle_trim_ms) override { hub_.slabs->SetIdleTrim(idle_trim_ms); }
  size_t usable_cpus() const override { return usable_cpus_; }

 private:
  static constexpr std::string_view kCategory = "onnxruntime";  // as clients of the C API expect

  const EnvOptions options_;
  std::atomic<Severity> severity_;
  const size_t usable_cpus_;
  MemoryHub hub_;
  std::shared_ptr<ThreadPool> pool_;
  WeightStore weights_;
  ModelStore models_;
};

}  // namespace

Result<std::shared_ptr<Env>> Env::Create(EnvOptions options) {
  return std::shared_ptr<Env>(std::make_shared<EnvImpl>(std::move(options)));
}

}  // namespace waybill::session
