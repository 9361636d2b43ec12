// A model that is loaded and ready to run.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/api_support.h"

namespace waybill::pains {

using api_test::Api;
using api_test::Data;
using api_test::Outcome;
using api_test::Owned;
using api_test::Wrap;

inline constexpr auto kFloats = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
inline constexpr size_t kMiB = size_t{1} << 20;

using Config = std::vector<std::pair<const char*, const char*>>;

inline Owned<OrtSessionOptions> OptionsWith(int threads, const Config& config = {}) {
  Owned<OrtSessionOptions> options = api_test::NewOptions();
  EXPECT_OK(Api().SetIntraOpNumThreads(options.get(), threads));
  for (const auto& [key, value] : config) {
    EXPECT_OK(Api().AddSessionConfigEntry(options.get(), key, value));
  }
  return options;
}

inline Owned<OrtSession> OpenSession(const OrtEnv* env, const std::string& path,
                                     const OrtSessionOptions* options = nullptr) {
  OrtSession* session = nullptr;
  EXPECT_OK(Api().CreateSession(env, path.c_str(), options, &session));
  return {session, Api().ReleaseSession};
}

// Runs with one input and one output; null when that fails, which fails the test.
inline Owned<OrtValue> RunOne(OrtSession* session, const char* in, const OrtValue* x,
                              const char* out, const OrtRunOptions* options = nullptr) {
  OrtValue* y = nullptr;
  EXPECT_OK(Api().Run(session, options, &in, &x, 1, &out, 1, &y));
  return {y, Api().ReleaseValue};
}

struct Loaded {
  explicit Loaded(const std::string& model, int threads = 1, const Config& config = {})
      : env(api_test::NewEnv()),
        session(api_test::NewSession(env.get(), model, OptionsWith(threads, config).get())) {}

  Owned<OrtValue> Run(const OrtValue* x, const OrtRunOptions* options = nullptr) const {
    return RunOne(session.get(), "x", x, "y", options);
  }

  Owned<OrtEnv> env;
  Owned<OrtSession> session;
};

// Numbers between -2 and 2, other ones each time, faster than computing each anew.
class FreshNumbers {
 public:
  void Fill(std::vector<float>& values) {
    const size_t shifts = 4096;
    if (numbers_.size() < values.size() + shifts) {
      numbers_.resize(values.size() + shifts);
      for (float& number : numbers_) number = Next();
    }
    shift_ = (shift_ + 997) % shifts;
    std::copy_n(numbers_.begin() + static_cast<int64_t>(shift_), values.size(), values.begin());
    for (size_t i = 0; i < values.size(); i += 64) values[i] = Next();
  }

 private:
  float Next() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(state_ >> 8) * (4.0f / 16777216.0f) - 2.0f;
  }

  std::vector<float> numbers_;
  size_t shift_ = 0;
  uint32_t state_ = 1;
};

}  // namespace waybill::pains
