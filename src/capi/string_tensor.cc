// String tensors.
#include <cstring>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/value.h"

namespace waybill::capi {
namespace {

Result<std::span<std::string>> StringsOf(const OrtValue* value) {
  WB_ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(value, Code::kFail));
  if (tensor->dtype() != DType::kString) {
    return Error(Code::kFail, "the tensor is {}, not of strings", tensor->view().Describe());
  }
  return tensor->span<std::string>();
}

Result<std::string*> StringAt(const OrtValue* value, size_t index) {
  WB_ASSIGN_OR_RETURN(const std::span<std::string> strings, StringsOf(value));
  if (index >= strings.size()) {
    return Error(Code::kInvalidArgument, "element index {} is out of bounds, the tensor has {}",
                 index, strings.size());
  }
  return &strings[index];
}

}  // namespace

OrtStatus* FillStringTensor(OrtValue* value, const char* const* s, size_t s_len) {
  return Guard([&]() -> Status {
    WB_ASSIGN_OR_RETURN(const std::span<std::string> strings, StringsOf(value));
    if (s_len != strings.size()) {
      return Error(Code::kInvalidArgument, "input array doesn't equal tensor size");
    }
    if (s_len != 0) WB_NOT_NULL(s);
    for (size_t i = 0; i < s_len; ++i) {
      if (s[i] == nullptr) return Error(Code::kInvalidArgument, "string {} is NULL", i);
    }
    for (size_t i = 0; i < s_len; ++i) strings[i] = s[i];
    return Status::Ok();
  });
}

OrtStatus* FillStringTensorElement(OrtValue* value, const char* s, size_t index) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(s);
    WB_ASSIGN_OR_RETURN(std::string * element, StringAt(value, index));
    *element = s;
    return Status::Ok();
  });
}

OrtStatus* GetStringTensorDataLength(const OrtValue* value, size_t* len) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(len);
    WB_ASSIGN_OR_RETURN(const std::span<std::string> strings, StringsOf(value));
    size_t total = 0;
    for (const std::string& text : strings) total += text.size();
    *len = total;
    return Status::Ok();
  });
}

OrtStatus* GetStringTensorContent(const OrtValue* value, void* s, size_t s_len, size_t* offsets,
                                  size_t offsets_len) {
  return Guard([&]() -> Status {
    WB_ASSIGN_OR_RETURN(const std::span<std::string> strings, StringsOf(value));
    if (offsets_len != strings.size()) {
      return Error(Code::kFail, "offsets buffer has {} entries, the tensor has {} elements",
                   offsets_len, strings.size());
    }
    size_t total = 0;
    for (const std::string& text : strings) total += text.size();
    if (s_len < total) {
      return Error(Code::kFail, "output buffer is too small. Use GetStringTensorDataLength.");
    }
    if (total != 0) WB_NOT_NULL(s);
    if (offsets_len != 0) WB_NOT_NULL(offsets);
    size_t at = 0;
    for (size_t i = 0; i < strings.size(); ++i) {
      offsets[i] = at;
      if (!strings[i].empty()) {
        std::memcpy(static_cast<char*>(s) + at, strings[i].data(), strings[i].size());
      }
      at += strings[i].size();
    }
    return Status::Ok();
  });
}

OrtStatus* GetStringTensorElementLength(const OrtValue* value, size_t index, size_t* out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    WB_ASSIGN_OR_RETURN(const std::string* element, StringAt(value, index));
    *out = element->size();
    return Status::Ok();
  });
}

OrtStatus* GetStringTensorElement(const OrtValue* value, size_t s_len, size_t index, void* s) {
  return Guard([&]() -> Status {
    WB_ASSIGN_OR_RETURN(const std::string* element, StringAt(value, index));
    if (s_len < element->size()) {
      return Error(Code::kFail, "buffer size is too small for string element");
    }
    if (element->empty()) return Status::Ok();
    WB_NOT_NULL(s);
    std::memcpy(s, element->data(), element->size());
    return Status::Ok();
  });
}

OrtStatus* GetResizedStringTensorElementBuffer(OrtValue* value, size_t index,
                                               size_t length_in_bytes, char** buffer) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(buffer);
    WB_ASSIGN_OR_RETURN(std::string * element, StringAt(value, index));
    element->resize(length_in_bytes);
    *buffer = element->data();
    return Status::Ok();
  });
}

}  // namespace waybill::capi
