#include "session/report/values.h"

#include <optional>
#include <string>
#include <vector>

#include "exec/plan/names.h"
#include "exec/plan/planner.h"

namespace waybill::session {
namespace {

// Plans are laid out on the host so far.
std::string SlabDevice() { return Device().ToString(); }

std::string_view KindOf(const exec::PlannedBuffer& buffer) {
  if (buffer.bodies != nullptr) return "bodies";
  return buffer.is_scratch ? "scratch" : "value";
}

void WriteBuffers(const exec::Plan& plan, JsonWriter& json) {
  json.Key("buffers").BeginArray();
  for (const exec::PlannedBuffer& buffer : plan.buffers) {
    json.BeginObject().Field("name", buffer.name).Field("kind", KindOf(buffer));
    json.Field("device", SlabDevice()).Field("values", buffer.values);
    json.Field("first_step", buffer.life.first_step).Field("last_step", buffer.life.last_step);
    json.Field("bytes", buffer.life.bytes).Field("align", buffer.life.align);
    json.Field("offset", buffer.offset).EndObject();
  }
  json.EndArray();
}

std::optional<size_t> BytesOf(const ValueType& type) {
  if (!type.is_tensor()) return std::nullopt;
  const auto shape = type.shape.Concrete();
  const auto elems = shape ? shape->CheckedElems() : std::nullopt;
  return elems ? DTypeBytes(type.dtype, static_cast<size_t>(*elems)) : std::nullopt;
}

std::string_view KindOf(const exec::Binding& binding) {
  if (binding.home == exec::Home::kConstant) return "constant";
  switch (binding.share) {
    case exec::Share::kView:
      return "view";
    case exec::Share::kInPlace:
      return "in place";
    case exec::Share::kPart:
      return "part";
    case exec::Share::kNone:
      break;
  }
  return binding.home == exec::Home::kOutput ? "output" : "root";
}

std::string_view KindOf(exec::Origin origin) {
  constexpr std::string_view kNames[] = {"dynamic", "input", "capture", "constant"};
  return kNames[static_cast<size_t>(origin)];
}

class ValueWriter {
 public:
  ValueWriter(const exec::Program& program, const exec::Plan& plan, JsonWriter& json)
      : program_(program), plan_(plan), json_(json) {}

  // Of a step, planned.
  void WritePlanned(const exec::Binding& binding) {
    Begin(binding.slot, KindOf(binding), binding.view.device.ToString(), binding.view.bytes());
    json_.Field("pitch_bytes", PitchOf(binding.slot));
    json_.Key("buffer");
    if (binding.home == exec::Home::kSlab) {
      json_.Value(binding.target).Key("of").Null();
      json_.Field("offset", binding.offset - plan_.buffers[binding.target].offset).EndObject();
      return;
    }
    json_.Null().Key("of");
    if (binding.home == exec::Home::kOutput) {
      json_.Value(exec::NameOf(program_, program_.outputs()[binding.target]));
    } else if (binding.home == exec::Home::kAlias) {
      json_.Value(exec::NameOf(program_, binding.target));
    } else {
      json_.Null();
    }
    json_.Field("offset", binding.offset).EndObject();
  }
  // Of a slot that is no matter of the plan.
  void WriteForeign(exec::SlotId slot, std::optional<size_t> bytes) {
    const exec::SlotInfo& info = program_.slots()[slot];
    Begin(slot, KindOf(info.origin), SlabDevice(), bytes);
    json_.Field("pitch_bytes", 0)
        .Key("buffer")
        .Null()
        .Key("of")
        .Null()
        .Field("offset", 0)
        .EndObject();
  }
  void WriteForeign(exec::SlotId slot) {
    WriteForeign(slot, BytesOf(program_.value_of(slot).type));
  }

 private:
  size_t PitchOf(exec::SlotId slot) const {
    const uint32_t producer = program_.slots()[slot].producer;
    const bool is_first = program_.steps()[producer].outputs[0] == slot;
    return is_first ? plan_.step(producer).pitch_bytes : 0;
  }

  void Begin(exec::SlotId slot, std::string_view kind, const std::string& device,
             std::optional<size_t> bytes) {
    const exec::SlotInfo& info = program_.slots()[slot];
    const size_t steps = program_.steps().size();
    const size_t last = info.is_output && steps != 0 ? steps - 1 : info.last_read;
    json_.BeginObject().Field("name", exec::NameOf(program_, slot)).Field("kind", kind);
    json_.Field("device", device).Key("bytes");
    bytes ? json_.Value(*bytes) : json_.Null();
    json_.Field("first_step", info.origin == exec::Origin::kStep ? info.producer : 0);
    json_.Field("last_step", last).Field("is_output", info.is_output);
  }

  const exec::Program& program_;
  const exec::Plan& plan_;
  JsonWriter& json_;
};

// What comes into the program from outside.
void WriteGiven(const exec::Program& program, const exec::Plan& plan, ValueWriter& values) {
  const auto shapes = exec::InputsOfKey(program, program.plans().KeyOf(plan));
  for (size_t i = 0; i < program.inputs().size(); ++i) {
    const exec::SlotId slot = program.inputs()[i];
    if (i < shapes.size() && shapes[i]) {
      values.WriteForeign(slot, shapes[i]->bytes());
    } else {
      values.WriteForeign(slot);
    }
  }
  for (const auto& [outer, inner] : program.captures()) values.WriteForeign(inner);
  for (exec::SlotId slot = 0; slot < program.slots().size(); ++slot) {
    if (program.slots()[slot].origin == exec::Origin::kConstant) values.WriteForeign(slot);
  }
}

}  // namespace

void WritePlaces(const exec::Program& program, const exec::Plan& plan, bool is_tail,
                 JsonWriter& json) {
  WriteBuffers(plan, json);
  json.Key("values").BeginArray();
  ValueWriter values(program, plan, json);
  if (!is_tail) WriteGiven(program, plan, values);
  std::vector<bool> is_planned(program.slots().size());
  for (const exec::Binding& binding : plan.bindings) {
    is_planned[binding.slot] = true;
    values.WritePlanned(binding);
  }
  for (exec::SlotId slot = 0; !is_tail && slot < is_planned.size(); ++slot) {
    const bool is_open = program.slots()[slot].origin == exec::Origin::kStep && !is_planned[slot];
    if (is_open) values.WriteForeign(slot, std::nullopt);
  }
  json.EndArray();
}

}  // namespace waybill::session
