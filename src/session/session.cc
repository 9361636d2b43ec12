#include "session/session.h"

#include <algorithm>
#include <chrono>

#include "base/math/denormals.h"
#include "exec/plan/plan.h"
#include "exec/runner/detach.h"
#include "exec/runner/outputs.h"
#include "memory/source/hub.h"
#include "parallel/pool/thread_pool.h"
#include "session/io/donated.h"
#include "session/io/given_outputs.h"
#include "session/io/small_array.h"
#include "session/load/admit_load.h"
#include "session/load/model_store.h"
#include "session/report/memory.h"
#include "session/report/report.h"
#include "session/session_impl.h"

namespace waybill::session {

namespace {

using Clock = std::chrono::steady_clock;

int64_t NsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// The run of a session as events of the memory's trace.
class TracedRun {
 public:
  TracedRun(EventTrace& trace, const void* session) : trace_(trace), session_(session) {
    Record(EventKind::kRunBegin);
  }
  TracedRun(const TracedRun&) = delete;
  TracedRun& operator=(const TracedRun&) = delete;
  ~TracedRun() { Record(EventKind::kRunEnd); }

 private:
  void Record(EventKind kind) {
    if (!trace_.on()) return;
    MemoryEvent event;
    event.kind = kind;
    event.source = EventSource::kRun;
    event.block = reinterpret_cast<uintptr_t>(session_);
    trace_.Record(event);
  }

