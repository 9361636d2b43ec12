// The session config entries that are ours.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status/result.h"

namespace waybill::session {

struct Config {
  int64_t stop_after_patch = -1;  // negative: apply all
  bool read_model = false;        // read the file instead of mapping it
  int64_t fold_limit_bytes = int64_t{1} << 30;
  std::string external_folder;  // where external data of a model from memory is
};

// Reads the keys that start with "waybill." and those of ONNX Runtime that have a meaning here;
// others of its many keys are accepted and ignored.
// Errors: kInvalidArgument naming key and value for an unknown "waybill." key or a bad value.
Result<Config> ParseConfig(const std::map<std::string, std::string>& entries);

}  // namespace waybill::session
