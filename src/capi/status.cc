// OrtStatus: a code and a text in one block.
#include <cstdlib>
#include <cstring>

#include "base/text/printable.h"
#include "capi/slots.h"
#include "capi/support/error.h"

struct OrtStatus {
  OrtErrorCode code;
  // Null: the text follows the object in the same block.
  const char* static_text;

  const char* text() const {
    return static_text != nullptr ? static_text : reinterpret_cast<const char*>(this + 1);
  }
};

namespace waybill::capi {
namespace {

// Handed out when there is no memory for a status; never freed.
OrtStatus out_of_memory = {ORT_RUNTIME_EXCEPTION, "out of memory"};

}  // namespace

OrtStatus* MakeStatus(OrtErrorCode code, std::string_view message) noexcept {
  void* block = std::malloc(sizeof(OrtStatus) + message.size() + 1);
  if (block == nullptr) return &out_of_memory;
  auto* status = ::new (block) OrtStatus{code, nullptr};
  char* text = reinterpret_cast<char*>(status + 1);
  if (!message.empty()) std::memcpy(text, message.data(), message.size());
  text[message.size()] = '\0';
  return status;
}

OrtStatus* OutOfMemoryStatus() noexcept { return &out_of_memory; }

OrtStatus* NotImplemented(const char* function) noexcept {
  char text[160];
  std::snprintf(text, sizeof text, "%s is not implemented in this version of Waybill", function);
  return MakeStatus(ORT_NOT_IMPLEMENTED, text);
}

OrtErrorCode ToOrtCode(Code code) {
  switch (code) {
    case Code::kOk:
      return ORT_OK;
    case Code::kFail:
    case Code::kCancelled:
      return ORT_FAIL;
    case Code::kInvalidArgument:
      return ORT_INVALID_ARGUMENT;
    case Code::kNoSuchFile:
      return ORT_NO_SUCHFILE;
    case Code::kInvalidProtobuf:
      return ORT_INVALID_PROTOBUF;
    case Code::kInvalidGraph:
      return ORT_INVALID_GRAPH;
    case Code::kNotImplemented:
      return ORT_NOT_IMPLEMENTED;
    case Code::kNotFound:
      return ORT_NOT_FOUND;
    case Code::kOutOfMemory:
    case Code::kInternal:
      return ORT_RUNTIME_EXCEPTION;
  }
  return ORT_FAIL;
}

OrtStatus* ToOrtStatus(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  const OrtErrorCode code = ToOrtCode(status.code());
  if (IsPrintableMessage(status.message())) return MakeStatus(code, status.message());
  // Names of the model are in messages, whatever bytes they have.
  try {
    return MakeStatus(code, PrintableMessage(status.message()));
  } catch (const std::exception&) {
    return OutOfMemoryStatus();
  }
}

OrtStatus* CreateStatus(OrtErrorCode code, const char* msg) {
  return MakeStatus(code, msg != nullptr ? msg : "");
}

OrtErrorCode GetErrorCode(const OrtStatus* status) {
  return status != nullptr ? status->code : ORT_OK;
}

const char* GetErrorMessage(const OrtStatus* status) {
  return status != nullptr ? status->text() : "";
}

void ReleaseStatus(OrtStatus* input) {
  if (input != &out_of_memory) std::free(input);
}

}  // namespace waybill::capi
