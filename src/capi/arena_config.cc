// Settings of arenas.
#include "capi/support/arena_config.h"

#include <limits>

#include "capi/slots.h"
#include "capi/support/error.h"

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

// 0 and -1 ask for the default.
Status SetNumber(std::string_view key, int value, OrtArenaCfg& config) {
  if (value < -1) return Error(Code::kInvalidArgument, "{} must not be {}", key, value);
  return SetArenaKey(key, value <= 0 ? kDefault : static_cast<size_t>(value), config);
}

}  // namespace

Status SetArenaKey(std::string_view key, size_t value, OrtArenaCfg& config) {
  for (const ArenaKey& known : kArenaKeys) {
    if (known.key == key) return known.set(key, value, config);
  }
  return Error(Code::kInvalidArgument, "unknown arena config key {}", key);
}

OrtStatus* CreateArenaCfg(size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
                          int max_dead_bytes_per_chunk, OrtArenaCfg** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    auto config = std::make_unique<OrtArenaCfg>();
    WB_RETURN_IF_ERROR(SetArenaKey("max_mem", max_mem, *config));
    WB_RETURN_IF_ERROR(
        SetArenaKey("arena_extend_strategy",
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
      WB_RETURN_IF_ERROR(SetArenaKey(arena_config_keys[i], arena_config_values[i], *config));
    }
    *out = config.release();
    return Status::Ok();
  });
}

void ReleaseArenaCfg(OrtArenaCfg* input) { delete input; }

}  // namespace waybill::capi
