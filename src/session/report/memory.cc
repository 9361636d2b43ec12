#include "session/report/memory.h"

#include "exec/plan/control_plan.h"
#include "memory/plan/csv.h"
#include "session/report/peak.h"
#include "session/report/report.h"
#include "session/report/values.h"

namespace waybill::session {
namespace {

void WriteStep(const exec::Program& program, uint32_t step, JsonWriter& json) {
  const graph::Node& node = *program.steps()[step].node;
  json.Field("node", node.Describe()).Field("op", node.op_type);
}

void WriteStepOrder(const exec::StepOrder& order, JsonWriter& json) {
  json.Key("step_order").BeginObject().Field("moved_steps", order.moved_steps);
  json.Field("file_bound_bytes", order.graph_bound_bytes).Field("bound_bytes", order.bound_bytes);
  json.Field("open_dimensions_as", order.open_dims).Field("not_tried", order.not_tried);
  json.EndObject();
}

// The tails of the run that was last with the plan.
void WriteTails(const exec::Program& program, const exec::Plan& plan, JsonWriter& json) {
  json.Key("tails").BeginArray();
  if (plan.has_dynamic) {
    for (const auto& tail : program.tails().ChainAfter(plan.key)) {
      json.BeginObject().Field("after_step", tail->first_step);
      WriteStep(program, tail->first_step, json);
      json.Field("region", tail->region).Field("opens_region", tail->opens_region);
      WriteFigures(*tail, json);
      WritePlaces(program, *tail, true, json);
      json.EndObject();
    }
  }
  json.EndArray();
}

void WriteSteps(const exec::Program& program, const exec::Plan& plan, JsonWriter& json);

// Of a control flow step, those that are planned with it, and why others are not.
void WriteBodies(const exec::Program& program, const exec::Step& step,
                 const exec::ControlPlan& control, JsonWriter& json) {
  json.Key("bodies").BeginArray();
  for (size_t i = 0; i < control.bodies.size(); ++i) {
    json.BeginObject().Field("body", BodyName(step, i));
    json.Field("not_planned", control.not_planned[i]).Key("plan");
    if (const exec::Plan* plan = control.bodies[i].get(); plan != nullptr) {
      json.BeginObject();
      WriteFigures(*plan, json);
      WriteSteps(program.body(step.bodies[i]), *plan, json);
      WritePlaces(program.body(step.bodies[i]), *plan, false, json);
      json.EndObject();
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteSteps(const exec::Program& program, const exec::Plan& plan, JsonWriter& json) {
  const std::vector<size_t> live = LiveBytes(plan);
  json.Key("steps").BeginArray();
  for (uint32_t i = 0; i < plan.steps.size(); ++i) {
    json.BeginObject();
    WriteStep(program, i, json);
    json.Field("mode", StepModeName(plan.steps[i].mode)).Field("live_bytes", live[i]);
    const exec::ControlPlan* control = plan.steps[i].control.get();
    if (control != nullptr) WriteBodies(program, program.steps()[i], *control, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteAlive(const Peak& peak, JsonWriter& json) {
  json.Key("alive").BeginArray();
  for (const AliveBuffer& alive : peak.alive) {
    const exec::PlannedBuffer& buffer = *alive.buffer;
    json.BeginObject().Field("name", buffer.name).Field("role", RoleName(alive.role));
    json.Field("bytes", LeastBytes(buffer)).Field("offset", buffer.offset);
    json.Field("first_step", buffer.life.first_step).Field("last_step", buffer.life.last_step);
    json.Key("next_reader");
    alive.next_reader ? json.Value(*alive.next_reader) : json.Null();
    json.EndObject();
  }
  json.EndArray();
}

// Members of the object that is open.
void WritePeakStep(const Peak& peak, JsonWriter& json) {
  json.Field("step", peak.step).Field("bytes", peak.bytes);
  WriteStep(*peak.program, peak.step, json);
  WriteAlive(peak, json);
  json.Key("inside");
  if (peak.inside == nullptr) {
    json.Null();
    return;
  }
  json.BeginObject().Field("body", peak.inside->body);
  WritePeakStep(*peak.inside, json);
  json.EndObject();
}

void WritePeak(const exec::Program& program, const exec::Plan& plan, JsonWriter& json) {
  const Peak peak = FindPeak(program, plan);
  json.Key("peak");
  if (peak.bytes == 0) {
    json.Null();
    return;
  }
  json.BeginObject();
  WritePeakStep(peak, json);
  json.Key("remedies").BeginArray();
  for (const Remedy& remedy : peak.remedies) {
    json.BeginObject().Field("kind", remedy.kind).Field("bytes", remedy.bytes);
    json.Field("text", remedy.text).EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

std::string WriteMemory(const exec::Program& program, const exec::Plan& plan) {
  JsonWriter json;
  json.BeginObject().Key("plan").BeginObject();
  WriteFigures(plan, json);
  WriteStepOrder(program.step_order(), json);
  WriteSteps(program, plan, json);
  WritePlaces(program, plan, false, json);
  WritePeak(program, plan, json);
  WriteTails(program, plan, json);
  json.EndObject();
  WritePlanCache(program, json);
  const exec::RunTotals totals = program.Totals();
  json.Key("account").BeginObject().Field("runs", totals.runs);
  json.Field("requests", totals.requests).Field("reused", totals.reused());
  json.Field("requested_bytes", totals.requested_bytes);
  json.Field("saved_bytes", totals.saved_bytes());
  json.Field("donated_bytes", totals.donated_bytes);
  return json.EndObject().EndObject().Take();
}

std::string WritePlanCsv(const exec::Plan& plan) {
  std::vector<plan::Lifetime> lives;
  plan::Placement placement;
  for (const exec::PlannedBuffer& buffer : plan.buffers) {
    lives.push_back(buffer.life);
    placement.offsets.push_back(buffer.offset);
  }
  placement.slab_bytes = plan.figures.slab_bytes;
  return plan::WriteCsv(lives, &placement);
}

}  // namespace waybill::session
