#include "session/report/report.h"

#include <algorithm>
#include <vector>

#include "exec/plan/control_plan.h"
#include "session/report/peak.h"
#include "session/report/values.h"

namespace waybill::session {

namespace {

void WriteSteps(const exec::Program& program, const exec::RunProfile& profile,
                const std::string& prefix, JsonWriter& json) {
  for (const exec::Step& step : program.steps()) {
    if (const auto found = profile.steps().find(&step); found != profile.steps().end()) {
      const exec::StepTimes& times = found->second;
      json.BeginObject().Field("node", prefix + step.node->Describe());
      json.Field("op", step.node->op_type).Field("kernel", step.impl);
      json.Field("inputs", times.inputs).Field("calls", times.calls);
      json.Field("total_ns", times.total_ns).Field("least_ns", times.least_ns).EndObject();
    }
    for (const uint32_t body : step.bodies) {
      WriteSteps(program.body(body), profile, Format("{}{}/", prefix, step.node->name), json);
    }
  }
}

size_t OutputBytes(const exec::Plan& plan) {
  size_t bytes = 0;
  for (const exec::OutputPlan& output : plan.outputs) {
    if (output.mode == exec::OutputMode::kDynamic) continue;
    const auto one = Tensor::BytesFor(output.dtype, output.shape);
    if (one.ok()) bytes += *one;
  }
  return bytes;
}

// In place of the slab of bodies the most that one of their steps works in.
size_t ScratchBytes(const exec::Plan& plan) {
  std::vector<size_t> by_step(plan.steps.size());
  for (const exec::PlannedBuffer& buffer : plan.buffers) {
    if (!buffer.is_scratch) continue;
    size_t bytes = buffer.bodies == nullptr ? buffer.life.bytes : 0;
    if (buffer.bodies != nullptr) {
      for (const auto& body : buffer.bodies->bodies) {
        if (body != nullptr) bytes = std::max(bytes, ScratchBytes(*body));
      }
    }
    by_step[buffer.life.first_step - plan.first_step] += bytes;
  }
  return by_step.empty() ? 0 : *std::max_element(by_step.begin(), by_step.end());
}

}  // namespace

PlanReport ReportOf(const exec::Plan& plan) {
  PlanReport report;
  report.planned_bytes = plan.figures.slab_bytes;
  report.bound_bytes = plan.figures.bound_bytes;
  report.no_reuse_bytes = plan.figures.no_reuse_bytes;
  report.steps = plan.steps.size();
  report.planned_values = plan.figures.planned_values;
  report.dynamic_values = plan.figures.dynamic_values;
  report.output_bytes = OutputBytes(plan);
  report.scratch_bytes = ScratchBytes(plan);
  const std::vector<size_t> live = LiveBytes(plan);
  report.peak_step = static_cast<size_t>(std::max_element(live.begin(), live.end()) - live.begin());
  return report;
}

std::string_view PlacedByName(exec::PlacedBy by) {
  constexpr std::string_view kNames[] = {"nobody",   "portfolio", "local moves", "search",
                                         "template", "room",      "no reuse"};
  return kNames[static_cast<size_t>(by)];
}

std::string_view StepModeName(exec::StepMode mode) {
  constexpr std::string_view kNames[] = {"skip",    "planned", "planned", "dynamic",
                                         "dynamic", "planned", "skip"};
  return kNames[static_cast<size_t>(mode)];
}

void WriteFigures(const exec::Plan& plan, JsonWriter& json) {
  const exec::PlanFigures& figures = plan.figures;
  json.Field("planned_bytes", figures.slab_bytes).Field("reserve_bytes", figures.reserve_bytes);
  json.Field("bound_bytes", figures.bound_bytes).Field("no_reuse_bytes", figures.no_reuse_bytes);
  json.Field("planned_values", figures.planned_values);
  json.Field("dynamic_values", figures.dynamic_values);
  json.Field("constant_values", figures.constant_values);
  json.Field("views", figures.views).Field("view_bytes", figures.view_bytes);
  json.Field("in_place", figures.in_place);
  json.Field("parts", figures.parts).Field("part_bytes", figures.part_bytes);
  json.Field("donated_values", figures.donated_values);
  json.Field("donated_bytes", figures.donated_bytes);
  json.Field("scratch_bytes", ScratchBytes(plan));
  json.Field("placed_by", PlacedByName(figures.placed_by)).Field("solve_ns", figures.solve_ns);
  json.Field("requests", figures.requests).Field("fresh_requests", figures.fresh_requests);
}

void WritePlanCache(const exec::Program& program, JsonWriter& json) {
  const auto write = [&](const exec::PlanCacheStats& stats) {
    json.Field("plans", stats.plans).Field("hits", stats.hits).Field("misses", stats.misses);
    json.Field("evictions", stats.evictions).Field("bytes", stats.bytes);
  };
  json.Key("plan_cache").BeginObject();
  write(program.plans().Stats());
  json.Field("free_frames", program.frames().free()).Key("tails").BeginObject();
  write(program.tails().Stats());
  const plan::TemplateStats stats = program.templates().Stats();
  json.EndObject().Key("templates").BeginObject();
  json.Field("templates", stats.templates).Field("accepts", stats.accepts);
  json.Field("rejects", stats.rejects).Field("bytes", stats.bytes);
  json.EndObject().EndObject();
}

std::string WritePlan(const exec::Program& program, const exec::Plan& plan) {
  JsonWriter json;
  json.BeginObject();
  WriteFigures(plan, json);
  json.Key("steps").BeginArray();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    json.BeginObject().Field("node", program.steps()[i].node->Describe());
    json.Field("mode", StepModeName(plan.steps[i].mode)).EndObject();
  }
  json.EndArray();
  WritePlaces(program, plan, false, json);
  WritePlanCache(program, json);
  return json.EndObject().Take();
}

std::string WritePatches(const graph::RewriteReport& rewrites) {
  JsonWriter json;
  json.BeginObject().Key("patches").BeginArray();
  for (const graph::PatchRecord& patch : rewrites.patches) {
    json.BeginObject().Field("number", patch.number).Field("patch", patch.patch);
    json.Field("node", patch.node).Field("what", patch.what);
    json.Field("refused", patch.refused).EndObject();
  }
  json.EndArray().Field("stopped", rewrites.stopped);
  json.Field("folded_growth_bytes", rewrites.folded_growth_bytes).EndObject();
  return json.Take();
}

std::string WriteKernels(const exec::BuildReport& build) {
  JsonWriter json;
  json.BeginObject().Key("nodes").BeginArray();
  for (const exec::KernelChoice& choice : build.choices) {
    json.BeginObject().Field("node", choice.node).Field("kernel", choice.impl);
    json.Field("provider", choice.provider).Key("refusals").BeginArray();
    for (const kernel::Refusal& refusal : choice.refusals) {
      json.BeginObject().Field("kernel", refusal.impl);
      json.Field("reason", refusal.reason).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Field("copied_constant_bytes", build.copied_constant_bytes);
  json.Field("dropped_constants", build.dropped_constants).EndObject();
  return json.Take();
}

std::string WriteProfile(const exec::Program& program, const exec::RunProfile& profile,
                         uint64_t runs) {
  JsonWriter json;
  json.BeginObject().Field("runs", runs).Key("steps").BeginArray();
  WriteSteps(program, profile, "", json);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace waybill::session
