// Declares every implemented slot with the very type its place in OrtApi has, so a definition that
// differs does not link.
#pragma once

#include <type_traits>

#include "onnxruntime_c_api.h"

namespace waybill::capi {

#define WB_READY(index, name) std::remove_pointer_t<decltype(OrtApi::name)> name;
#define WB_LATER(index, name)
#include "capi/slots.def"
#undef WB_READY
#undef WB_LATER

// The one table, for every version that exists.
const OrtApi& Table();
// Null, and one line on stderr, for a version that this library does not have.
const OrtApi* TableForVersion(uint32_t version) noexcept;
// "1.30.0": what clients compare with what they were built for.
const char* CompatibleVersion() noexcept;

}  // namespace waybill::capi
