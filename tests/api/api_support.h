// Shorthand for tests of the C interface.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "onnxruntime_c_api.h"

namespace waybill::api_test {

inline const OrtApi& Api() { return *OrtGetApiBase()->GetApi(ORT_API_VERSION); }

// What a call said: code 0 for success.
struct Outcome {
  OrtErrorCode code = ORT_OK;
  std::string text;

  Outcome(OrtStatus* status) {  // NOLINT: made from calls
    if (status == nullptr) return;
    code = Api().GetErrorCode(status);
    text = Api().GetErrorMessage(status);
    Api().ReleaseStatus(status);
  }
  bool Says(OrtErrorCode expected, const std::string& part = "") const {
    return code == expected && text.find(part) != std::string::npos;
  }
};

inline std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << "code " << outcome.code << " \"" << outcome.text << "\"";
}

#define EXPECT_OK(call)                                                 \
  do {                                                                  \
    const ::waybill::api_test::Outcome outcome_(call);                  \
    EXPECT_EQ(outcome_.code, ORT_OK) << #call << ": " << outcome_.text; \
  } while (false)
#define ASSERT_OK(call)                                                 \
  do {                                                                  \
    const ::waybill::api_test::Outcome outcome_(call);                  \
    ASSERT_EQ(outcome_.code, ORT_OK) << #call << ": " << outcome_.text; \
  } while (false)
// The call fails with this code and a text that contains `part`.
#define EXPECT_FAILS(expected_code, part, call)                                               \
  do {                                                                                        \
    const ::waybill::api_test::Outcome outcome_(call);                                        \
    EXPECT_TRUE(outcome_.Says(expected_code, part))                                           \
        << #call << ": expected code " << expected_code << " with \"" << (part) << "\", got " \
        << outcome_;                                                                          \
  } while (false)

// Owners of C objects.
template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

inline Owned<OrtEnv> NewEnv() {
  OrtEnv* env = nullptr;
  EXPECT_OK(Api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "test", &env));
  return {env, Api().ReleaseEnv};
}

inline Owned<OrtSessionOptions> NewOptions() {
  OrtSessionOptions* options = nullptr;
  EXPECT_OK(Api().CreateSessionOptions(&options));
  return {options, Api().ReleaseSessionOptions};
}

inline Owned<OrtSession> NewSession(const OrtEnv* env, const std::string& model,
                                    const OrtSessionOptions* options = nullptr) {
  OrtSession* session = nullptr;
  EXPECT_OK(Api().CreateSessionFromArray(env, model.data(), model.size(), options, &session));
  return {session, Api().ReleaseSession};
}

inline OrtAllocator* DefaultAllocator() {
  OrtAllocator* allocator = nullptr;
  EXPECT_OK(Api().GetAllocatorWithDefaultOptions(&allocator));
  return allocator;
}

inline Owned<OrtMemoryInfo> CpuInfo() {
  OrtMemoryInfo* info = nullptr;
  EXPECT_OK(Api().CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  return {info, Api().ReleaseMemoryInfo};
}

// A tensor with memory of its own.
inline Owned<OrtValue> NewTensor(ONNXTensorElementDataType type, std::vector<int64_t> shape) {
  OrtValue* value = nullptr;
  EXPECT_OK(
      Api().CreateTensorAsOrtValue(DefaultAllocator(), shape.data(), shape.size(), type, &value));
  return {value, Api().ReleaseValue};
}

// A tensor over `data`.
template <typename T>
Owned<OrtValue> Wrap(std::vector<T>& data, ONNXTensorElementDataType type,
                     std::vector<int64_t> shape) {
  const Owned<OrtMemoryInfo> info = CpuInfo();
  OrtValue* value = nullptr;
  EXPECT_OK(Api().CreateTensorWithDataAsOrtValue(info.get(), data.data(), data.size() * sizeof(T),
                                                 shape.data(), shape.size(), type, &value));
  return {value, Api().ReleaseValue};
}

inline Owned<OrtValue> Strings(const std::vector<const char*>& texts) {
  Owned<OrtValue> value =
      NewTensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, {static_cast<int64_t>(texts.size())});
  EXPECT_OK(Api().FillStringTensor(value.get(), texts.data(), texts.size()));
  return value;
}

template <typename T>
const T* Data(const OrtValue* value) {
  const void* data = nullptr;
  EXPECT_OK(Api().GetTensorData(value, &data));
  return static_cast<const T*>(data);
}

inline std::vector<int64_t> ShapeOf(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  EXPECT_OK(Api().GetTensorTypeAndShape(value, &info));
  if (info == nullptr) return {};
  size_t rank = 0;
  EXPECT_OK(Api().GetDimensionsCount(info, &rank));
  std::vector<int64_t> dims(rank);
  EXPECT_OK(Api().GetDimensions(info, dims.data(), rank));
  Api().ReleaseTensorTypeAndShapeInfo(info);
  return dims;
}

}  // namespace waybill::api_test