  EventTrace& trace_;
  const void* session_;
};

Result<std::shared_ptr<Session>> Load(std::shared_ptr<Env> env, const ModelSource& source,
                                      SessionOptions options) {
  const auto start = Clock::now();
  WB_ASSIGN_OR_RETURN(const Config config, ParseConfig(options.config));
  if (config.memory_budget_bytes >= 0) {
    env->SetMemoryBudget(static_cast<uint64_t>(config.memory_budget_bytes));
  }
  if (config.idle_trim_ms >= 0) env->SetIdleTrim(config.idle_trim_ms);
  options.denormals_as_zero |= config.denormals_as_zero;
  if (options.denormals_as_zero && !kDenormalsCanBeZero) {
    return Error(Code::kNotImplemented, "denormals as zero are not implemented for this processor");
  }
  const DenormalScope denormals(options.denormals_as_zero || DenormalsAreZero());
  LogOptionWarnings(*env, options, config);
  ModelStore::Opened opened;
  Status status =
      AdmitLoad(*env, options, config.admission_timeout_ms, [&](LoadPlace& place) -> Status {
        WB_ASSIGN_OR_RETURN(opened, env->models().Open(*env, source, options, config, place));
        return Status::Ok();
      });
  if (!status.ok()) return status;
  LoadReport report;
  if (opened.shared) {
    LogWarnings(*env, options, opened.model->model->warnings);
    report.shared = true;
    report.read_ns = NsSince(start);
  } else {
    report = opened.model->report;
  }
  report.total_ns = NsSince(start);
  Env& of_session = *env;
  const exec::PlanCache& plans = opened.model->program->plans();
  auto session = std::make_shared<SessionImpl>(std::move(env), std::move(opened.model), report,
                                               options, config);
  const uint64_t evicted_before = plans.Stats().evictions;
  for (const WarmShapes& set : config.prewarm) {
    const std::vector<std::string_view> names(set.names.begin(), set.names.end());
    WB_RETURN_IF_ERROR(session->WarmUp(names, set.shapes, options.cancel_load), "waybill.prewarm");
  }
  if (const uint64_t evicted = plans.Stats().evictions - evicted_before; evicted != 0) {
    LogWarnings(of_session, options,
                {Format("waybill.prewarm: {} of {} plans had no room among those that are kept; "
                        "waybill.plan_cache_bytes and waybill.plan_cache_plans make more",
                        evicted, config.prewarm.size())});
  }
  return std::shared_ptr<Session>(std::move(session));
}

std::vector<std::shared_ptr<const void>> OwnersOf(const SessionOptions& options) {
  std::vector<std::shared_ptr<const void>> owners;
  for (const SessionOptions::FileInMemory& file : options.external_files) {
    if (file.keep && file.owner != nullptr) owners.push_back(file.owner);
  }
  return owners;
}

// By default twice as many as can compute at once: while one delivers, the next is there. No fewer
// than a third beside two: the kernel often wakes a thread on the CPU where it ran last, behind
// another one, and the CPU of the run that ended would have nothing to do (docs/adr/0025).
uint32_t MaxInflight(const Env& env, const Config& config, size_t width) {
  const size_t cpus = env.usable_cpus();
  const auto by_default =
      static_cast<int64_t>(std::max(2 * cpus / width, std::min<size_t>(cpus, 2) + 1));
  const int64_t wanted = config.max_inflight < 0 ? by_default : config.max_inflight;
  return static_cast<uint32_t>(std::min<int64_t>(wanted, UINT32_MAX));
}

}  // namespace

Result<std::shared_ptr<Session>> Session::LoadFile(std::shared_ptr<Env> env,
                                                   const std::string& path,
                                                   SessionOptions options) {
  ModelSource source;
  source.path = path;
  source.is_file = true;
  return Load(std::move(env), source, std::move(options));
}

Result<std::shared_ptr<Session>> Session::LoadBytes(std::shared_ptr<Env> env,
                                                    std::span<const std::byte> bytes, bool keep,
                                                    SessionOptions options) {
  ModelSource source;
  source.bytes = bytes;
  source.keep = keep;
  return Load(std::move(env), source, std::move(options));
}

SessionImpl::SessionImpl(std::shared_ptr<Env> env, std::shared_ptr<const Loaded> loaded,
                         const LoadReport& report, const SessionOptions& options,
                         const Config& config)
    : env_(std::move(env)),
      slabs_(env_->hub().slabs),
      dynamic_(options.output_source != nullptr ? options.output_source : env_->hub().system),
      trace_(env_->hub().ledger->trace()),
      width_(WidthOf(*env_, options)),
      max_inflight_(MaxInflight(*env_, config, width_)),
      counts_small_slabs_(config.max_inflight > 0),
      admission_timeout_ms_(config.admission_timeout_ms),
      loaded_(std::move(loaded)),
      file_owners_(OwnersOf(options)),
      report_(report),
      denormals_as_zero_(options.denormals_as_zero) {
  loaded_->sessions_live.fetch_add(1, std::memory_order_relaxed);
  loaded_->sessions_created.fetch_add(1, std::memory_order_relaxed);
}

SessionImpl::~SessionImpl() { loaded_->sessions_live.fetch_sub(1, std::memory_order_relaxed); }

exec::RunEnv SessionImpl::MakeRunEnv() const {
  exec::RunEnv env;
  env.slabs = &slabs_;
  env.slab_pool = env_->hub().slabs.get();
  env.dynamic = &dynamic_;
  env.constants = &env_->hub().system;
  env.pool = &env_->pool();
  env.width = width_;
  env.admission = env_->hub().admission.get();
  env.max_inflight = max_inflight_;
  env.counts_small_slabs = counts_small_slabs_;
  env.admission_timeout_ms = admission_timeout_ms_;
  return env;
}

Status SessionImpl::CompleteInputs(std::span<const Value*> feeds) const {
  static const Value kNothing;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i] != nullptr) continue;
    if (loaded_->defaults[i].defined()) {
      feeds[i] = &loaded_->defaults[i];
    } else if (signature().is_optional(i)) {
      feeds[i] = &kNothing;
    } else {
      return Error(Code::kInvalidArgument, "Missing Input: {}", signature().input_name(i));
    }
  }
  return Status::Ok();
}

