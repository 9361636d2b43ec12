// A libonnxruntime given by its path, used through its C table alone.
#pragma once

#include <stdexcept>
#include <string>

#include "onnxruntime_c_api.h"

namespace waybill::bench {

// What a library answered, or why it could not be used.
class BenchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Stays loaded until the process ends: not every runtime survives being unloaded.
class Library {
 public:
  // `name` is for reports. Throws BenchError when the file is no such library.
  Library(std::string name, const std::string& path);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  const std::string& version() const { return version_; }
  const OrtApi& api() const { return *api_; }
  OrtEnv* env() const { return env_; }
  OrtAllocator* allocator() const { return allocator_; }

  // Throws BenchError with the status's words, and releases it.
  void Check(OrtStatus* status) const;

 private:
  std::string name_, path_, version_;
  const OrtApi* api_ = nullptr;
  OrtEnv* env_ = nullptr;
  OrtAllocator* allocator_ = nullptr;
};

}  // namespace waybill::bench
