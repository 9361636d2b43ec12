// The symbols of waybill.h.
#include "waybill.h"

#include <algorithm>
#include <cstring>

#include "capi/handles.h"
#include "capi/report/inspect.h"
#include "capi/support/error.h"
#include "capi/support/text.h"

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
    if (num_inputs != 0) {
      WB_NOT_NULL(input_names);
      WB_NOT_NULL(shapes);
      WB_NOT_NULL(ranks);
    }
    std::vector<std::string_view> names;
    std::vector<Shape> dims;
    for (size_t i = 0; i < num_inputs; ++i) {
      if (input_names[i] == nullptr || (shapes[i] == nullptr && ranks[i] != 0)) {
        return Error(Code::kInvalidArgument, "name or shape {} is NULL", i);
      }
      names.push_back(input_names[i]);
      dims.emplace_back(std::span<const int64_t>(shapes[i], ranks[i]));
    }
    WB_ASSIGN_OR_RETURN(const session::PlanReport report, session->session->PlanFor(names, dims));
    GiveReport(WaybillPlanReport{report.planned_bytes, report.bound_bytes, report.no_reuse_bytes,
                                 report.steps, report.planned_values, report.dynamic_values},
               out, out_size);
    return Status::Ok();
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
                          report.pack_ns, report.total_ns, report.shared ? 1 : 0},
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
