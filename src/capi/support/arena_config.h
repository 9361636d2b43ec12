// Settings of an arena, as the C interface gives them.
#pragma once

#include <string>
#include <string_view>

#include "base/status/status.h"
#include "memory/source/arena.h"
#include "onnxruntime_c_api.h"

// Made by CreateArenaCfg and CreateArenaCfgV2.
struct OrtArenaCfg {
  waybill::ArenaOptions options;
  std::string cuda_key;  // one that only memory of CUDA devices has, where it asks for something
};

namespace waybill::capi {

// One setting by the name that CreateArenaCfgV2 has for it; SIZE_MAX asks for the default.
// Errors: kInvalidArgument naming an unknown key or a value that it can not have.
Status SetArenaKey(std::string_view key, size_t value, OrtArenaCfg& config);

}  // namespace waybill::capi
