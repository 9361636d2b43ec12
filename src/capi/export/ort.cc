// The two ONNX Runtime symbols that the shared library exports.
#include "capi/slots.h"
#include "capi/support/error.h"

namespace {

// Versions 1 to ORT_API_VERSION get the same table.
const OrtApi* GetApi(uint32_t version) noexcept { return waybill::capi::TableForVersion(version); }

const OrtApiBase api_base = {GetApi, waybill::capi::CompatibleVersion};

}  // namespace

const OrtApiBase* OrtGetApiBase() noexcept { return &api_base; }

OrtStatus* OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options,
                                                        int use_arena) noexcept {
  return use_arena != 0 ? waybill::capi::EnableCpuMemArena(options)
                        : waybill::capi::DisableCpuMemArena(options);
}
