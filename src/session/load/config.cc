#include "session/load/config.h"

#include <charconv>
#include <string_view>

#include "session/load/foreign_keys.h"

namespace waybill::session {

namespace {

Status ParseCount(std::string_view key, std::string_view text, int64_t& out) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) {
    return Error(Code::kInvalidArgument,
                 "session config entry {} must be a non-negative number, not \"{}\"", key, text);
  }
  out = value;
  return Status::Ok();
}

Status ParseFlag(std::string_view key, std::string_view text, bool& out) {
  if (text != "0" && text != "1") {
    return Error(Code::kInvalidArgument, "session config entry {} must be 0 or 1, not \"{}\"", key,
                 text);
  }
  out = text == "1";
  return Status::Ok();
}

struct FlagKey {
  std::string_view key;
  bool Config::*member;
  bool on = true;  // what the member becomes for "1"
};

constexpr FlagKey kFlags[] = {
    {"waybill.read_model", &Config::read_model},
    {"waybill.no_reuse", &Config::reuse_memory, false},
    {"waybill.poison_freed", &Config::poison_freed},
    {"waybill.plan_templates", &Config::plan_templates},
    {"session.set_denormal_as_zero", &Config::denormals_as_zero},
    {"session.allow_released_opsets_only", &Config::released_opsets_only},
    {"session.disable_quant_qdq", &Config::fuse_quantized, false},
};

struct CountKey {
  std::string_view key;
  int64_t Config::*member;
};

constexpr CountKey kCounts[] = {
    {"waybill.stop_after_patch", &Config::stop_after_patch},
    {"waybill.fold_limit_bytes", &Config::fold_limit_bytes},
    {"waybill.stream_bytes", &Config::stream_bytes},
    {"waybill.max_inflight", &Config::max_inflight},
    {"waybill.memory_budget_bytes", &Config::memory_budget_bytes},
    {"waybill.idle_trim_ms", &Config::idle_trim_ms},
    {"waybill.plan_cache_plans", &Config::max_plans},
    {"waybill.plan_cache_bytes", &Config::max_plan_bytes},
    {"session.optimized_model_external_initializers_min_size_in_bytes",
     &Config::optimized_external_min_bytes},
};

Status ParseEntry(std::string_view key, std::string_view value, Config& config) {
  for (const FlagKey& flag : kFlags) {
    if (key != flag.key) continue;
    bool one = false;
    WB_RETURN_IF_ERROR(ParseFlag(key, value, one));
    config.*flag.member = one == flag.on;
    return Status::Ok();
  }
  for (const CountKey& count : kCounts) {
    if (key == count.key) return ParseCount(key, value, config.*count.member);
  }
  if (key == "waybill.admission_timeout_ms") {
    WB_ASSIGN_OR_RETURN(config.admission_timeout_ms,
                        ParseTimeoutMs(Format("session config entry {}", key), value));
    return Status::Ok();
  }
  if (key == "session.disable_prepacking" && value == "1") {
    config.pack = false;
    config.warnings.push_back(
        Format("session config entry {} = \"1\": weights stay as they are in the model, so that "
               "runs arrange them anew each time",
               key));
    return Status::Ok();
  }
  if (key == "session.model_external_initializers_file_folder_path") {
    config.external_folder = value;
    return Status::Ok();
  }
  if (key == "waybill.step_order") {
    if (value != "memory" && value != "file") {
      return Error(Code::kInvalidArgument,
                   "session config entry {} must be memory or file, not \"{}\"", key, value);
    }
    config.order_steps = value == "memory";
    return Status::Ok();
  }
  if (key == "waybill.prewarm") {
    WB_ASSIGN_OR_RETURN(config.prewarm, ParseWarmShapes(value), "session config entry {}", key);
    return Status::Ok();
  }
  if (key == "waybill.packed_weights_path") {
    config.packed_weights_path = value;
    return Status::Ok();
  }
  if (key == "session.optimized_model_external_initializers_file_name") {
    config.optimized_external_file = value;
    return Status::Ok();
  }
  if (key.starts_with("waybill.")) {
    return Error(Code::kInvalidArgument, "unknown session config entry {}", key);
  }
  return CheckForeignKey(key, value, config.warnings);
}

}  // namespace

Result<int64_t> ParseTimeoutMs(std::string_view entry, std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= -1) return value;
  return Error(Code::kInvalidArgument, "{} must be -1 or a number of milliseconds, not \"{}\"",
               entry, text);
}

Result<Config> ParseConfig(const std::map<std::string, std::string>& entries) {
  Config config;
  for (const auto& [key, value] : entries) {
    WB_RETURN_IF_ERROR(ParseEntry(key, value, config));
  }
  return config;
}

}  // namespace waybill::session
