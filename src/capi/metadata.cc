// What a model says about itself.
#include "capi/handles.h"
#include "capi/slots.h"
#include "capi/support/error.h"
#include "capi/support/text.h"

namespace waybill::capi {
namespace {

OrtStatus* Copy(const OrtModelMetadata* model_metadata, OrtAllocator* allocator, char** value,
                std::string OrtModelMetadata::*member) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(model_metadata);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(value);
    WB_ASSIGN_OR_RETURN(*value, CopyText(allocator, model_metadata->*member));
    return Status::Ok();
  });
}

// The keys, or nothing of them when one cannot be copied.
Result<char**> CopyKeys(OrtAllocator* allocator, const OrtModelMetadata& metadata) {
  WB_ASSIGN_OR_RETURN(void* block, AllocateFrom(allocator, metadata.custom.size() * sizeof(char*)));
  auto** keys = static_cast<char**>(block);
  for (size_t i = 0; i < metadata.custom.size(); ++i) {
    Result<char*> key = CopyText(allocator, metadata.custom[i].first);
    if (!key.ok()) {
      while (i > 0) allocator->Free(allocator, keys[--i]);
      allocator->Free(allocator, keys);
      return std::move(key).status();
    }
    keys[i] = *key;
  }
  return keys;
}

}  // namespace

OrtStatus* SessionGetModelMetadata(const OrtSession* session, OrtModelMetadata** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(session);
    WB_NOT_NULL(out);
    const graph::Model& model = session->session->model();
    auto metadata = std::make_unique<OrtModelMetadata>();
    metadata->producer_name = model.producer_name;
    metadata->graph_name = model.main.name;
    metadata->domain = model.domain;
    metadata->description = model.doc_string;
    metadata->graph_description = model.graph_doc_string;
    if (model.model_version) metadata->version = *model.model_version;
    metadata->custom = model.metadata;
    *out = metadata.release();
    return Status::Ok();
  });
}

void ReleaseModelMetadata(OrtModelMetadata* input) { delete input; }

OrtStatus* ModelMetadataGetProducerName(const OrtModelMetadata* model_metadata,
                                        OrtAllocator* allocator, char** value) {
  return Copy(model_metadata, allocator, value, &OrtModelMetadata::producer_name);
}

OrtStatus* ModelMetadataGetGraphName(const OrtModelMetadata* model_metadata,
                                     OrtAllocator* allocator, char** value) {
  return Copy(model_metadata, allocator, value, &OrtModelMetadata::graph_name);
}

OrtStatus* ModelMetadataGetDomain(const OrtModelMetadata* model_metadata, OrtAllocator* allocator,
                                  char** value) {
  return Copy(model_metadata, allocator, value, &OrtModelMetadata::domain);
}

OrtStatus* ModelMetadataGetDescription(const OrtModelMetadata* model_metadata,
                                       OrtAllocator* allocator, char** value) {
  return Copy(model_metadata, allocator, value, &OrtModelMetadata::description);
}

OrtStatus* ModelMetadataGetGraphDescription(const OrtModelMetadata* model_metadata,
                                            OrtAllocator* allocator, char** value) {
  return Copy(model_metadata, allocator, value, &OrtModelMetadata::graph_description);
}

OrtStatus* ModelMetadataLookupCustomMetadataMap(const OrtModelMetadata* model_metadata,
                                                OrtAllocator* allocator, const char* key,
                                                char** value) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(model_metadata);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(key);
    WB_NOT_NULL(value);
    *value = nullptr;
    for (const auto& [name, text] : model_metadata->custom) {
      if (name != key) continue;
      WB_ASSIGN_OR_RETURN(*value, CopyText(allocator, text));
      break;
    }
    return Status::Ok();
  });
}

OrtStatus* ModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata* model_metadata,
                                                 OrtAllocator* allocator, char*** keys,
                                                 int64_t* num_keys) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(model_metadata);
    WB_NOT_NULL(allocator);
    WB_NOT_NULL(keys);
    WB_NOT_NULL(num_keys);
    *keys = nullptr;
    *num_keys = 0;
    if (model_metadata->custom.empty()) return Status::Ok();
    WB_ASSIGN_OR_RETURN(*keys, CopyKeys(allocator, *model_metadata));
    *num_keys = static_cast<int64_t>(model_metadata->custom.size());
    return Status::Ok();
  });
}

OrtStatus* ModelMetadataGetVersion(const OrtModelMetadata* model_metadata, int64_t* value) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(model_metadata);
    WB_NOT_NULL(value);
    *value = model_metadata->version;
    return Status::Ok();
  });
}

}  // namespace waybill::capi
