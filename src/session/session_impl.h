// The Session that LoadFile and LoadBytes make.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exec/runner/profile.h"
#include "exec/runner/run.h"
#include "memory/ledger/trace.h"
#include "session/io/signature.h"
#include "session/load/load.h"
#include "session/session.h"

namespace waybill::session {

class SessionImpl final : public Session {
 public:
  SessionImpl(std::shared_ptr<Env> env, std::shared_ptr<const Loaded> loaded,
              const LoadReport& report, const SessionOptions& options, const Config& config);
  ~SessionImpl() override;

  const std::vector<IoInfo>& inputs() const override { return loaded_->inputs; }
  const std::vector<IoInfo>& outputs() const override { return loaded_->outputs; }
  const std::vector<IoInfo>& overridable_initializers() const override {
    return loaded_->overridable;
  }
  const graph::Model& model() const override { return *loaded_->model; }
  const LoadReport& load_report() const override { return report_; }

  Status Run(const RunOptions& options, std::span<const std::string_view> input_names,
             std::span<const Value> inputs, std::span<const std::string_view> output_names,
             std::span<Value> outputs) override;

  Result<PlanReport> PlanFor(std::span<const std::string_view> names,
                             std::span<const Shape> shapes) override;
  Result<std::string> MemoryJson(std::span<const std::string_view> names,
                                 std::span<const Shape> shapes) const override;
  Result<std::string> PlanCsv(std::span<const std::string_view> names,
                              std::span<const Shape> shapes) const override;
  Status Prewarm(std::span<const std::string_view> names, std::span<const Shape> shapes) override {
    return WarmUp(names, shapes, nullptr);
  }
  // Likewise; `cancel`, which may be null, ends its wait for memory.
  Status WarmUp(std::span<const std::string_view> names, std::span<const Shape> shapes,
                const std::atomic<bool>* cancel);
  Result<std::string> PlanJson() const override;
  std::string PatchesJson() const override;
  std::string KernelsJson() const override;
  void SetProfiling(bool on) override;
  std::string ProfileJson() const override;

 private:
  const Signature& signature() const { return *loaded_->signature; }
  exec::RunEnv MakeRunEnv() const;
  // exec::Run, with a profile.
  Status RunProfiled(exec::RunEnv env, std::span<const Value* const> inputs,
                     std::span<Value> outputs);
  // Fills inputs that the caller left out and reports those that nobody can fill.
  Status CompleteInputs(std::span<const Value*> feeds) const;
  // The plan for these shapes; with no names that of the last run, if there was one.
  Result<std::shared_ptr<const exec::Plan>> LatestOrFor(std::span<const std::string_view> names,
                                                        std::span<const Shape> shapes) const;
  // One type and shape per input, without data: those given, else defaults and declared shapes.
  Result<std::vector<TensorView>> ResolveInputs(std::span<const std::string_view> names,
                                                std::span<const Shape> shapes) const;
  Result<std::shared_ptr<const exec::Plan>> FindPlan(std::span<const std::string_view> names,
                                                     std::span<const Shape> shapes) const;
  // The plan used last; null until this session ran or was asked for a plan.
  std::shared_ptr<const exec::Plan> LatestPlan() const;

  std::shared_ptr<Env> env_;
  std::shared_ptr<MemorySource> slabs_, dynamic_;
  EventTrace& trace_;  // of the Env's memory
  size_t width_ = 1;
  const uint32_t max_inflight_;  // as exec::RunEnv has it
  const bool counts_small_slabs_;
  const int64_t admission_timeout_ms_;          // of runs that do not say it
  const std::shared_ptr<const Loaded> loaded_;  // shared with other sessions
  // Of the files in memory that this session's own options named: `loaded_` has those of the first.
  const std::vector<std::shared_ptr<const void>> file_owners_;
  const LoadReport report_;
  const bool denormals_as_zero_;
  mutable std::atomic<bool> planned_{false};  // this session used a plan

  std::atomic<bool> profiling_{false};
  mutable std::mutex profile_mutex_;
  exec::RunProfile profile_{true};
  uint64_t profiled_runs_ = 0;
};

}  // namespace waybill::session
