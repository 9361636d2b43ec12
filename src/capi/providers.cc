#include "capi/providers.h"

#include <array>
#include <cstring>
#include <span>

#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "cpu/kernels/table.h"
#include "kernel/reference/reference.h"
#include "session/load/memory_keys.h"

namespace waybill::capi {
namespace {

// Names that other builds know, short or with "ExecutionProvider".
constexpr std::array<std::string_view, 18> kElsewhere = {
    "ACL",      "AZURE",    "CANN",   "CUDA",     "CoreML", "DML",
    "Dnnl",     "MIGraphX", "NNAPI",  "OpenVINO", "QNN",    "ROCM",
    "Tensorrt", "VitisAI",  "WebGPU", "XNNPACK",  "JS",     "NvTensorRTRTX"};

// As ONNX Runtime has it, so that the prefix fits into the key of a config entry.
constexpr size_t kLongestOption = 960;

// "CUDAExecutionProvider" to "CUDA".
std::string_view ShortName(std::string_view name) {
  constexpr std::string_view kSuffix = "ExecutionProvider";
  if (name.size() > kSuffix.size() && name.substr(name.size() - kSuffix.size()) == kSuffix) {
    name.remove_suffix(kSuffix.size());
  }
  return name;
}

// As ONNX Runtime keeps them; what nobody reads gives a warning when a session is made.
Status KeepCpuOptions(OrtSessionOptions& options, std::span<const char* const> keys,
                      const char* const* values) {
  auto config = options.options.config;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == nullptr || values[i] == nullptr) {
      return Error(Code::kInvalidArgument, "key or value {} of the provider's options is NULL", i);
    }
    const std::string_view name = keys[i];
    if (name.empty() || *values[i] == '\0' || name.size() > kLongestOption) {
      return Error(Code::kInvalidArgument,
                   "key {} of the provider's options (\"{}\") or its value is empty, or the key is "
                   "longer than {} characters",
                   i, name.substr(0, 40), kLongestOption);
    }
    WB_RETURN_IF_ERROR(session::CheckMemoryKey("CPU provider option", name));
    config.insert_or_assign(Format("ep.cpuexecutionprovider.{}", name), values[i]);
  }
  options.options.config = std::move(config);
  return Status::Ok();
}

}  // namespace

std::vector<kernel::Provider> DefaultProviders() {
  std::vector<kernel::Provider> providers(1);
  providers[0].name = kCpuProvider;
  // Fast kernels first; the reference takes what they refuse.
  providers[0].tables = {cpu::Kernels()};
  for (const kernel::KernelTable table : kernel::reference::AllTables()) {
    providers[0].tables.push_back(table);
  }
  return providers;
}

// One block: the array, then the texts.
OrtStatus* GetAvailableProviders(char*** out_ptr, int* provider_length) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out_ptr);
    WB_NOT_NULL(provider_length);
    const std::vector<kernel::Provider> providers = DefaultProviders();
    size_t bytes = providers.size() * sizeof(char*);
    for (const kernel::Provider& provider : providers) bytes += provider.name.size() + 1;
    auto* block = static_cast<char*>(::operator new(bytes));
    auto** names = reinterpret_cast<char**>(block);
    char* text = block + providers.size() * sizeof(char*);
    for (size_t i = 0; i < providers.size(); ++i) {
      names[i] = text;
      std::memcpy(text, providers[i].name.c_str(), providers[i].name.size() + 1);
      text += providers[i].name.size() + 1;
    }
    *out_ptr = names;
    *provider_length = static_cast<int>(providers.size());
    return Status::Ok();
  });
}

OrtStatus* ReleaseAvailableProviders(char** ptr, int) {
  ::operator delete(ptr);
  return nullptr;
}

OrtStatus* SessionOptionsAppendExecutionProvider(OrtSessionOptions* options,
                                                 const char* provider_name,
                                                 const char* const* provider_options_keys,
                                                 const char* const* provider_options_values,
                                                 size_t num_keys) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(provider_name);
    if (num_keys != 0) {
      WB_NOT_NULL(provider_options_keys);
      WB_NOT_NULL(provider_options_values);
    }
    const std::string_view name = ShortName(provider_name);
    if (name == "CPU") {  // every session has it
      return KeepCpuOptions(*options, {provider_options_keys, num_keys}, provider_options_values);
    }
    for (const std::string_view known : kElsewhere) {
      if (name == known) {
        return Error(Code::kInvalidArgument,
                     "{} execution provider is not supported in this build. ", name);
      }
    }
    return Error(Code::kInvalidArgument,
                 "Unknown provider name '{}'. Currently supported values are 'CPU', '{}'",
                 provider_name, kCpuProvider);
  });
}

}  // namespace waybill::capi
