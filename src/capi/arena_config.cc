// Settings of arenas, and the allocator that the environment shares between sessions.
#include <limits>

#include "capi/handles.h"
#include "capi/providers.h"
#include "capi/slots.h"
#include "capi/support/allocator.h"
#include "capi/support/error.h"
#include "memory/source/hub.h"

namespace waybill::capi {
namespace {

// As both functions write "the default" for an unsigned and for a signed number.
constexpr size_t kDefault = std::numeric_limits<size_t>::max();

Status SetExtend(std::string_view key, size_t value, OrtArenaCfg& config) {
  if (value == kDefault) return Status::Ok();
  if (value > 1) {
    return Error(Code::kInvalidArgument,
                 "{} must be -1, 0 (next power of two) or 1 (same as requested), not {}", key,
                 value);
  }
  config.options.extend = value == 0 ? ArenaExtend::kNextPowerOfTwo : ArenaExtend::kSameAsRequested;
  return Status::Ok();
}

template <size_t ArenaOptions::*kMember>
Status SetBytes(std::string_view key, size_t value, OrtArenaCfg& config) {
  if (value == kDefault) return Status::Ok();
  if (value == 0) return Error(Code::kInvalidArgument, "{} must not be 0", key);
  config.options.*kMember = value;
  return Status::Ok();
}

Status SetLimit(std::string_view, size_t value, OrtArenaCfg& config) {
  if (value != 0) config.options.max_bytes = value;
  return Status::Ok();
}

// Every chunk is split as far as it goes, so no chunk has as many unused bytes as any limit allows.
Status SetDeadBytes(std::string_view, size_t, OrtArenaCfg&) { return Status::Ok(); }

Status SetCuda(std::string_view key, size_t value, OrtArenaCfg& config) {
  if (value != 0 && value != kDefault) config.cuda_key = key;
  return Status::Ok();
}

struct ArenaKey {
  std::string_view key;
  Status (*set)(std::string_view key, size_t value, OrtArenaCfg& config);
};

constexpr ArenaKey kArenaKeys[] = {
    {"max_mem", SetLimit},
    {"arena_extend_strategy", SetExtend},
    {"initial_chunk_size_bytes", SetBytes<&ArenaOptions::first_region_bytes>},
    {"max_dead_bytes_per_chunk", SetDeadBytes},
    {"initial_growth_chunk_size_bytes", SetBytes<&ArenaOptions::region_after_shrink_bytes>},
    {"max_power_of_two_extend_bytes", SetBytes<&ArenaOptions::max_power_of_two_bytes>},
    {"use_cuda_mempool", SetCuda},
    {"cuda_mempool_release_threshold", SetCuda},
    {"cuda_mempool_bytes_to_keep_on_shrink", SetCuda},
};

Status SetKey(std::string_view key, size_t value, OrtArenaCfg& config) {
  for (const ArenaKey& known : kArenaKeys) {
    if (known.key == key) return known.set(key, value, config);
  }
  return Error(Code::kInvalidArgument, "unknown arena config key {}", key);
}

// 0 and -1 ask for the default.
Status SetNumber(std::string_view key, int value, OrtArenaCfg& config) {
  if (value < -1) return Error(Code::kInvalidArgument, "{} must not be {}", key, value);
  return SetKey(key, value <= 0 ? kDefault : static_cast<size_t>(value), config);
}

Status Register(OrtEnv& env, const OrtMemoryInfo& memory, const OrtArenaCfg* config) {
  if (memory.device_type != OrtMemoryInfoDeviceType_CPU) {
    return Error(Code::kInvalidArgument, "there is no '{}' memory in this build", memory.name);
  }
  if (config != nullptr && !config->cuda_key.empty()) {
    return Error(Code::kInvalidArgument, "the arena config key {} is for memory of CUDA devices",
                 config->cuda_key);
  }
  const std::lock_guard lock(env.allocator_mutex);
  if (env.allocator != nullptr) {
    return Error(Code::kInvalidArgument,
                 "An allocator for this device has already been registered for sharing.");
  }
  std::shared_ptr<Arena> arena;
  if (memory.allocator_type == OrtArenaAllocator) {
    arena = env.env->hub().NewArena(config != nullptr ? config->options : ArenaOptions());
  }
  auto allocator = std::make_shared<OwnAllocator>(memory, std::move(arena));
  allocator->lent = true;
  env.allocator = std::move(allocator);
  return Status::Ok();
}

}  // namespace

OrtStatus* CreateArenaCfg(size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
                          int max_dead_bytes_per_chunk, OrtArenaCfg** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    auto config = std::make_unique<OrtArenaCfg>();
    WB_RETURN_IF_ERROR(SetKey("max_mem", max_mem, *config));
    WB_RETURN_IF_ERROR(
        SetKey("arena_extend_strategy",
               arena_extend_strategy == -1
                   ? kDefault
                   : static_cast<size_t>(static_cast<int64_t>(arena_extend_strategy)),
               *config));
    WB_RETURN_IF_ERROR(SetNumber("initial_chunk_size_bytes", initial_chunk_size_bytes, *config));
    WB_RETURN_IF_ERROR(SetNumber("max_dead_bytes_per_chunk", max_dead_bytes_per_chunk, *config));
    *out = config.release();
    return Status::Ok();
  });
}

