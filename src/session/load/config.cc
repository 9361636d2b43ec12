#include "session/load/config.h"

#include <charconv>
#include <string_view>

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

}  // namespace

Result<Config> ParseConfig(const std::map<std::string, std::string>& entries) {
  Config config;
  for (const auto& [key, value] : entries) {
    Status status;
    if (key == "waybill.stop_after_patch") {
      status = ParseCount(key, value, config.stop_after_patch);
    } else if (key == "waybill.read_model") {
      status = ParseFlag(key, value, config.read_model);
    } else if (key == "waybill.fold_limit_bytes") {
      status = ParseCount(key, value, config.fold_limit_bytes);
    } else if (key == "session.model_external_initializers_file_folder_path") {
      config.external_folder = value;
    } else if (key.starts_with("waybill.")) {
      status = Error(Code::kInvalidArgument, "unknown session config entry {}", key);
    }
    WB_RETURN_IF_ERROR(std::move(status));
  }
  return config;
}

}  // namespace waybill::session
