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
using MemoryAccount = WaybillMemoryAccount;

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

/** An external data file of a model, used where it lies and held until nothing made of the options
 * needs it; see WaybillSessionOptionsAddExternalFile. */
inline void AddExternalFile(OrtSessionOptions* options, const std::string& location,
                            std::shared_ptr<const std::vector<char>> bytes) {
  using Share = std::shared_ptr<const std::vector<char>>;
  auto share = std::make_unique<Share>(std::move(bytes));
  const std::vector<char>& file = **share;
  Ort::ThrowOnError(WaybillSessionOptionsAddExternalFile(
      options, location.c_str(), file.data(), file.size(),
      [](void* context) { delete static_cast<Share*>(context); }, share.get()));
  share.release();
}

/** Shapes by input name. */
using ShapesByName = std::vector<std::pair<std::string, std::vector<int64_t>>>;

namespace detail {

// ShapesByName in the form of the C interface; borrows from them.
struct ShapeArrays {
  explicit ShapeArrays(const ShapesByName& inputs) {
    for (const auto& input : inputs) {
      names.push_back(input.first.c_str());
      shapes.push_back(input.second.data());
      ranks.push_back(input.second.size());
    }
  }
  std::vector<const char*> names;
  std::vector<const int64_t*> shapes;
  std::vector<size_t> ranks;
};

}  // namespace detail

/** The plan for input shapes, without running. With none: that of the last run, or, when there was
 * none, that of the declared shapes. The same holds for the two functions below. */
inline PlanReport GetPlanReport(OrtSession* session, const ShapesByName& inputs = {}) {
  const detail::ShapeArrays a(inputs);
  PlanReport out = {};
  Ort::ThrowOnError(WaybillSessionGetPlanReport(session, a.names.data(), a.shapes.data(),
                                                a.ranks.data(), a.names.size(), &out, sizeof out));
  return out;
}

/** What a run needs and why. */
inline std::string MemoryJson(const OrtSession* session, const ShapesByName& inputs = {}) {
  const detail::ShapeArrays a(inputs);
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillSessionGetMemoryJson(session, a.names.data(), a.shapes.data(), a.ranks.data(),
                                       a.names.size(), allocator, json);
  });
}

/** The plan as a planning problem with its answer. */
inline std::string PlanCsv(const OrtSession* session, const ShapesByName& inputs = {}) {
  const detail::ShapeArrays a(inputs);
  return detail::Text([&](OrtAllocator* allocator, char** csv) {
    return WaybillSessionGetPlanCsv(session, a.names.data(), a.shapes.data(), a.ranks.data(),
                                    a.names.size(), allocator, csv);
  });
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

inline MemoryAccount GetMemoryAccount(const OrtEnv* env) {
  MemoryAccount out = {};
  Ort::ThrowOnError(WaybillEnvGetMemoryAccount(env, &out, sizeof out));
  return out;
}

/** See WaybillEnvSetMemoryTrace. */
inline void SetMemoryTrace(OrtEnv* env, bool on) {
  Ort::ThrowOnError(WaybillEnvSetMemoryTrace(env, on ? 1 : 0));
}

inline std::string MemoryTraceJson(const OrtEnv* env) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillEnvGetMemoryTraceJson(env, allocator, json);
  });
}

inline void Trim(OrtEnv* env) { Ort::ThrowOnError(WaybillEnvTrim(env)); }

inline std::string InspectModel(const std::string& path) {
  return detail::Text([&](OrtAllocator* allocator, char** json) {
    return WaybillInspectModel(path.c_str(), allocator, json);
  });
}

}  // namespace waybill
