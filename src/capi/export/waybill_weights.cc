// The symbol of waybill.h that takes external data of a model where it lies in memory.
#include <memory>

#include "capi/handles.h"
#include "capi/support/error.h"
#include "capi/support/external_file.h"
#include "waybill.h"

namespace capi = waybill::capi;
using waybill::Code;
using waybill::Error;
using waybill::Status;

namespace {

// Calls the caller's function when nobody needs the bytes any more.
class CallersFile {
 public:
  CallersFile(void (*release)(void*), void* context) : release_(release), context_(context) {}
  CallersFile(const CallersFile&) = delete;
  CallersFile& operator=(const CallersFile&) = delete;
  ~CallersFile() {
    if (taken_ && release_ != nullptr) release_(context_);
  }

  // Until then the bytes are the caller's to free.
  void Take() noexcept { taken_ = true; }

 private:
  void (*release_)(void*);
  void* context_;
  bool taken_ = false;
};

}  // namespace

OrtStatus* WaybillSessionOptionsAddExternalFile(OrtSessionOptions* options,
                                                const ORTCHAR_T* location, const void* bytes,
                                                size_t num_bytes, void (*release)(void* context),
                                                void* context) noexcept {
  return capi::Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(location);
    WB_NOT_NULL(bytes);
    if (*location == '\0') return Error(Code::kInvalidArgument, "the location is empty");
    const auto owner = std::make_shared<CallersFile>(release, context);
    WB_RETURN_IF_ERROR(capi::AddExternalFile(
        options->options.external_files,
        {location, static_cast<const std::byte*>(bytes), num_bytes, /*keep=*/true, owner}));
    owner->Take();
    return Status::Ok();
  });
}
