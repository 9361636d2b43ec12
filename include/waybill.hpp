// SPDX-License-Identifier: Apache-2.0
// C++ over waybill.h: the same functions on Ort:: objects; errors are Ort::Exception.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onnxruntime_cxx_api.h"
#include "waybill.h"

namespace waybill {

using PlanReport = WaybillPlanReport;
using LoadReport = WaybillLoadReport;

inline std::string GetVersion() { return WaybillGetVersion(); }

namespace detail {

// Calls `fill(allocator, &text)` and copies what it made.
template <typename Fill>
std::string Text(Fill&& fill) {
  Ort::AllocatorWithDefaultOptions allocator;
  char* text = nullptr;
  Ort::ThrowOnError(fill(static_cast<OrtAllocator*>(allocator), &text));
  const Ort::AllocatedStringPtr owner(text, Ort::detail::AllocatedFree(allocator));
  return text;
}

}  // namespace detail

/** A value from a serialized message; `type` NULL stands for any tensor. The bytes are copied. */
inline Ort::Value ValueFromPb(const std::string& bytes, const OrtTypeInfo* type = nullptr) {
  OrtValue* out = nullptr;
  Ort::ThrowOnError(WaybillValueFromPb(type, bytes.data(), bytes.size(), &out));
  return Ort::Value(out);
}

/** The message of a value. */
inline std::string ValueToPb(const OrtValue* value) {
  Ort::AllocatorWithDefaultOptions allocator;
  void* bytes = nullptr;
  size_t num_bytes = 0;
  Ort::ThrowOnError(WaybillValueToPb(value, allocator, &bytes, &num_bytes));
  const std::unique_ptr<void, Ort::detail::AllocatedFree> owner(
      bytes, Ort::detail::AllocatedFree(allocator));
  return std::string(static_cast<const char*>(bytes), num_bytes);
}

/** A tensor over the bytes of a file, which are mapped; see WaybillValueFromFile. */
inline Ort::Value ValueFromFile(const std::string& path, uint64_t offset,
                                const std::vector<int64_t>& shape, ONNXTensorElementDataType type) {
  OrtValue* out = nullptr;
  Ort::ThrowOnError(
      WaybillValueFromFile(path.c_str(), offset, shape.data(), shape.size(), type, &out));
  return Ort::Value(out);
}

/** The plan of the last run, or that of the declared shapes when there was none. */
inline PlanReport GetPlanReport(OrtSession* session) {
  PlanReport out = {};
  Ort::ThrowOnError(
      WaybillSessionGetPlanReport(session, nullptr, nullptr, nullptr, 0, &out, sizeof out));
  return out;
}

/** The plan for input shapes, without running. */
inline PlanReport GetPlanReport(
    OrtSession* session,
    const std::vector<std::pair<std::string, std::vector<int64_t>>>& input_shapes) {
  std::vector<const char*> names;
  std::vector<const int64_t*> shapes;
  std::vector<size_t> ranks;
  for (const auto& input : input_shapes) {
    names.push_back(input.first.c_str());
    shapes.push_back(input.second.data());
    ranks.push_back(input.second.size());
  }
  PlanReport out = {};
  Ort::ThrowOnError(WaybillSessionGetPlanReport(session, names.data(), shapes.data(), ranks.data(),
                                                names.size(), &out, sizeof out));
  return out;
}

inline LoadReport GetLoadReport(const OrtSession* session) {
  LoadReport out = {};
  Ort::ThrowOnError(WaybillSessionGetLoadReport(session, &out, sizeof out));
  return out;
}

inline std::string PlanJson(const OrtSession* session) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillSessionGetPlanJson(session, allocator, json);
  });
}

inline std::string PatchesJson(const OrtSession* session) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillSessionGetPatchesJson(session, allocator, json);
  });
}

inline std::string KernelsJson(const OrtSession* session) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillSessionGetKernelsJson(session, allocator, json);
  });
}

/** See WaybillSessionSetProfiling. */
inline void SetProfiling(OrtSession* session, bool on) {
  Ort::ThrowOnError(WaybillSessionSetProfiling(session, on ? 1 : 0));
}

inline std::string ProfileJson(const OrtSession* session) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillSessionGetProfileJson(session, allocator, json);
  });
}

inline std::string MemoryJson(const OrtEnv* env) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillEnvGetMemoryJson(env, allocator, json);
  });
}

// 0: none.
inline void SetMemoryBudget(OrtEnv* env, size_t bytes) {
  Ort::ThrowOnError(WaybillEnvSetMemoryBudget(env, bytes));
}

inline void Trim(OrtEnv* env) { Ort::ThrowOnError(WaybillEnvTrim(env)); }

inline std::string InspectModel(const std::string& path) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillInspectModel(path.c_str(), allocator, json);
  });
}

}  // namespace waybill
