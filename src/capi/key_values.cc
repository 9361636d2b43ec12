// Sets of text pairs.
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"

void OrtKeyValuePairs::Sync() {
  keys.clear();
  values.clear();
  for (const auto& [key, value] : entries) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
}

namespace waybill::capi {
namespace {

// These functions return nothing, so running out of memory leaves the set as it was.
template <typename Body>
void Quietly(Body&& body) noexcept {
  try {
    body();
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

void CreateKeyValuePairs(OrtKeyValuePairs** out) {
  if (out == nullptr) return;
  *out = nullptr;
  Quietly([&] { *out = new OrtKeyValuePairs; });
}

void AddKeyValuePair(OrtKeyValuePairs* kvps, const char* key, const char* value) {
  if (kvps == nullptr || key == nullptr || *key == '\0' || value == nullptr) return;
  Quietly([&] {
    kvps->entries.insert_or_assign(key, value);
    kvps->Sync();
  });
}

const char* GetKeyValue(const OrtKeyValuePairs* kvps, const char* key) {
  if (kvps == nullptr || key == nullptr) return nullptr;
  const char* found = nullptr;
  Quietly([&] {
    const auto it = kvps->entries.find(key);
    if (it != kvps->entries.end()) found = it->second.c_str();
  });
  return found;
}

void GetKeyValuePairs(const OrtKeyValuePairs* kvps, const char* const** keys,
                      const char* const** values, size_t* num_entries) {
  if (keys != nullptr) *keys = kvps != nullptr ? kvps->keys.data() : nullptr;
  if (values != nullptr) *values = kvps != nullptr ? kvps->values.data() : nullptr;
  if (num_entries != nullptr) *num_entries = kvps != nullptr ? kvps->keys.size() : 0;
}

void RemoveKeyValuePair(OrtKeyValuePairs* kvps, const char* key) {
  if (kvps == nullptr || key == nullptr) return;
  Quietly([&] {
    kvps->entries.erase(key);
    kvps->Sync();
  });
}

void ReleaseKeyValuePairs(OrtKeyValuePairs* input) { delete input; }

OrtStatus* GetSessionOptionsConfigEntries(const OrtSessionOptions* options,
                                          OrtKeyValuePairs** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(options);
    WB_NOT_NULL(out);
    auto pairs = std::make_unique<OrtKeyValuePairs>();
    pairs->entries = options->options.config;
    pairs->Sync();
    *out = pairs.release();
    return Status::Ok();
  });
}

}  // namespace waybill::capi
