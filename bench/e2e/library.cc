#include "bench/e2e/library.h"

#include <dlfcn.h>

#include <utility>

namespace waybill::bench {

namespace {

// Old enough for every peer, new enough for everything called here.
constexpr uint32_t kApiVersion = 12;

}  // namespace

Library::Library(std::string name, const std::string& path) : name_(std::move(name)), path_(path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw BenchError(dlerror());
  using GetBase = const OrtApiBase* (*)();
  const auto get_base = reinterpret_cast<GetBase>(dlsym(handle, "OrtGetApiBase"));
  if (get_base == nullptr) throw BenchError(path + " has no OrtGetApiBase");
  version_ = get_base()->GetVersionString();
  api_ = get_base()->GetApi(kApiVersion);
  if (api_ == nullptr) throw BenchError(path + " does not offer the API that is needed");
  Check(api_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &env_));
  Check(api_->GetAllocatorWithDefaultOptions(&allocator_));
}

void Library::Check(OrtStatus* status) const {
  if (status == nullptr) return;
  std::string text = name_ + ": " + api_->GetErrorMessage(status);
  api_->ReleaseStatus(status);
  throw BenchError(text);
}

}  // namespace waybill::bench