Status SessionImpl::Run(const RunOptions& options, std::span<const std::string_view> input_names,
                        std::span<const Value> inputs,
                        std::span<const std::string_view> output_names, std::span<Value> outputs) {
  if (input_names.size() != inputs.size() || output_names.size() != outputs.size()) {
    return Error(Code::kInvalidArgument, "{} input names for {} inputs, {} output names for {}",
                 input_names.size(), inputs.size(), output_names.size(), outputs.size());
  }
  if (outputs.empty()) {
    return Error(Code::kInvalidArgument, "At least one output should be requested.");
  }
  SmallArray<const Value*, 32> feeds(signature().num_inputs());
  SmallArray<int64_t, 32> symbols(signature().num_symbols());
  std::fill(symbols.span().begin(), symbols.span().end(), -1);
  for (size_t k = 0; k < inputs.size(); ++k) {
    WB_ASSIGN_OR_RETURN(const size_t i, signature().FindInput(input_names[k]));
    if (feeds[i] != nullptr) {
      return Error(Code::kInvalidArgument, "input {} is given twice", input_names[k]);
    }
    WB_RETURN_IF_ERROR(signature().CheckInput(i, inputs[k], symbols.span()));
    feeds[i] = &inputs[k];
  }
  // The same output may be asked for twice: the first one is written, the others get copies.
  SmallArray<size_t, 32> places(outputs.size());
  SmallArray<Value, 16> results(signature().num_outputs());
  SmallArray<bool, 16> taken(signature().num_outputs());
  for (size_t k = 0; k < outputs.size(); ++k) {
    WB_ASSIGN_OR_RETURN(places[k], signature().FindOutput(output_names[k]));
    if (!taken[places[k]]) results[places[k]] = outputs[k];
    taken[places[k]] = true;
  }
  std::vector<exec::Donation> donated;
  if (!options.donated_inputs.empty()) {
    WB_ASSIGN_OR_RETURN(
        donated, FindDonated(signature(), options.donated_inputs, feeds.span(), results.span()));
  }
  bool written_together = false;  // several outputs where the caller wants them
  WB_RETURN_IF_ERROR(CheckApart(output_names, outputs, &written_together));
  WB_RETURN_IF_ERROR(CompleteInputs(feeds.span()));
  exec::RunEnv env = MakeRunEnv();
  env.donated = donated;
  env.terminate = options.terminate;
  env.reshape_outputs = options.reshape_outputs;
  if (options.admission_timeout_ms) env.admission_timeout_ms = *options.admission_timeout_ms;
  const DenormalScope denormals(denormals_as_zero_ || DenormalsAreZero());
  const bool profiled = profiling_.load(std::memory_order_relaxed);
  {
    const TracedRun traced(trace_, this);
    WB_RETURN_IF_ERROR(profiled ? RunProfiled(env, feeds.span(), results.span())
                                : exec::Run(*loaded_->program, env, feeds.span(), results.span()));
  }
  if (!planned_.load(std::memory_order_relaxed)) planned_.store(true, std::memory_order_relaxed);
  for (size_t k = outputs.size(); k-- > 0;) {
    Value& result = results[places[k]];
    const auto first = std::find(places.span().begin(), places.span().end(), places[k]);
    if (static_cast<size_t>(first - places.span().begin()) == k) {
      outputs[k] = std::move(result);  // the last look at it: copies were made before
      continue;
    }
    if (result.tensor() == nullptr) {
      WB_RETURN_IF_ERROR(
          exec::CheckGivenKind(signature().output_name(places[k]), result, outputs[k]));
      const Value* const held[] = {&result};
      WB_ASSIGN_OR_RETURN(outputs[k], exec::Detacher(held, dynamic_).Take(result));
      continue;
    }
    const TensorView& made = result.tensor()->view();
    if (outputs[k].defined()) {
      WB_RETURN_IF_ERROR(exec::CopyToGiven(signature().output_name(places[k]), made,
                                           options.reshape_outputs, outputs[k]));
      continue;
    }
    WB_ASSIGN_OR_RETURN(Tensor copy, CopyTensor(made, dynamic_, MemoryTag::kOutput));
    outputs[k] = Value(std::move(copy));
  }
  if (options.trim) env_->TrimIdle();
  // Some may have taken more of their buffers than their shapes said.
  if (!options.reshape_outputs || !written_together) return Status::Ok();
  return CheckApart(output_names, outputs);
}

