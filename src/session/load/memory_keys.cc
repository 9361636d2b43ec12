#include "session/load/memory_keys.h"

namespace waybill::session {

namespace {

constexpr std::string_view kArena =
    "it is a setting of an arena (CreateArenaCfgV2, CreateSharedAllocator)";
constexpr std::string_view kBudget =
    "the limit of all memory is waybill.memory_budget_bytes, a session config entry, or "
    "WaybillEnvSetMemoryBudget";

struct MemoryKey {
  std::string_view key;
  std::string_view home;
};

constexpr MemoryKey kKeys[] = {
    {"max_mem", kArena},
    {"initial_chunk_size_bytes", kArena},
    {"initial_growth_chunk_size_bytes", kArena},
    {"max_dead_bytes_per_chunk", kArena},
    {"max_power_of_two_extend_bytes", kArena},
    {"default_memory_arena_cfg", kArena},
    {"gpu_mem_limit", kBudget},
    {"cpu_mem_limit", kBudget},
    {"memory_limit", kBudget},
    {"memory.enable_memory_arena_shrinkage", "it is a run config entry (AddRunConfigEntry)"},
};

bool DropPrefix(std::string_view prefix, std::string_view& text) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Empty: it is no setting of memory.
std::string_view HomeOf(std::string_view key) {
  // ONNX Runtime reads these two where they stand.
  if (key == "session.enable_cpu_mem_arena" || key == "session.enable_mem_pattern") return {};
  std::string_view name = key;
  const bool of_arena = DropPrefix("arena.", name);
  if (!of_arena) DropPrefix("session.", name);
  for (const MemoryKey& known : kKeys) {
    if (name == known.key) return known.home;
  }
  if (of_arena) return "there is no such setting of an arena";
  if (key.starts_with("memory.")) {
    return "the only one is memory.enable_memory_arena_shrinkage, a run config entry";
  }
  return {};
}

}  // namespace

Status CheckMemoryKey(std::string_view where, std::string_view key) {
  const std::string_view home = HomeOf(key);
  if (home.empty()) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} {} would have no effect on memory: {}", where, key,
               home);
}

}  // namespace waybill::session
