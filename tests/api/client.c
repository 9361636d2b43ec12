/* A client in C: version, environment, a tensor over its own bytes, an error. */
#include <stdio.h>
#include <string.h>

#include "onnxruntime_c_api.h"

static int failures = 0;

static void expect(int condition, const char* what) {
  if (!condition) {
    fprintf(stderr, "failed: %s\n", what);
    ++failures;
  }
}

int main(void) {
  const OrtApiBase* base = OrtGetApiBase();
  const OrtApi* api = base->GetApi(ORT_API_VERSION);
  OrtEnv* env = NULL;
  OrtMemoryInfo* memory = NULL;
  OrtValue* value = NULL;
  OrtStatus* status;
  float numbers[4] = {1, 2, 3, 4};
  const int64_t shape[2] = {2, 2};
  void* data = NULL;

  expect(strncmp(base->GetVersionString(), "1.30.", 5) == 0, "version");
  if (api == NULL) return 1;
  expect(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "c", &env) == NULL, "CreateEnv");
  expect(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory) == NULL,
         "CreateCpuMemoryInfo");
  expect(api->CreateTensorWithDataAsOrtValue(memory, numbers, sizeof numbers, shape, 2,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value) == NULL,
         "CreateTensorWithDataAsOrtValue");
  expect(api->GetTensorMutableData(value, &data) == NULL && data == numbers, "no copy");
  status = api->CreateSession(env, "/no/such/model.onnx", NULL, NULL);
  expect(status != NULL, "CreateSession without a place for the session");
  api->ReleaseStatus(status);
  api->ReleaseValue(value);
  api->ReleaseMemoryInfo(memory);
  api->ReleaseEnv(env);
  return failures == 0 ? 0 : 1;
}
