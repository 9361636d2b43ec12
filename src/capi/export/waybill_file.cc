// The symbol of waybill.h that makes values of files.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/file/file_bytes.h"
#include "capi/handles.h"
#include "capi/support/error.h"
#include "capi/support/value.h"
#include "waybill.h"

namespace capi = waybill::capi;
using waybill::Code;
using waybill::Error;
using waybill::FileBytes;
using waybill::Status;

OrtStatus* WaybillValueFromFile(const ORTCHAR_T* path, uint64_t offset, const int64_t* shape,
                                size_t shape_len, ONNXTensorElementDataType type,
                                OrtValue** out) noexcept {
  return capi::Guard([&]() -> Status {
    WB_NOT_NULL(path);
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const FileBytes file, FileBytes::Open(path));
    const std::span<const std::byte> bytes = file.bytes();
    if (offset > bytes.size()) {
      return Error(Code::kInvalidArgument, "{} has {} bytes, so none at {}", path, bytes.size(),
                   offset);
    }
    // The mapping is private: pages that are written become this process's own.
    auto* data = const_cast<std::byte*>(bytes.data());
    if (!bytes.empty() && mprotect(data, bytes.size(), PROT_READ | PROT_WRITE) != 0) {
      return Error(Code::kFail, "cannot map {}: {}", path, std::strerror(errno));
    }
    const auto at = static_cast<size_t>(offset);
    WB_ASSIGN_OR_RETURN(waybill::Tensor tensor,
                        capi::WrapBytes(data == nullptr ? nullptr : data + at, bytes.size() - at,
                                        shape, shape_len, type, file.owner()),
                        "file {} from byte {}", path, offset);
    *out = capi::MakeValue(std::move(tensor)).release();
    return Status::Ok();
  });
}