OrtStatus* CreateArenaCfgV2(const char* const* arena_config_keys, const size_t* arena_config_values,
                            size_t num_keys, OrtArenaCfg** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    if (num_keys != 0) {
      WB_NOT_NULL(arena_config_keys);
      WB_NOT_NULL(arena_config_values);
    }
    auto config = std::make_unique<OrtArenaCfg>();
    for (size_t i = 0; i < num_keys; ++i) {
      WB_NOT_NULL(arena_config_keys[i]);
      WB_RETURN_IF_ERROR(SetKey(arena_config_keys[i], arena_config_values[i], *config));
    }
    *out = config.release();
    return Status::Ok();
  });
}

void ReleaseArenaCfg(OrtArenaCfg* input) { delete input; }

OrtStatus* CreateAndRegisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                      const OrtArenaCfg* arena_cfg) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(mem_info);
    return Register(*env, *mem_info, arena_cfg);
  });
}

OrtStatus* CreateAndRegisterAllocatorV2(OrtEnv* env, const char* provider_type,
                                        const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg,
                                        const char* const* provider_options_keys,
                                        const char* const*, size_t num_keys) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(provider_type);
    WB_NOT_NULL(mem_info);
    if (std::string_view(provider_type) != kCpuProvider) {
      return Error(Code::kInvalidArgument, "{} is not in this build", provider_type);
    }
    if (num_keys != 0) {
      WB_NOT_NULL(provider_options_keys);
      WB_NOT_NULL(provider_options_keys[0]);
      return Error(Code::kInvalidArgument, "{} has no option {}", provider_type,
                   provider_options_keys[0]);
    }
    return Register(*env, *mem_info, arena_cfg);
  });
}

OrtStatus* UnregisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(mem_info);
    const std::lock_guard lock(env->allocator_mutex);
    if (env->allocator == nullptr || mem_info->device_type != OrtMemoryInfoDeviceType_CPU) {
      return Error(Code::kInvalidArgument, "no allocator is registered for '{}' memory",
                   mem_info->name);
    }
    env->allocator = nullptr;
    return Status::Ok();
  });
}

OrtStatus* GetSharedAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
                              OrtAllocator** allocator) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(mem_info);
    WB_NOT_NULL(allocator);
    *allocator = nullptr;
    if (mem_info->device_type != OrtMemoryInfoDeviceType_CPU) return Status::Ok();
    const std::lock_guard lock(env->allocator_mutex);
    *allocator = env->allocator.get();
    if (*allocator == nullptr) ReleaseStatus(GetAllocatorWithDefaultOptions(allocator));
    return Status::Ok();
  });
}

}  // namespace waybill::capi
