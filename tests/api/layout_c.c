/* The headers in C99, and every offset and value as the interface fixes them. */
#include "onnxruntime_c_api.h"
#include "onnxruntime_env_config_keys.h"
#include "onnxruntime_ep_device_ep_metadata_keys.h"
#include "onnxruntime_run_options_config_keys.h"
#include "onnxruntime_session_options_config_keys.h"
#include "waybill.h"

#define WB_JOIN2(a, b) a##b
#define WB_JOIN(a, b) WB_JOIN2(a, b)
/* C99 has no static assertion: an array of -1 elements is an error. */
#define WB_CHECK(condition) typedef char WB_JOIN(wb_check_, __COUNTER__)[(condition) ? 1 : -1]

#define WB_READY(index, name) WB_CHECK(offsetof(OrtApi, name) == (index) * sizeof(void*));
#define WB_LATER(index, name) WB_READY(index, name)
#define WB_SIZE(type, bytes) WB_CHECK(sizeof(type) == (bytes));
#define WB_FIELD(type, offset, member) WB_CHECK(offsetof(type, member) == (offset));
#define WB_ENUM(name, value) WB_CHECK((name) == (value));
#include "src/capi/slots.def"
#include "tests/api/layout.def"

WB_CHECK(sizeof(OrtApi) == 426 * sizeof(void*));
WB_CHECK(ORT_API_VERSION == 30);

/* Uses what is defined as static in the key headers. */
const char* const* wb_layout_keys(void);
const char* const* wb_layout_keys(void) {
  static const char* keys[64];
  size_t n = 0;
  keys[n++] = kOrtSessionOptionsConfigDisablePrepacking;
  keys[n++] = kOrtRunOptionsConfigEnableMemoryArenaShrinkage;
  keys[n++] = kOrtEnvAllowVirtualDevices;
  keys[n++] = kOrtEpDevice_EpMetadataKey_Version;
  return keys;
}
