// What tests of warm runs read of the environment's account.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/api/api_support.h"
#include "waybill.h"

namespace waybill::api_test {

// A report of the C interface, which is given back.
inline nlohmann::json Json(char* text) {
  auto out = nlohmann::json::parse(text);
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), text));
  return out;
}

inline nlohmann::json MemoryOf(const OrtEnv* env) {
  char* text = nullptr;
  EXPECT_OK(WaybillEnvGetMemoryJson(env, DefaultAllocator(), &text));
  return Json(text);
}

// Blocks that were taken from the operating system for tensors since the environment was made;
// those for callers, as the very report is one, do not count.
inline uint64_t Takes(const OrtEnv* env) {
  uint64_t takes = 0;
  const nlohmann::json memory = MemoryOf(env);
  for (const auto& device : memory["devices"]) {
    takes += device["total"]["takes"].get<uint64_t>();
    takes -= device["by_tag"]["user"]["takes"].get<uint64_t>();
  }
  EXPECT_GT(takes, 0u);
  return takes;
}

}  // namespace waybill::api_test
