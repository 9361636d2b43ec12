// Settings of one run.
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"

namespace waybill::capi {
namespace {

template <typename Change>
OrtStatus* With(OrtRunOptions* options, Change&& change) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    change(*options);
    return Status::Ok();
  });
}

template <typename T, typename Read>
OrtStatus* Get(const OrtRunOptions* options, T* out, Read&& read) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(out);
    *out = read(*options);
    return Status::Ok();
  });
}

}  // namespace

OrtStatus* CreateRunOptions(OrtRunOptions** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    *out = new OrtRunOptions;
    return Status::Ok();
  });
}

void ReleaseRunOptions(OrtRunOptions* input) { delete input; }

OrtStatus* RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options, int log_verbosity_level) {
  return With(options, [&](auto& o) { o.verbosity = log_verbosity_level; });
}

OrtStatus* RunOptionsSetRunLogSeverityLevel(OrtRunOptions* options, int log_severity_level) {
  return With(options, [&](auto& o) { o.severity = log_severity_level; });
}

OrtStatus* RunOptionsSetRunTag(OrtRunOptions* options, const char* run_tag) {
  return With(options, [&](auto& o) { o.tag = run_tag != nullptr ? run_tag : ""; });
}

OrtStatus* RunOptionsGetRunLogVerbosityLevel(const OrtRunOptions* options,
                                             int* log_verbosity_level) {
  return Get(options, log_verbosity_level, [](const auto& o) { return o.verbosity; });
}

OrtStatus* RunOptionsGetRunLogSeverityLevel(const OrtRunOptions* options, int* log_severity_level) {
  return Get(options, log_severity_level, [](const auto& o) { return o.severity; });
}

OrtStatus* RunOptionsGetRunTag(const OrtRunOptions* options, const char** run_tag) {
  return Get(options, run_tag, [](const auto& o) { return o.tag.c_str(); });
}

OrtStatus* RunOptionsSetTerminate(OrtRunOptions* options) {
  return With(options, [](auto& o) { o.terminate.store(true); });
}

OrtStatus* RunOptionsUnsetTerminate(OrtRunOptions* options) {
  return With(options, [](auto& o) { o.terminate.store(false); });
}

// Profiling is always off.
OrtStatus* RunOptionsDisableProfiling(OrtRunOptions* options) {
  return With(options, [](auto&) {});
}

OrtStatus* AddRunConfigEntry(OrtRunOptions* options, const char* config_key,
                             const char* config_value) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(config_key);
    WB_NOT_NULL(config_value);
    if (*config_key == '\0') return Error(Code::kInvalidArgument, "Config key is empty");
    options->config.insert_or_assign(config_key, config_value);
    return Status::Ok();
  });
}

const char* GetRunConfigEntry(const OrtRunOptions* options, const char* config_key) {
  if (options == nullptr || config_key == nullptr) return nullptr;
  const char* found = nullptr;
  OrtStatus* failed = Guard([&] {
    const auto it = options->config.find(config_key);
    if (it != options->config.end()) found = it->second.c_str();
    return Status::Ok();
  });
  ReleaseStatus(failed);
  return found;
}

}  // namespace waybill::capi
