// The table: implemented slots by name, all others by a stub that says which function it stands
// for.
#include <cstdio>

#include "capi/slots.h"
#include "capi/support/error.h"

namespace waybill::capi {
namespace {

// A tag per unimplemented slot, so that each gets a stub of its own.
#define WB_READY(index, name)
#define WB_LATER(index, name)                   \
  struct Later_##name {                         \
    static constexpr const char* kName = #name; \
  };
#include "capi/slots.def"
#undef WB_READY
#undef WB_LATER

template <typename Tag, typename Function>
struct Stub;

template <typename Tag, typename R, typename... Args>
struct Stub<Tag, R (*)(Args...)> {
  static R Call(Args...) noexcept {
    if constexpr (std::is_same_v<R, OrtStatus*>) {
      return NotImplemented(Tag::kName);
    } else if constexpr (!std::is_void_v<R>) {
      return R{};
    }
  }
};

OrtApi MakeTable() {
  OrtApi api = {};
#define WB_READY(index, name) api.name = &capi::name;
#define WB_LATER(index, name) api.name = &Stub<Later_##name, decltype(OrtApi::name)>::Call;
#include "capi/slots.def"
#undef WB_READY
#undef WB_LATER
  return api;
}

}  // namespace

const OrtApi& Table() {
  static const OrtApi table = MakeTable();
  return table;
}

const OrtApi* TableForVersion(uint32_t version) noexcept {
  if (version >= 1 && version <= ORT_API_VERSION) return &Table();
  std::fprintf(stderr,
               "The requested API version [%u] is not available, only API versions [1, %d] are "
               "supported in this build. Current ORT Version is: %s\n",
               version, ORT_API_VERSION, CompatibleVersion());
  return nullptr;
}

const char* CompatibleVersion() noexcept { return "1.30.0"; }

}  // namespace waybill::capi
