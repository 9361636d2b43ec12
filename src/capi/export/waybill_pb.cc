// The symbols of waybill.h that read and write serialized values.
#include <cstring>

#include "capi/handles.h"
#include "capi/support/error.h"
#include "capi/support/text.h"
#include "session/io/pb_value.h"
#include "waybill.h"

using waybill::Result;
using waybill::Status;
namespace capi = waybill::capi;

OrtStatus* WaybillValueFromPb(const OrtTypeInfo* type, const void* bytes, size_t num_bytes,
                              OrtValue** out) noexcept {
  return capi::Guard([&]() -> Status {
    WB_NOT_NULL(out);
    if (num_bytes != 0) WB_NOT_NULL(bytes);
    const std::span message(static_cast<const std::byte*>(bytes), num_bytes);
    WB_ASSIGN_OR_RETURN(
        waybill::Value value,
        waybill::ValueFromPb(message, type != nullptr ? type->type : waybill::ValueType(),
                             capi::CpuSource()));
    *out = capi::MakeValue(std::move(value)).release();
    return Status::Ok();
  });
}

OrtStatus* WaybillValueToPb(const OrtValue* value, OrtAllocator* allocator, void** bytes,
                            size_t* num_bytes) noexcept {
  return capi::Guard([&]() -> Status {
    WB_NOT_NULL(value);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(bytes);
    WB_NOT_NULL(num_bytes);
    WB_ASSIGN_OR_RETURN(const std::vector<std::byte> message, waybill::ValueToPb(value->value));
    // An empty message still gets an address.
    WB_ASSIGN_OR_RETURN(*bytes, capi::AllocateFrom(allocator, message.size() + 1));
    if (!message.empty()) std::memcpy(*bytes, message.data(), message.size());
    *num_bytes = message.size();
    return Status::Ok();
  });
}
