/* Loads the library, uses it and unloads it, several times: what programs do that open it
   themselves. Usage: reload LIBRARY */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "onnxruntime_c_api.h"

typedef const OrtApiBase* (*GetBase)(void);

static int use(const OrtApi* api) {
  OrtEnv* env = NULL;
  OrtAllocator* allocator = NULL;
  OrtValue* value = NULL;
  const int64_t shape[1] = {3};
  const char* texts[3] = {"a", "b", "a text that is too long to lie inside of its object"};
  int failed = 0;
  failed |= api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "reload", &env) != NULL;
  failed |= api->GetAllocatorWithDefaultOptions(&allocator) != NULL;
  failed |= api->CreateTensorAsOrtValue(allocator, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                        &value) != NULL;
  failed |= api->FillStringTensor(value, texts, 3) != NULL;
  api->ReleaseValue(value);
  api->ReleaseEnv(env);
  return failed;
}

int main(int argc, char** argv) {
  int i;
  if (argc != 2) return 2;
  for (i = 0; i < 5; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    GetBase get;
    void* symbol;
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    symbol = dlsym(library, "OrtGetApiBase");
    memcpy(&get, &symbol, sizeof get);
    if (get == NULL || use(get()->GetApi(ORT_API_VERSION)) != 0) {
      fprintf(stderr, "round %d failed\n", i);
      return 1;
    }
    dlclose(library);
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL) {
      fprintf(stderr, "round %d: the library stays loaded\n", i);
      return 1;
    }
  }
  return 0;
}
