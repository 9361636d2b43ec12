// The environment: one per process, counted. The C interface has functions without an environment
// argument, so this one file keeps the process's environment in a global.
#include <mutex>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "memory/source/system_source.h"

namespace waybill::capi {
namespace {

std::mutex env_mutex;
OrtEnv* live_env = nullptr;  // guarded by env_mutex

Result<session::Severity> ToSeverity(int level) {
  if (level < 0 || level > 4) {
    return Error(Code::kInvalidArgument, "log severity {} is not between 0 and 4", level);
  }
  return static_cast<session::Severity>(level);
}

session::LogSink MakeSink(OrtLoggingFunction function, void* param) {
  if (function == nullptr) return {};
  return [function, param](session::Severity severity, std::string_view category,
                           std::string_view log_id, std::string_view location,
                           std::string_view message) {
    function(param, static_cast<OrtLoggingLevel>(severity), std::string(category).c_str(),
             std::string(log_id).c_str(), std::string(location).c_str(),
             std::string(message).c_str());
  };
}

struct EnvRequest {
  int severity = ORT_LOGGING_LEVEL_WARNING;
  const char* log_id = nullptr;
  OrtLoggingFunction function = nullptr;
  void* param = nullptr;
  const OrtThreadingOptions* threading = nullptr;
};

void UseThreading(const OrtThreadingOptions& threading, OrtEnv& env) {
  env.has_global_pools = true;
  env.denormals_as_zero = threading.denormal_as_zero;
  const auto warn = [&](std::string_view text) {
    env.env->Log(session::Severity::kWarning, {}, "env.cc CreateEnv", text);
  };
  if (!threading.spin) warn("turning spinning of the global thread pool off has no effect");
  if (threading.inter_op_threads > 1) {
    warn(Format("{} global inter-op threads have no effect", threading.inter_op_threads));
  }
}

Status GetOrCreate(const EnvRequest& request, OrtEnv** out) {
  WB_NOT_NULL(out);
  std::lock_guard lock(env_mutex);
  if (live_env == nullptr) {
    session::EnvOptions options;
    WB_ASSIGN_OR_RETURN(options.severity, ToSeverity(request.severity));
    options.log_id = request.log_id != nullptr ? request.log_id : "";
    options.sink = MakeSink(request.function, request.param);
    if (request.threading != nullptr) options.threads = request.threading->intra_op_threads;
    auto handle = std::make_unique<OrtEnv>();
    WB_ASSIGN_OR_RETURN(handle->env, session::Env::Create(std::move(options)));
    if (request.threading != nullptr) UseThreading(*request.threading, *handle);
    live_env = handle.release();
  } else {
    ++live_env->references;
  }
  *out = live_env;
  return Status::Ok();
}

}  // namespace

std::shared_ptr<session::Env> LiveEnv() {
  std::lock_guard lock(env_mutex);
  return live_env != nullptr ? live_env->env : nullptr;
}

std::shared_ptr<MemorySource> CpuSource() {
  {
    std::lock_guard lock(env_mutex);
    if (live_env != nullptr) return live_env->env->cpu_source();
  }
  return std::make_shared<SystemSource>();
}

OrtStatus* CreateEnv(OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out) {
  return Guard([&] { return GetOrCreate({.severity = log_severity_level, .log_id = logid}, out); });
}

OrtStatus* CreateEnvWithCustomLogger(OrtLoggingFunction logging_function, void* logger_param,
                                     OrtLoggingLevel log_severity_level, const char* logid,
                                     OrtEnv** out) {
  return Guard([&] {
    return GetOrCreate({log_severity_level, logid, logging_function, logger_param}, out);
  });
}

OrtStatus* CreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level, const char* logid,
                                          const OrtThreadingOptions* tp_options, OrtEnv** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(tp_options);
    return GetOrCreate({log_severity_level, logid, nullptr, nullptr, tp_options}, out);
  });
}

OrtStatus* CreateEnvWithCustomLoggerAndGlobalThreadPools(
    OrtLoggingFunction logging_function, void* logger_param, OrtLoggingLevel log_severity_level,
    const char* logid, const OrtThreadingOptions* tp_options, OrtEnv** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(tp_options);
    return GetOrCreate({log_severity_level, logid, logging_function, logger_param, tp_options},
                       out);
  });
}

OrtStatus* CreateEnvWithOptions(const OrtEnvCreationOptions* options, OrtEnv** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    return GetOrCreate(
        {options->logging_severity_level, options->log_id, options->custom_logging_function,
         options->custom_logging_param, options->threading_options},
        out);
  });
}

void ReleaseEnv(OrtEnv* input) {
  if (input == nullptr) return;
  std::unique_ptr<OrtEnv> last;
  {
    std::lock_guard lock(env_mutex);
    if (--input->references != 0) return;
    if (input == live_env) live_env = nullptr;
    last.reset(input);
  }
}

OrtStatus* UpdateEnvWithCustomLogLevel(OrtEnv* ort_env, OrtLoggingLevel log_severity_level) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(ort_env);
    WB_ASSIGN_OR_RETURN(const session::Severity severity, ToSeverity(log_severity_level));
    ort_env->env->SetSeverity(severity);
    return Status::Ok();
  });
}

// There is no telemetry: nothing to turn on or off.
OrtStatus* EnableTelemetryEvents(const OrtEnv* env) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    return Status::Ok();
  });
}

OrtStatus* DisableTelemetryEvents(const OrtEnv* env) { return EnableTelemetryEvents(env); }

OrtStatus* SetLanguageProjection(const OrtEnv* ort_env, OrtLanguageProjection) {
  return EnableTelemetryEvents(ort_env);
}

const char* GetBuildInfoString() {
  return "Waybill, ONNX Runtime API 1.30, "
#ifdef NDEBUG
         "build type=Release";
#else
         "build type=Debug";
#endif
}

}  // namespace waybill::capi
