// Weights that the caller brings.
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/external_file.h"
#include "capi/support/value.h"

namespace waybill::capi {

OrtStatus* AddInitializer(OrtSessionOptions* options, const char* name, const OrtValue* val) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(name);
    WB_NOT_NULL(val);
    WB_RETURN_IF_ERROR(TensorOf(val, Code::kInvalidArgument).status());
    if (*name == '\0') return Error(Code::kInvalidArgument, "the initializer name is empty");
    for (const auto& [known, value] : options->options.initializers) {
      if (known == name) {
        return Error(Code::kInvalidArgument, "initializer '{}' was added already", name);
      }
    }
    options->options.initializers.emplace_back(name, val->value);
    return Status::Ok();
  });
}

OrtStatus* AddExternalInitializers(OrtSessionOptions* options, const char* const* initializer_names,
                                   const OrtValue* const* initializers, size_t num_initializers) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    if (num_initializers == 0) return Status::Ok();
    WB_NOT_NULL(initializer_names);
    WB_NOT_NULL(initializers);
    auto added = options->options.external_initializers;
    for (size_t i = 0; i < num_initializers; ++i) {
      if (initializer_names[i] == nullptr || initializers[i] == nullptr) {
        return Error(Code::kInvalidArgument, "initializer {} is NULL", i);
      }
      WB_RETURN_IF_ERROR(TensorOf(initializers[i], Code::kInvalidArgument).status());
      added.emplace_back(initializer_names[i], initializers[i]->value);
    }
    options->options.external_initializers = std::move(added);
    return Status::Ok();
  });
}

OrtStatus* AddExternalInitializersFromFilesInMemory(
    OrtSessionOptions* options, const ORTCHAR_T* const* external_initializer_file_names,
    char* const* external_initializer_file_buffer_array,
    const size_t* external_initializer_file_lengths, size_t num_external_initializer_files) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    if (num_external_initializer_files == 0) return Status::Ok();
    WB_NOT_NULL(external_initializer_file_names);
    WB_NOT_NULL(external_initializer_file_buffer_array);
    WB_NOT_NULL(external_initializer_file_lengths);
    auto files = options->options.external_files;
    for (size_t i = 0; i < num_external_initializer_files; ++i) {
      const char* name = external_initializer_file_names[i];
      const char* bytes = external_initializer_file_buffer_array[i];
      if (name == nullptr || *name == '\0' || bytes == nullptr) {
        return Error(Code::kInvalidArgument, "name or buffer of file {} is NULL or empty", i);
      }
      // The caller may free them when the session exists.
      WB_RETURN_IF_ERROR(AddExternalFile(files, {name,
                                                 reinterpret_cast<const std::byte*>(bytes),
                                                 external_initializer_file_lengths[i],
                                                 /*keep=*/false,
                                                 {}}));
    }
    options->options.external_files = std::move(files);
    return Status::Ok();
  });
}

}  // namespace waybill::capi
