// The symbols of waybill.h.
#include "waybill.h"

#include <algorithm>
#include <cstring>

#include "capi/handles.h"
#include "capi/report/inspect.h"
#include "capi/support/error.h"
#include "capi/support/text.h"
#include "memory/source/hub.h"
#include "session/report/env_memory.h"

namespace {

using namespace waybill;        // NOLINT: this file is nothing but a thin edge
using namespace waybill::capi;  // NOLINT

// Copies what `make` returns into the allocator's memory.
template <typename Make>
OrtStatus* GiveText(OrtAllocator* allocator, char** json, Make&& make) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(json);
    Result<std::string> text = make();
    if (!text.ok()) return std::move(text).status();
    WB_ASSIGN_OR_RETURN(*json, CopyText(allocator, *text));
    return Status::Ok();
  });
}

// Shapes by name; the names are borrowed.
struct NamedShapes {
  std::vector<std::string_view> names;
  std::vector<Shape> shapes;
};

Result<NamedShapes> GatherShapes(const char* const* input_names, const int64_t* const* shapes,
                                 const size_t* ranks, size_t num_inputs) {
  NamedShapes out;
  if (num_inputs == 0) return out;
  WB_NOT_NULL(input_names);
  WB_NOT_NULL(shapes);
  WB_NOT_NULL(ranks);
  for (size_t i = 0; i < num_inputs; ++i) {
    if (input_names[i] == nullptr || (shapes[i] == nullptr && ranks[i] != 0)) {
      return Error(Code::kInvalidArgument, "name or shape {} is NULL", i);
    }
    out.names.push_back(input_names[i]);
    out.shapes.emplace_back(std::span<const int64_t>(shapes[i], ranks[i]));
  }
  return out;
}

// The members of `report` that the caller's version of the struct has.
template <typename Report>
void GiveReport(const Report& report, Report* out, size_t out_size) {
  std::memcpy(out, &report, std::min(out_size, sizeof(Report)));
}

}  // namespace

const char* WaybillGetVersion() noexcept { return WAYBILL_VERSION; }

OrtStatus* WaybillSessionGetPlanReport(OrtSession* session, const char* const* input_names,
                                       const int64_t* const* shapes, const size_t* ranks,
                                       size_t num_inputs, WaybillPlanReport* out,
                                       size_t out_size) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const NamedShapes given,
                        GatherShapes(input_names, shapes, ranks, num_inputs));
    WB_ASSIGN_OR_RETURN(const session::PlanReport report,
                        session->session->PlanFor(given.names, given.shapes));
    GiveReport(WaybillPlanReport{report.planned_bytes, report.bound_bytes, report.no_reuse_bytes,
                                 report.steps, report.planned_values, report.dynamic_values,
                                 report.output_bytes, report.scratch_bytes, report.peak_step},
               out, out_size);
    return Status::Ok();
  });
}

OrtStatus* WaybillSessionGetMemoryJson(const OrtSession* session, const char* const* input_names,
                                       const int64_t* const* shapes, const size_t* ranks,
                                       size_t num_inputs, OrtAllocator* allocator,
                                       char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(session);
    WB_ASSIGN_OR_RETURN(const NamedShapes given,
                        GatherShapes(input_names, shapes, ranks, num_inputs));
    return session->session->MemoryJson(given.names, given.shapes);
  });
}

OrtStatus* WaybillSessionGetPlanCsv(const OrtSession* session, const char* const* input_names,
                                    const int64_t* const* shapes, const size_t* ranks,
                                    size_t num_inputs, OrtAllocator* allocator,
                                    char** csv) noexcept {
  return GiveText(allocator, csv, [&]() -> Result<std::string> {
    WB_NOT_NULL(session);
    WB_ASSIGN_OR_RETURN(const NamedShapes given,
                        GatherShapes(input_names, shapes, ranks, num_inputs));
    return session->session->PlanCsv(given.names, given.shapes);
  });
}

OrtStatus* WaybillSessionGetLoadReport(const OrtSession* session, WaybillLoadReport* out,
                                       size_t out_size) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(out);
    const session::LoadReport& report = session->session->load_report();
    GiveReport(
        WaybillLoadReport{report.read_ns, report.import_ns, report.rewrite_ns, report.select_ns,
                          report.pack_ns, report.total_ns, report.shared ? 1 : 0, report.order_ns},
        out, out_size);
    return Status::Ok();
  });
}

