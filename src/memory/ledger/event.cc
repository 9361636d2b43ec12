#include "memory/ledger/event.h"

namespace waybill {

std::string_view EventKindName(EventKind kind) {
  constexpr std::string_view kNames[kEventKindCount] = {"take", "give", "run begin", "run end"};
  const auto index = static_cast<size_t>(kind);
  return index < kEventKindCount ? kNames[index] : "unknown";
}

std::string_view EventSourceName(EventSource source) {
  constexpr std::string_view kNames[kEventSourceCount] = {"heap",   "pages", "slabs",
                                                          "blocks", "arena", "run"};
  const auto index = static_cast<size_t>(source);
  return index < kEventSourceCount ? kNames[index] : "unknown";
}

}  // namespace waybill
