#include "session/report/env_memory.h"

#include <algorithm>

#include "base/json/json_writer.h"

namespace waybill::session {
namespace {

void WriteUse(const MemoryUse& use, JsonWriter& json) {
  json.Field("bytes_in_use", use.bytes_in_use).Field("peak_bytes", use.peak_bytes);
  json.Field("takes", use.takes).Field("gives", use.gives);
}

void WriteDevice(const DeviceUse& use, JsonWriter& json) {
  json.BeginObject().Field("device", use.device.ToString()).Key("total").BeginObject();
  WriteUse(use.total, json);
  json.EndObject().Key("by_tag").BeginObject();
  for (size_t tag = 0; tag < kMemoryTagCount; ++tag) {
    json.Key(MemoryTagName(static_cast<MemoryTag>(tag))).BeginObject();
    WriteUse(use.by_tag[tag], json);
    json.Field("taken_bytes", use.taken_bytes[tag]).EndObject();
  }
  json.EndObject().EndObject();
}

void WriteAdmission(const MemoryHub& hub, JsonWriter& json) {
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
  json.Field("wait_ns", stats.wait_ns).Key("waits_by_log2_us").BeginArray();
  for (const uint64_t waits : stats.waits_by_log2_us) json.Value(waits);
  json.EndArray().EndObject();
}

void WritePool(const char* name, const SlabPoolStats& stats, JsonWriter& json) {
  json.Key(name).BeginObject();
  json.Field("hits", stats.hits).Field("misses", stats.misses).Field("trims", stats.trims);
  json.Field("trimmed_bytes", stats.trimmed_bytes);
  json.Field("bytes_held", stats.bytes_held).Field("bytes_leased", stats.bytes_leased);
  json.Field("peak_bytes_held", stats.peak_bytes_held);
  json.Field("peak_bytes_leased", stats.peak_bytes_leased).Field("refusals", stats.refusals);
  json.Field("reused_bytes", stats.reused_bytes);
  json.Field("allocated_bytes", stats.allocated_bytes).EndObject();
}

void WriteReuse(const char* what, const Reuse& reuse, JsonWriter& json) {
  json.Key(what).BeginObject().Field("requests", reuse.requests).Field("reused", reuse.reused);
  json.Field("requested_bytes", reuse.requested_bytes).Field("saved_bytes", reuse.saved_bytes);
  json.Field("hit_rate", reuse.hit_rate()).EndObject();
}

void WriteAccount(const MemoryAccount& account, JsonWriter& json) {
  json.Field("runs", account.runs);
  WriteReuse("values", account.values, json);
  WriteReuse("leases", account.leases, json);
  WriteReuse("blocks", account.blocks, json);
  json.Field("donated_bytes", account.donated_bytes);
  json.Field("served_bytes", account.served_bytes).Field("turnover", account.turnover());
  json.Field("fragmentation", account.fragmentation());
  json.Field("system_calls_avoided", account.system_calls_avoided());
  json.Field("fault_bytes_avoided", account.fault_bytes_avoided());
}

void WriteModel(const ModelUse& use, JsonWriter& json) {
  json.BeginObject().Field("model", use.model).Field("sessions_live", use.sessions_live);
  json.Field("sessions_created", use.sessions_created).Key("bytes").BeginObject();
  json.Field("mapped", use.bytes.mapped).Field("read", use.bytes.read);
  json.Field("caller", use.bytes.caller).Field("placed", use.bytes.placed);
  json.Field("packed", use.bytes.packed).Field("shared", use.bytes.shared).EndObject();
  json.Field("first_added", use.first_added).Field("saved", use.saved);
  json.Field("caller_packed", use.caller_packed).Field("why_alone", use.why_alone);
  json.Key("not_shared").BeginArray();
  for (const auto& [initializer, why] : use.not_shared) {
    json.BeginObject().Field("initializer", initializer).Field("why", why).EndObject();
  }
  json.EndArray().EndObject();
}

void WriteEvent(const MemoryEvent& event, JsonWriter& json) {
  json.BeginObject().Field("kind", EventKindName(event.kind)).Field("time_ns", event.time_ns);
  json.Field("thread", event.thread).Field("source", EventSourceName(event.source));
  // As text: JSON's readers keep 53 bits of a number.
  json.Field("block", Format("{}", event.block));
  if (event.source != EventSource::kRun) {
    json.Field("tag", MemoryTagName(event.tag)).Field("device", event.device.ToString());
    json.Field("bytes", event.bytes);
    if (event.kind == EventKind::kTake) {
      json.Field("align", event.align).Field("reused", event.reused);
    }
  }
  json.EndObject();
}

// So much of `first`, and of `second` where that has not as much.
void Move(const Holding& what, Holding& first, Holding& second, Holding& to) {
  Holding left = what;
  for (Holding* from : {&first, &second}) {
    const uint64_t values = std::min(left.values, from->values);
    const uint64_t bytes = std::min(left.bytes, from->bytes);
    from->values -= values;
    from->bytes -= bytes;
    left.values -= values;
    left.bytes -= bytes;
    to.values += values;
    to.bytes += bytes;
  }
}

Reuse LeasesOf(const SlabPoolStats& stats) {
  return {stats.hits + stats.misses, stats.hits, stats.requested_bytes(), stats.reused_bytes};
}

Holding BoundOf(const MemoryHub& hub) {
  return {hub.bound.values.load(std::memory_order_relaxed),
          hub.bound.bytes.load(std::memory_order_relaxed)};
}

}  // namespace

std::string_view HolderName(Holder holder) {
  constexpr std::string_view kNames[kHolderCount] = {"session", "run", "caller", "binding", "pool"};
  return kNames[static_cast<size_t>(holder)];
}

std::array<Holding, kHolderCount> HoldingsOf(const DeviceUse& use, const SlabPoolStats& slabs,
                                             const SlabPoolStats& blocks, const Holding& bound) {
  constexpr Holder kByTag[kMemoryTagCount] = {Holder::kSession, Holder::kSession, Holder::kSession,
                                              Holder::kPool,    Holder::kCaller,  Holder::kRun,
                                              Holder::kCaller,  Holder::kRun};
  std::array<Holding, kHolderCount> holdings = {};
  for (size_t tag = 0; tag < kMemoryTagCount; ++tag) {
    if (static_cast<MemoryTag>(tag) == MemoryTag::kSlab) continue;
    Holding& holding = holdings[static_cast<size_t>(kByTag[tag])];
    holding.values += use.by_tag[tag].takes - use.by_tag[tag].gives;
    holding.bytes += use.by_tag[tag].bytes_in_use;
  }
  // Outputs, and those whose sizes were not known before.
  Move(bound, holdings[static_cast<size_t>(Holder::kCaller)],
       holdings[static_cast<size_t>(Holder::kRun)],
       holdings[static_cast<size_t>(Holder::kBinding)]);
  holdings[static_cast<size_t>(Holder::kRun)].values += slabs.leased_slabs;
  holdings[static_cast<size_t>(Holder::kRun)].bytes += slabs.bytes_leased;
  holdings[static_cast<size_t>(Holder::kPool)] = {slabs.idle_slabs + blocks.idle_slabs,
                                                  slabs.bytes_idle() + blocks.bytes_idle()};
  return holdings;
}

double Reuse::hit_rate() const {
  return requests == 0 ? 0 : static_cast<double>(reused) / static_cast<double>(requests);
}

double MemoryAccount::turnover() const {
  if (peak_held_bytes == 0) return 0;
  return static_cast<double>(served_bytes) / static_cast<double>(peak_held_bytes);
}

double MemoryAccount::fragmentation() const {
  if (slab_peak_held_bytes == 0) return 0;
  return 1 -
         static_cast<double>(slab_peak_leased_bytes) / static_cast<double>(slab_peak_held_bytes);
}

MemoryAccount AccountOf(const MemoryHub& hub, const exec::RunTotals& runs) {
  MemoryAccount account;
  const SlabPoolStats stats = hub.slabs->Stats();
  const DeviceUse use = hub.ledger->ForDevice(hub.slabs->device())->Snapshot();
  account.held_bytes = use.total.bytes_in_use;
  account.peak_held_bytes = use.total.peak_bytes;
  const SlabPoolStats blocks = hub.blocks->Stats();
  account.holdings = HoldingsOf(use, stats, blocks, BoundOf(hub));
  account.slab_held_bytes = stats.bytes_held;
  account.slab_peak_held_bytes = stats.peak_bytes_held;
  account.slab_peak_leased_bytes = stats.peak_bytes_leased;
  account.runs = runs.runs;
  account.values = {runs.requests, runs.reused(), runs.requested_bytes, runs.saved_bytes()};
  account.donated_bytes = runs.donated_bytes;
  account.leases = LeasesOf(stats);
  account.blocks = LeasesOf(blocks);
  account.served_bytes = stats.requested_bytes();
  for (size_t tag = 0; tag < kMemoryTagCount; ++tag) {
    if (static_cast<MemoryTag>(tag) != MemoryTag::kSlab) {
      account.served_bytes += use.taken_bytes[tag];
    }
  }
  return account;
}

std::string WriteEnvMemory(const MemoryHub& hub, const exec::RunTotals& runs,
                           std::span<const ModelUse> models) {
  JsonWriter json;
  const std::vector<DeviceUse> uses = hub.ledger->Snapshot();
  json.BeginObject().Key("devices").BeginArray();
  for (const DeviceUse& use : uses) WriteDevice(use, json);
  const SlabPoolStats slabs = hub.slabs->Stats(), blocks = hub.blocks->Stats();
  json.EndArray();
  WritePool("slab_pool", slabs, json);
  WritePool("block_pool", blocks, json);
  WriteAdmission(hub, json);
  json.Key("holders").BeginArray();
  for (const DeviceUse& use : uses) {
    if (use.device != hub.slabs->device()) continue;
    const auto holdings = HoldingsOf(use, slabs, blocks, BoundOf(hub));
    for (size_t i = 0; i < kHolderCount; ++i) {
      json.BeginObject().Field("holder", HolderName(static_cast<Holder>(i)));
      json.Field("values", holdings[i].values).Field("bytes", holdings[i].bytes).EndObject();
    }
  }
  json.EndArray().Key("account").BeginObject();
  WriteAccount(AccountOf(hub, runs), json);
  json.EndObject().Key("models").BeginArray();
  for (const ModelUse& model : models) WriteModel(model, json);
  return json.EndArray().EndObject().Take();
}

std::string WriteTrace(const EventTrace& trace) {
  const EventTrace::Reading reading = trace.Read();
  JsonWriter json;
  json.BeginObject().Field("on", trace.on()).Field("lost", reading.lost);
  json.Key("events").BeginArray();
  for (const MemoryEvent& event : reading.events) WriteEvent(event, json);
  return json.EndArray().EndObject().Take();
}

}  // namespace waybill::session
