// The allocator that the environment shares between sessions: ours, made for it, or the caller's.
#include <charconv>

#include "capi/ep_devices.h"
#include "capi/providers.h"
#include "capi/slots.h"
#include "capi/support/allocator.h"
#include "capi/support/arena_config.h"
#include "capi/support/error.h"
#include "capi/support/registered_source.h"
#include "memory/source/hub.h"

namespace waybill::capi {
namespace {

Status CheckMemory(const OrtMemoryInfo& memory) {
  if (memory.device_type == OrtMemoryInfoDeviceType_CPU) return Status::Ok();
  return Error(Code::kInvalidArgument, "there is no '{}' memory in this build", memory.name);
}

Status CheckFree(const OrtEnv& env) {
  if (env.allocator == nullptr) return Status::Ok();
  return Error(Code::kInvalidArgument,
               "An allocator for this device has already been registered for sharing.");
}

Result<std::shared_ptr<OwnAllocator>> MakeOwn(const OrtEnv& env, const OrtMemoryInfo& memory,
                                              const OrtArenaCfg* config) {
  WB_RETURN_IF_ERROR(CheckMemory(memory));
  if (config != nullptr && !config->cuda_key.empty()) {
    return Error(Code::kInvalidArgument, "the arena config key {} is for memory of CUDA devices",
                 config->cuda_key);
  }
  std::shared_ptr<Arena> arena;
  if (memory.allocator_type == OrtArenaAllocator) {
    arena = env.env->hub().NewArena(config != nullptr ? config->options : ArenaOptions());
  }
  auto allocator = std::make_shared<OwnAllocator>(memory, std::move(arena));
  allocator->lent = true;
  return allocator;
}

// With allocator_mutex held.
void SetAllocator(OrtEnv& env, std::shared_ptr<OrtAllocator> allocator,
                  std::shared_ptr<MemorySource> source) {
  env.allocator = std::move(allocator);
  env.allocator_source = std::move(source);
}

Status Register(OrtEnv& env, const OrtMemoryInfo& memory, const OrtArenaCfg* config) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<OwnAllocator> own, MakeOwn(env, memory, config));
  const std::lock_guard lock(env.allocator_mutex);
  WB_RETURN_IF_ERROR(CheckFree(env));
  SetAllocator(env, own, SourceOf(own.get()));
  return Status::Ok();
}

Status CheckMemoryKind(OrtDeviceMemoryType mem_type) {
  if (mem_type == OrtDeviceMemoryType_DEFAULT) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} has no memory of the type {}, only default memory",
               kCpuProvider, static_cast<int>(mem_type));
}

Status CheckAllocatorType(OrtAllocatorType type) {
  if (type == OrtDeviceAllocator || type == OrtArenaAllocator) return Status::Ok();
  const char* const name = type == OrtReadOnlyAllocator ? " (read only)" : "";
  return Error(Code::kInvalidArgument, "{} has no allocators of the type {}{}", kCpuProvider,
               static_cast<int>(type), name);
}

// Options of a shared allocator: those of arenas, after a prefix.
Status ReadOptions(const OrtKeyValuePairs* options, OrtAllocatorType type, OrtArenaCfg& config) {
  constexpr std::string_view kPrefix = "arena.";
  if (options == nullptr) return Status::Ok();
  for (const auto& [key, text] : options->entries) {
    if (key.compare(0, kPrefix.size(), kPrefix) != 0) {
      return Error(Code::kInvalidArgument, "{} has no allocator option {}", kCpuProvider, key);
    }
    if (type != OrtArenaAllocator) {
      return Error(Code::kInvalidArgument, "{} is for arena allocators only", key);
    }
    int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size() || value < -1) {
      return Error(Code::kInvalidArgument, "{} must be a number from -1 on, not '{}'", key, text);
    }
    WB_RETURN_IF_ERROR(SetArenaKey(std::string_view(key).substr(kPrefix.size()),
                                   static_cast<size_t>(value), config));
  }
  return Status::Ok();
}

}  // namespace

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

// It is the caller's: it outlives the environment, or is unregistered and outlives what was taken
// from it.
OrtStatus* RegisterAllocator(OrtEnv* env, OrtAllocator* allocator) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(allocator);
    if (allocator->Alloc == nullptr || allocator->Free == nullptr || allocator->Info == nullptr) {
      return Error(Code::kInvalidArgument, "the allocator lacks one of Alloc, Free and Info");
    }
    const OrtMemoryInfo* memory = allocator->Info(allocator);
    if (memory == nullptr) return Error(Code::kInvalidArgument, "the allocator has no memory info");
    WB_RETURN_IF_ERROR(CheckMemory(*memory));
    std::shared_ptr<MemorySource> source =
        IsOurs(allocator) ? SourceOf(allocator) : std::make_shared<RegisteredSource>(allocator);
    const std::lock_guard lock(env->allocator_mutex);
    WB_RETURN_IF_ERROR(CheckFree(*env));
    SetAllocator(*env, std::shared_ptr<OrtAllocator>(std::shared_ptr<void>(), allocator),
                 std::move(source));
    return Status::Ok();
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
    SetAllocator(*env, nullptr, nullptr);
    return Status::Ok();
  });
}

// Takes the place of the one that was there. What was taken from that one stays valid.
OrtStatus* CreateSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
                                 OrtDeviceMemoryType mem_type, OrtAllocatorType allocator_type,
                                 const OrtKeyValuePairs* allocator_options,
                                 OrtAllocator** allocator) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(ep_device);
    WB_RETURN_IF_ERROR(CheckEpDevice(ep_device));
    WB_RETURN_IF_ERROR(CheckMemoryKind(mem_type));
    WB_RETURN_IF_ERROR(CheckAllocatorType(allocator_type));
    OrtArenaCfg config;
    WB_RETURN_IF_ERROR(ReadOptions(allocator_options, allocator_type, config));
    OrtMemoryInfo memory = CpuMemory();
    memory.allocator_type = allocator_type;
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<OwnAllocator> own, MakeOwn(*env, memory, &config));
    const std::lock_guard lock(env->allocator_mutex);
    SetAllocator(*env, own, SourceOf(own.get()));
    if (allocator != nullptr) *allocator = own.get();
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

OrtStatus* ReleaseSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
                                  OrtDeviceMemoryType mem_type) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(env);
    WB_NOT_NULL(ep_device);
    WB_RETURN_IF_ERROR(CheckEpDevice(ep_device));
    WB_RETURN_IF_ERROR(CheckMemoryKind(mem_type));
    const std::lock_guard lock(env->allocator_mutex);
    if (env->allocator == nullptr) {
      return Error(Code::kInvalidArgument, "{} shares no allocator", kCpuProvider);
    }
    SetAllocator(*env, nullptr, nullptr);
    return Status::Ok();
  });
}

}  // namespace waybill::capi