OrtStatus* WaybillSessionGetPlanJson(const OrtSession* session, OrtAllocator* allocator,
                                     char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(session);
    return session->session->PlanJson();
  });
}

OrtStatus* WaybillSessionGetPatchesJson(const OrtSession* session, OrtAllocator* allocator,
                                        char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(session);
    return session->session->PatchesJson();
  });
}

OrtStatus* WaybillSessionGetKernelsJson(const OrtSession* session, OrtAllocator* allocator,
                                        char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(session);
    return session->session->KernelsJson();
  });
}

OrtStatus* WaybillSessionSetProfiling(OrtSession* session, int on) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    session->session->SetProfiling(on != 0);
    return Status::Ok();
  });
}

OrtStatus* WaybillSessionGetProfileJson(const OrtSession* session, OrtAllocator* allocator,
                                        char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(session);
    return session->session->ProfileJson();
  });
}

OrtStatus* WaybillEnvGetMemoryJson(const OrtEnv* env, OrtAllocator* allocator,
                                   char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(env);
    return env->env->MemoryJson();
  });
}

OrtStatus* WaybillEnvGetMemoryAccount(const OrtEnv* env, WaybillMemoryAccount* out,
                                      size_t out_size) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(out);
    const session::MemoryAccount account =
        session::AccountOf(env->env->hub(), env->env->runs().Sum());
    const auto bytes_of = [&](session::Holder holder) {
      return account.holdings[static_cast<size_t>(holder)].bytes;
    };
    WaybillMemoryAccount report = {};
    report.held_bytes = account.held_bytes;
    report.peak_held_bytes = account.peak_held_bytes;
    report.session_bytes = bytes_of(session::Holder::kSession);
    report.run_bytes = bytes_of(session::Holder::kRun);
    report.caller_bytes = bytes_of(session::Holder::kCaller);
    report.binding_bytes = bytes_of(session::Holder::kBinding);
    report.pool_bytes = bytes_of(session::Holder::kPool);
    report.slab_held_bytes = account.slab_held_bytes;
    report.slab_peak_held_bytes = account.slab_peak_held_bytes;
    report.slab_peak_leased_bytes = account.slab_peak_leased_bytes;
    report.runs = account.runs;
    report.value_requests = account.values.requests;
    report.values_reused = account.values.reused;
    report.value_requested_bytes = account.values.requested_bytes;
    report.value_saved_bytes = account.values.saved_bytes;
    report.donated_bytes = account.donated_bytes;
    report.lease_requests = account.leases.requests;
    report.leases_reused = account.leases.reused;
    report.lease_requested_bytes = account.leases.requested_bytes;
    report.lease_saved_bytes = account.leases.saved_bytes;
    report.block_requests = account.blocks.requests;
    report.blocks_reused = account.blocks.reused;
    report.block_requested_bytes = account.blocks.requested_bytes;
    report.block_saved_bytes = account.blocks.saved_bytes;
    report.served_bytes = account.served_bytes;
    report.system_calls_avoided = account.system_calls_avoided();
    GiveReport(report, out, out_size);
    return Status::Ok();
  });
}

OrtStatus* WaybillEnvSetMemoryTrace(OrtEnv* env, int on) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    EventTrace& trace = env->env->hub().ledger->trace();
    on != 0 ? trace.Start() : trace.Stop();
    return Status::Ok();
  });
}

OrtStatus* WaybillEnvGetMemoryTraceJson(const OrtEnv* env, OrtAllocator* allocator,
                                        char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(env);
    return session::WriteTrace(env->env->hub().ledger->trace());
  });
}

OrtStatus* WaybillEnvTrim(OrtEnv* env) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    env->env->Trim();
    return Status::Ok();
  });
}

OrtStatus* WaybillEnvSetMemoryBudget(OrtEnv* env, size_t bytes) noexcept {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    env->env->SetMemoryBudget(bytes);
    return Status::Ok();
  });
}

OrtStatus* WaybillInspectModel(const ORTCHAR_T* path, OrtAllocator* allocator,
                               char** json) noexcept {
  return GiveText(allocator, json, [&]() -> Result<std::string> {
    WB_NOT_NULL(path);
    return InspectJson(path);
  });
}
