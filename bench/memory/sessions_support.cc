#include "bench/memory/sessions_support.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "bench/memory/noise.h"

namespace waybill::bench {
namespace {

using Clock = std::chrono::steady_clock;

// FNV-1a.
uint64_t HashBits(const Library& library, const OrtValue* value) {
  const OrtApi& api = library.api();
  OrtTensorTypeAndShapeInfo* info = nullptr;
  library.Check(api.GetTensorTypeAndShape(value, &info));
  size_t elems = 0;
  library.Check(api.GetTensorShapeElementCount(info, &elems));
  api.ReleaseTensorTypeAndShapeInfo(info);
  const void* data = nullptr;
  library.Check(api.GetTensorData(value, &data));
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const unsigned char byte :
       std::span(static_cast<const unsigned char*>(data), elems * sizeof(float))) {
    hash = (hash ^ byte) * 0x100000001B3ULL;
  }
  return hash;
}

}  // namespace

size_t ReadBytes(const std::string& path, const char* key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) return std::stoull(line.substr(std::strlen(key))) * 1024;
  }
  return 0;
}

size_t Anonymous() { return ReadBytes("/proc/self/smaps_rollup", "Anonymous:"); }

double Above(size_t now, size_t before) {
  return (static_cast<double>(now) - static_cast<double>(before)) / kMiB;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Session Create(const Library& library, const Model& model, const std::string& bytes,
               const std::string& packed_folder) {
  const OrtApi& api = library.api();
  OrtSessionOptions* options = nullptr;
  library.Check(api.CreateSessionOptions(&options));
  library.Check(api.SetIntraOpNumThreads(options, 1));
  if (!packed_folder.empty()) {
    library.Check(
        api.AddSessionConfigEntry(options, "waybill.packed_weights_path", packed_folder.c_str()));
  }
  Session out;
  const auto start = Clock::now();
  if (model.from_memory) {
    library.Check(api.CreateSessionFromArray(library.env(), bytes.data(), bytes.size(), options,
                                             &out.handle));
  } else {
    library.Check(api.CreateSession(library.env(), model.path.c_str(), options, &out.handle));
  }
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  api.ReleaseSessionOptions(options);
  return out;
}

uint64_t Run(const Library& library, OrtSession* session) {
  const OrtApi& api = library.api();
  OrtAllocator* allocator = library.allocator();
  char *input = nullptr, *output = nullptr;
  library.Check(api.SessionGetInputName(session, 0, allocator, &input));
  library.Check(api.SessionGetOutputName(session, 0, allocator, &output));
  OrtTypeInfo* type = nullptr;
  library.Check(api.SessionGetInputTypeInfo(session, 0, &type));
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  library.Check(api.CastTypeInfoToTensorInfo(type, &info));
  size_t rank = 0;
  library.Check(api.GetDimensionsCount(info, &rank));
  std::vector<int64_t> dims(rank);
  library.Check(api.GetDimensions(info, dims.data(), rank));
  size_t elems = 1;
  for (int64_t& dim : dims) elems *= static_cast<size_t>(dim = std::max<int64_t>(dim, 1));
  std::vector<float> numbers = Noise().Take(elems);
  OrtMemoryInfo* memory = nullptr;
  library.Check(api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  OrtValue *fed = nullptr, *result = nullptr;
  library.Check(api.CreateTensorWithDataAsOrtValue(memory, numbers.data(), elems * sizeof(float),
                                                   dims.data(), rank,
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &fed));
  library.Check(api.Run(session, nullptr, &input, &fed, 1, &output, 1, &result));
  const uint64_t hash = HashBits(library, result);
  api.ReleaseValue(fed);
  api.ReleaseValue(result);
  api.ReleaseMemoryInfo(memory);
  api.ReleaseTypeInfo(type);
  library.Check(api.AllocatorFree(allocator, input));
  library.Check(api.AllocatorFree(allocator, output));
  return hash;
}

}  // namespace waybill::bench
