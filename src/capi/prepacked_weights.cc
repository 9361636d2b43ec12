// Containers in which sessions share packed weights. All sessions of a process share theirs anyhow,
// so a container is a handle with nothing in it.
#include "capi/slots.h"
#include "capi/support/error.h"

struct OrtPrepackedWeightsContainer {};

namespace waybill::capi {

OrtStatus* CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer** out) {
  return Guard([&]() -> Status {
    WB_NOT_NULL(out);
    *out = new OrtPrepackedWeightsContainer;
    return Status::Ok();
  });
}

void ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer* input) { delete input; }

OrtStatus* CreateSessionWithPrepackedWeightsContainer(const OrtEnv* env,
                                                      const ORTCHAR_T* model_path,
                                                      const OrtSessionOptions* options,
                                                      OrtPrepackedWeightsContainer* container,
                                                      OrtSession** out) {
  OrtStatus* missing = Guard([&]() -> Status {
    WB_NOT_NULL(container);
    return Status::Ok();
  });
  return missing != nullptr ? missing : CreateSession(env, model_path, options, out);
}

OrtStatus* CreateSessionFromArrayWithPrepackedWeightsContainer(
    const OrtEnv* env, const void* model_data, size_t model_data_length,
    const OrtSessionOptions* options, OrtPrepackedWeightsContainer* container, OrtSession** out) {
  OrtStatus* missing = Guard([&]() -> Status {
    WB_NOT_NULL(container);
    return Status::Ok();
  });
  return missing != nullptr
             ? missing
             : CreateSessionFromArray(env, model_data, model_data_length, options, out);
}

}  // namespace waybill::capi
