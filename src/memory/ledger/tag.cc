#include "memory/ledger/tag.h"

namespace waybill {

std::string_view MemoryTagName(MemoryTag tag) {
  constexpr std::string_view kNames[kMemoryTagCount] = {
      "weights", "packed weights", "folded constants", "slab", "output",
      "dynamic", "user",           "staging"};
  const auto index = static_cast<size_t>(tag);
  return index < kMemoryTagCount ? kNames[index] : "unknown";
}

}  // namespace waybill
