// Functions of providers and add-ons that are not in this build: they say so, with the code that
// clients expect of such a build. The option objects of CUDA and TensorRT can be made and filled
// all the same, as programs do before they look whether a GPU is there.
#include <map>
#include <string>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"

struct OrtCUDAProviderOptionsV2 {
  std::map<std::string, std::string> entries;
};
struct OrtTensorRTProviderOptionsV2 {
  std::map<std::string, std::string> entries;
};

namespace waybill::capi {
namespace {

OrtStatus* NotInBuild(const char* what) noexcept {
  return Guard([&] { return Error(Code::kFail, "{} is not enabled in this build.", what); });
}

OrtStatus* MissingProvider(const char* name) noexcept {
  return Guard([&] {
    return Error(Code::kFail, "{} execution provider is not enabled in this build.", name);
  });
}

template <typename Options>
OrtStatus* Create(Options** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    *out = new Options;
    return Status::Ok();
  });
}

template <typename Options>
OrtStatus* Update(Options* options, const char* const* keys, const char* const* values,
                  size_t num_keys) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    if (num_keys != 0) {
      WB_NOT_NULL(keys);
      WB_NOT_NULL(values);
    }
    for (size_t i = 0; i < num_keys; ++i) {
      if (keys[i] == nullptr || values[i] == nullptr) {
        return Error(Code::kInvalidArgument, "entry {} of the provider options is NULL", i);
      }
      options->entries.insert_or_assign(keys[i], values[i]);
    }
    return Status::Ok();
  });
}

}  // namespace

OrtStatus* CreateCUDAProviderOptions(OrtCUDAProviderOptionsV2** out) { return Create(out); }
OrtStatus* UpdateCUDAProviderOptions(OrtCUDAProviderOptionsV2* cuda_options,
                                     const char* const* provider_options_keys,
                                     const char* const* provider_options_values, size_t num_keys) {
  return Update(cuda_options, provider_options_keys, provider_options_values, num_keys);
}
OrtStatus* GetCUDAProviderOptionsAsString(const OrtCUDAProviderOptionsV2*, OrtAllocator*, char**) {
  return MissingProvider("CUDA");
}
void ReleaseCUDAProviderOptions(OrtCUDAProviderOptionsV2* input) { delete input; }

OrtStatus* CreateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2** out) { return Create(out); }
OrtStatus* UpdateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* tensorrt_options,
                                         const char* const* provider_options_keys,
                                         const char* const* provider_options_values,
                                         size_t num_keys) {
  return Update(tensorrt_options, provider_options_keys, provider_options_values, num_keys);
}
OrtStatus* GetTensorRTProviderOptionsAsString(const OrtTensorRTProviderOptionsV2*, OrtAllocator*,
                                              char**) {
  return MissingProvider("TensorRT");
}
void ReleaseTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* input) { delete input; }

OrtStatus* SessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions*,
                                                      const OrtCUDAProviderOptions*) {
  return MissingProvider("CUDA");
}
OrtStatus* SessionOptionsAppendExecutionProvider_CUDA_V2(OrtSessionOptions*,
                                                         const OrtCUDAProviderOptionsV2*) {
  return MissingProvider("CUDA");
}
OrtStatus* SessionOptionsAppendExecutionProvider_TensorRT(OrtSessionOptions*,
                                                          const OrtTensorRTProviderOptions*) {
  return MissingProvider("TensorRT");
}
OrtStatus* SessionOptionsAppendExecutionProvider_TensorRT_V2(OrtSessionOptions*,
                                                             const OrtTensorRTProviderOptionsV2*) {
  return MissingProvider("TensorRT");
}
OrtStatus* SessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions*,
                                                      const OrtROCMProviderOptions*) {
  return MissingProvider("ROCM");
}
OrtStatus* SessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions*,
                                                          const OrtMIGraphXProviderOptions*) {
  return MissingProvider("MIGraphX");
}
OrtStatus* SessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions*,
                                                          const OrtOpenVINOProviderOptions*) {
  return MissingProvider("OpenVINO");
}
OrtStatus* SessionOptionsAppendExecutionProvider_OpenVINO_V2(OrtSessionOptions*, const char* const*,
                                                             const char* const*, size_t) {
  return MissingProvider("OpenVINO");
}
OrtStatus* SessionOptionsAppendExecutionProvider_VitisAI(OrtSessionOptions*, const char* const*,
                                                         const char* const*, size_t) {
  return MissingProvider("VitisAI");
}
OrtStatus* SessionOptionsAppendExecutionProvider_CANN(OrtSessionOptions*,
                                                      const OrtCANNProviderOptions*) {
  return MissingProvider("CANN");
}
OrtStatus* SessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions*,
                                                      const OrtDnnlProviderOptions*) {
  return MissingProvider("DNNL");
}
OrtStatus* CreateCANNProviderOptions(OrtCANNProviderOptions**) { return MissingProvider("CANN"); }
OrtStatus* CreateDnnlProviderOptions(OrtDnnlProviderOptions**) { return MissingProvider("DNNL"); }
OrtStatus* CreateROCMProviderOptions(OrtROCMProviderOptions**) { return MissingProvider("ROCM"); }

OrtStatus* GetCurrentGpuDeviceId(int*) { return MissingProvider("CUDA"); }

OrtStatus* EnableOrtCustomOps(OrtSessionOptions*) { return NotInBuild("OrtCustomOps"); }

OrtStatus* GetExecutionProviderApi(const char*, uint32_t, const void**) {
  return Guard(
      [&] { return Error(Code::kInvalidArgument, "Specified provider is not supported."); });
}

}  // namespace waybill::capi
