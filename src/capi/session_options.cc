// Settings of a session.
#include <cstring>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/text.h"

namespace waybill::capi {
namespace {

template <typename Change>
OrtStatus* With(OrtSessionOptions* options, Change&& change) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    change(*options);
    return Status::Ok();
  });
}

}  // namespace

OrtStatus* CreateSessionOptions(OrtSessionOptions** options) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    *options = new OrtSessionOptions;
    return Status::Ok();
  });
}

OrtStatus* CloneSessionOptions(const OrtSessionOptions* in_options,
                               OrtSessionOptions** out_options) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(in_options);
    WB_NOT_NULL(out_options);
    auto copy = std::make_unique<OrtSessionOptions>(*in_options);
    copy->cancel_load = std::make_shared<std::atomic<bool>>(in_options->cancel_load->load());
    *out_options = copy.release();
    return Status::Ok();
  });
}

void ReleaseSessionOptions(OrtSessionOptions* input) { delete input; }

OrtStatus* SetOptimizedModelFilePath(OrtSessionOptions* options,
                                     const ORTCHAR_T* optimized_model_filepath) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(optimized_model_filepath);
    options->options.optimized_model_path = optimized_model_filepath;
    return Status::Ok();
  });
}

OrtStatus* SetSessionExecutionMode(OrtSessionOptions* options, ExecutionMode execution_mode) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    if (execution_mode != ORT_SEQUENTIAL && execution_mode != ORT_PARALLEL) {
      return Error(Code::kInvalidArgument, "execution_mode is not valid");
    }
    options->options.parallel_steps = execution_mode == ORT_PARALLEL;
    return Status::Ok();
  });
}

OrtStatus* GetSessionExecutionMode(const OrtSessionOptions* options, ExecutionMode* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(out);
    *out = options->options.parallel_steps ? ORT_PARALLEL : ORT_SEQUENTIAL;
    return Status::Ok();
  });
}

// Profiling is always off.
OrtStatus* DisableProfiling(OrtSessionOptions* options) {
  return With(options, [](auto&) {});
}

OrtStatus* EnableMemPattern(OrtSessionOptions* options) {
  return With(options, [](auto& o) { o.options.mem_pattern = true; });
}

OrtStatus* DisableMemPattern(OrtSessionOptions* options) {
  return With(options, [](auto& o) { o.options.mem_pattern = false; });
}

OrtStatus* GetMemPatternEnabled(const OrtSessionOptions* options, int* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(out);
    *out = options->options.mem_pattern ? 1 : 0;
    return Status::Ok();
  });
}

OrtStatus* EnableCpuMemArena(OrtSessionOptions* options) {
  return With(options, [](auto& o) { o.options.cpu_mem_arena = true; });
}

OrtStatus* DisableCpuMemArena(OrtSessionOptions* options) {
  return With(options, [](auto& o) { o.options.cpu_mem_arena = false; });
}

OrtStatus* SetSessionLogId(OrtSessionOptions* options, const char* logid) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(logid);
    options->options.log_id = logid;
    return Status::Ok();
  });
}

OrtStatus* SetSessionLogVerbosityLevel(OrtSessionOptions* options,
                                       int session_log_verbosity_level) {
  return With(options, [&](auto& o) { o.log_verbosity = session_log_verbosity_level; });
}

OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* options, int session_log_severity_level) {
  return With(options, [&](auto& o) {
    const int level = session_log_severity_level;
    o.options.severity.reset();
    if (level >= 0) {
      constexpr int kMost = static_cast<int>(session::Severity::kFatal);
      o.options.severity = static_cast<session::Severity>(level > kMost ? kMost : level);
    }
  });
}

OrtStatus* SetSessionGraphOptimizationLevel(OrtSessionOptions* options,
                                            GraphOptimizationLevel graph_optimization_level) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    switch (graph_optimization_level) {
      case ORT_DISABLE_ALL:
      case ORT_ENABLE_BASIC:
      case ORT_ENABLE_EXTENDED:
      case ORT_ENABLE_LAYOUT:
      case ORT_ENABLE_ALL:
        options->options.level = static_cast<session::OptLevel>(graph_optimization_level);
        return Status::Ok();
    }
    return Error(Code::kInvalidArgument, "graph_optimization_level is not valid");
  });
}

OrtStatus* SetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads) {
  return With(options, [&](auto& o) {
    o.options.intra_op_threads = intra_op_num_threads > 0 ? intra_op_num_threads : 0;
  });
}

OrtStatus* SetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads) {
  return With(options, [&](auto& o) { o.options.inter_op_threads = inter_op_num_threads; });
}

OrtStatus* DisablePerSessionThreads(OrtSessionOptions* options) {
  return With(options, [](auto& o) { o.per_session_threads = false; });
}

OrtStatus* AddFreeDimensionOverride(OrtSessionOptions* options, const char* dim_denotation,
                                    int64_t dim_value) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(dim_denotation);
    options->options.free_dims_by_denotation[dim_denotation] = dim_value;
    return Status::Ok();
  });
}

OrtStatus* AddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* dim_name,
                                          int64_t dim_value) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(dim_name);
    options->options.free_dims_by_name[dim_name] = dim_value;
    return Status::Ok();
  });
}

OrtStatus* SetDeterministicCompute(OrtSessionOptions* options, bool value) {
  return With(options, [&](auto& o) { o.deterministic_compute = value; });
}

OrtStatus* SessionOptionsSetLoadCancellationFlag(OrtSessionOptions* options, bool cancel) {
  return With(options, [&](auto& o) { o.cancel_load->store(cancel); });
}

OrtStatus* AddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
                                 const char* config_value) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(config_key);
    WB_NOT_NULL(config_value);
    return SetConfigEntry(*options, config_key, config_value);
  });
}

OrtStatus* HasSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                 int* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(config_key);
    WB_NOT_NULL(out);
    *out = options->options.config.count(config_key) != 0 ? 1 : 0;
    return Status::Ok();
  });
}

OrtStatus* GetSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                 char* config_value, size_t* size) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(config_key);
    WB_NOT_NULL(size);
    const auto it = options->options.config.find(config_key);
    if (it == options->options.config.end()) {
      return Error(Code::kInvalidArgument, "Session config entry '{}' was not found.", config_key);
    }
    return CopyToSizedBuffer(it->second, config_value, size);
  });
}

}  // namespace waybill::capi