Result<std::vector<TensorView>> SessionImpl::ResolveInputs(std::span<const std::string_view> names,
                                                           std::span<const Shape> shapes) const {
  if (names.size() != shapes.size()) {
    return Error(Code::kInvalidArgument, "{} names for {} shapes", names.size(), shapes.size());
  }
  std::vector<TensorView> views(signature().num_inputs());
  std::vector<int64_t> symbols(signature().num_symbols(), -1);
  std::vector<bool> given(views.size(), false);
  for (size_t k = 0; k < names.size(); ++k) {
    WB_ASSIGN_OR_RETURN(const size_t i, signature().FindInput(names[k]));
    if (given[i]) return Error(Code::kInvalidArgument, "input {} is given twice", names[k]);
    for (const int64_t dim : shapes[k].dims()) {
      if (dim >= 0) continue;
      return Error(Code::kInvalidArgument, "input {} can not have the shape {}", names[k],
                   shapes[k]);
    }
    WB_RETURN_IF_ERROR(signature().CheckShape(i, shapes[k], symbols));
    views[i] = {signature().input_type(i).dtype, shapes[k], nullptr, {}};
    given[i] = true;
  }
  for (size_t i = 0; i < views.size(); ++i) {
    const ValueType& type = signature().input_type(i);
    if (given[i] || !type.is_tensor()) continue;
    if (const Tensor* tensor = loaded_->defaults[i].tensor()) {
      views[i] = tensor->view();
      continue;
    }
    WB_ASSIGN_OR_RETURN(Shape shape, signature().ResolveShape(i, symbols));
    views[i] = {type.dtype, std::move(shape), nullptr, {}};
  }
  return views;
}

Result<std::shared_ptr<const exec::Plan>> SessionImpl::FindPlan(
    std::span<const std::string_view> names, std::span<const Shape> shapes) const {
  WB_ASSIGN_OR_RETURN(const std::vector<TensorView> views, ResolveInputs(names, shapes));
  planned_.store(true, std::memory_order_relaxed);
  return exec::PlanFor(*loaded_->program, MakeRunEnv(), views);
}

std::shared_ptr<const exec::Plan> SessionImpl::LatestPlan() const {
  return planned_.load(std::memory_order_relaxed) ? loaded_->program->plans().Latest() : nullptr;
}

Result<std::shared_ptr<const exec::Plan>> SessionImpl::LatestOrFor(
    std::span<const std::string_view> names, std::span<const Shape> shapes) const {
  if (names.empty()) {
    if (auto plan = LatestPlan()) return plan;
  }
  return FindPlan(names, shapes);
}

Status SessionImpl::WarmUp(std::span<const std::string_view> names, std::span<const Shape> shapes,
                           const std::atomic<bool>* cancel) {
  WB_ASSIGN_OR_RETURN(const std::vector<TensorView> views, ResolveInputs(names, shapes));
  planned_.store(true, std::memory_order_relaxed);
  exec::RunEnv env = MakeRunEnv();
  env.terminate = cancel;
  return exec::Prewarm(*loaded_->program, env, views);
}

Result<PlanReport> SessionImpl::PlanFor(std::span<const std::string_view> names,
                                        std::span<const Shape> shapes) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const exec::Plan> plan, LatestOrFor(names, shapes));
  return ReportOf(*plan);
}

Result<std::string> SessionImpl::MemoryJson(std::span<const std::string_view> names,
                                            std::span<const Shape> shapes) const {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const exec::Plan> plan, LatestOrFor(names, shapes));
  return WriteMemory(*loaded_->program, *plan);
}

Result<std::string> SessionImpl::PlanCsv(std::span<const std::string_view> names,
                                         std::span<const Shape> shapes) const {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const exec::Plan> plan, LatestOrFor(names, shapes));
  return WritePlanCsv(*plan);
}

Result<std::string> SessionImpl::PlanJson() const {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const exec::Plan> plan, LatestOrFor({}, {}));
  return WritePlan(*loaded_->program, *plan);
}

std::string SessionImpl::PatchesJson() const { return WritePatches(loaded_->rewrites); }

std::string SessionImpl::KernelsJson() const { return WriteKernels(loaded_->build); }

Status SessionImpl::RunProfiled(exec::RunEnv env, std::span<const Value* const> inputs,
                                std::span<Value> outputs) {
  exec::RunProfile profile(width_ == 1);
  env.watcher = &profile;
  WB_RETURN_IF_ERROR(exec::Run(*loaded_->program, env, inputs, outputs));
  const std::lock_guard lock(profile_mutex_);
  profile_.Add(profile);
  ++profiled_runs_;
  return Status::Ok();
}

void SessionImpl::SetProfiling(bool on) {
  const std::lock_guard lock(profile_mutex_);
  if (on) {
    profile_ = exec::RunProfile(true);
    profiled_runs_ = 0;
  }
  profiling_.store(on, std::memory_order_relaxed);
}

std::string SessionImpl::ProfileJson() const {
  const std::lock_guard lock(profile_mutex_);
  return WriteProfile(*loaded_->program, profile_, profiled_runs_);
}

}  // namespace waybill::session
