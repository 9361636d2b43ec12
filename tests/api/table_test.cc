// The table: all there, one for all versions, and every slot survives NULL.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tests/api/api_support.h"

namespace waybill::api_test {
namespace {

TEST(Table, OneForAllVersions) {
  const OrtApiBase* base = OrtGetApiBase();
  const OrtApi* api = base->GetApi(1);
  ASSERT_NE(api, nullptr);
  for (uint32_t version = 2; version <= ORT_API_VERSION; ++version) {
    EXPECT_EQ(base->GetApi(version), api) << version;
  }
  EXPECT_EQ(std::string(base->GetVersionString()).rfind("1.30.", 0), 0u);
}

TEST(Table, UnknownVersionsGiveNullAndOneLine) {
  for (const uint32_t version : {0u, 31u, 4000000000u}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(OrtGetApiBase()->GetApi(version), nullptr);
    const std::string line = testing::internal::GetCapturedStderr();
    EXPECT_NE(line.find("API version [" + std::to_string(version) + "]"), std::string::npos)
        << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  }
}

TEST(Table, NoSlotIsNull) {
  const auto* slots = reinterpret_cast<void* const*>(&Api());
  for (size_t i = 0; i < sizeof(OrtApi) / sizeof(void*); ++i) EXPECT_NE(slots[i], nullptr) << i;
}

// Calls a slot with zero for every argument.
template <typename R, typename... Args>
R CallWithZeros(R (*slot)(Args...)) {
  return slot(Args{}...);
}

// What an unimplemented slot must answer.
template <typename Slot>
void ExpectLater(const char* name, Slot slot) {
  using R = decltype(CallWithZeros(slot));
  if constexpr (std::is_same_v<R, OrtStatus*>) {
    EXPECT_FAILS(ORT_NOT_IMPLEMENTED, name, CallWithZeros(slot));
  } else if constexpr (std::is_void_v<R>) {
    CallWithZeros(slot);
  } else {
    EXPECT_EQ(CallWithZeros(slot), R{}) << name;
  }
}

// An implemented slot answers NULLs with a status or without harm.
template <typename Slot>
void ExpectSurvives(const char*, Slot slot) {
  using R = decltype(CallWithZeros(slot));
  if constexpr (std::is_same_v<R, OrtStatus*>) {
    const Outcome outcome(CallWithZeros(slot));
    EXPECT_NE(outcome.code, ORT_NOT_IMPLEMENTED);
  } else {
    (void)CallWithZeros(slot);
  }
}

TEST(Table, UnimplementedSlotsSayTheirName) {
#define WB_READY(index, name)
#define WB_LATER(index, name) ExpectLater(#name, Api().name);
#include "src/capi/slots.def"
#undef WB_READY
#undef WB_LATER
}

TEST(Table, ImplementedSlotsSurviveNull) {
#define WB_READY(index, name) ExpectSurvives(#name, Api().name);
#define WB_LATER(index, name)
#include "src/capi/slots.def"
#undef WB_READY
#undef WB_LATER
}

TEST(Table, StatusCarriesCodeAndText) {
  OrtStatus* status = Api().CreateStatus(ORT_EP_FAIL, "why");
  EXPECT_EQ(Api().GetErrorCode(status), ORT_EP_FAIL);
  EXPECT_STREQ(Api().GetErrorMessage(status), "why");
  Api().ReleaseStatus(status);
  Api().ReleaseStatus(nullptr);
}

// Programs that load the library themselves may unload and load it again.
TEST(Table, LoadsAndUnloads) {
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(WAYBILL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto* get = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
    ASSERT_NE(get, nullptr);
    EXPECT_NE(get()->GetApi(30), nullptr);
    dlclose(library);
  }
}

}  // namespace
}  // namespace waybill::api_test
