// Session config entries, among them the typed ones that mean the same as a setter.
#include <array>
#include <charconv>

#include "capi/handles.h"
#include "capi/slots.h"

namespace waybill::capi {
namespace {

constexpr size_t kLongestKey = 1024;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Status Bad(std::string_view key, std::string_view value, std::string_view expected) {
  return Error(Code::kInvalidArgument, "value '{}' of '{}' is not {}", value, key, expected);
}

Result<int> ToInt(std::string_view key, std::string_view value) {
  int out = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, out);
  if (error != std::errc() || stop != end) return Bad(key, value, "a base-10 int32");
  return out;
}

Result<bool> ToBool(std::string_view key, std::string_view value) {
  if (value == "1" || value == "true") return true;
  if (value == "0" || value == "false") return false;
  return Bad(key, value, "0, 1, true or false");
}

// A setter's OrtStatus as a Status.
Status FromSetter(OrtStatus* status) {
  if (status == nullptr) return Status::Ok();
  Status out(Code::kInvalidArgument, GetErrorMessage(status));
  ReleaseStatus(status);
  return out;
}

Status SetMode(OrtSessionOptions& options, std::string_view key, std::string_view value) {
  std::string text = Lower(value);
  if (text.rfind("ort_", 0) == 0) text.erase(0, 4);
  if (text == "sequential") {
    options.options.parallel_steps = false;
  } else if (text == "parallel") {
    options.options.parallel_steps = true;
  } else {
    return Bad(key, value, "sequential or parallel");
  }
  return Status::Ok();
}

Status SetLevel(OrtSessionOptions& options, std::string_view key, std::string_view value) {
  constexpr std::array<std::pair<std::string_view, GraphOptimizationLevel>, 5> kLevels = {{
      {"disable_all", ORT_DISABLE_ALL},
      {"enable_basic", ORT_ENABLE_BASIC},
      {"enable_extended", ORT_ENABLE_EXTENDED},
      {"enable_layout", ORT_ENABLE_LAYOUT},
      {"enable_all", ORT_ENABLE_ALL},
  }};
  const std::string text = Lower(value);
  for (const auto& [name, level] : kLevels) {
    if (text == name) return FromSetter(SetSessionGraphOptimizationLevel(&options, level));
  }
  return Bad(key, value, "disable_all, enable_basic, enable_extended, enable_layout or enable_all");
}

using Setter = Status (*)(OrtSessionOptions&, std::string_view key, std::string_view value);

template <OrtStatus* (*kSet)(OrtSessionOptions*, int)>
Status SetInt(OrtSessionOptions& options, std::string_view key, std::string_view value) {
  WB_ASSIGN_OR_RETURN(const int number, ToInt(key, value));
  return FromSetter(kSet(&options, number));
}

template <bool session::SessionOptions::*kMember>
Status SetFlag(OrtSessionOptions& options, std::string_view key, std::string_view value) {
  WB_ASSIGN_OR_RETURN(options.options.*kMember, ToBool(key, value));
  return Status::Ok();
}

template <bool OrtSessionOptions::*kMember>
Status SetOwnFlag(OrtSessionOptions& options, std::string_view key, std::string_view value) {
  WB_ASSIGN_OR_RETURN(options.*kMember, ToBool(key, value));
  return Status::Ok();
}

Status SetProfiling(OrtSessionOptions&, std::string_view, std::string_view value) {
  if (value.empty()) return Status::Ok();
  return Error(Code::kNotImplemented, "EnableProfiling is not implemented in this version");
}

struct TypedKey {
  std::string_view key;
  Setter set;
};

constexpr TypedKey kTypedKeys[] = {
    {"session.execution_mode", SetMode},
    {"session.graph_optimization_level", SetLevel},
    {"session.intra_op_num_threads", SetInt<SetIntraOpNumThreads>},
    {"session.inter_op_num_threads", SetInt<SetInterOpNumThreads>},
    {"session.enable_cpu_mem_arena", SetFlag<&session::SessionOptions::cpu_mem_arena>},
    {"session.enable_mem_pattern", SetFlag<&session::SessionOptions::mem_pattern>},
    {"session.enable_profiling", SetProfiling},
    {"session.optimized_model_filepath",
     [](OrtSessionOptions& options, std::string_view, std::string_view value) {
       options.options.optimized_model_path = value;
       return Status::Ok();
     }},
    {"session.log_id",
     [](OrtSessionOptions& options, std::string_view, std::string_view value) {
       options.options.log_id = value;
       return Status::Ok();
     }},
    {"session.log_severity_level", SetInt<SetSessionLogSeverityLevel>},
    {"session.log_verbosity_level", SetInt<SetSessionLogVerbosityLevel>},
    {"session.use_deterministic_compute", SetOwnFlag<&OrtSessionOptions::deterministic_compute>},
    {"session.use_per_session_threads", SetOwnFlag<&OrtSessionOptions::per_session_threads>},
};

}  // namespace

Status SetConfigEntry(OrtSessionOptions& options, std::string_view key, std::string_view value) {
  if (key.empty() || key.size() > kLongestKey) {
    return Error(Code::kInvalidArgument, "Config key is empty or longer than maximum length {}",
                 kLongestKey);
  }
  for (const TypedKey& typed : kTypedKeys) {
    if (typed.key == key) WB_RETURN_IF_ERROR(typed.set(options, key, value));
  }
  options.options.config.insert_or_assign(std::string(key), std::string(value));
  return Status::Ok();
}

}  // namespace waybill::capi
