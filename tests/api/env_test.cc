// Environment, threading options, memory descriptions, allocators, key/value sets, providers.
#include <cstring>
#include <map>

#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "waybill.h"

namespace waybill::api_test {
namespace {

TEST(Env, TwoCreatesGiveOneObject) {
  const Owned<OrtEnv> first = NewEnv();
  OrtEnv* second = nullptr;
  ASSERT_OK(Api().CreateEnv(ORT_LOGGING_LEVEL_VERBOSE, "other", &second));
  EXPECT_EQ(second, first.get());
  Api().ReleaseEnv(second);
  // The first reference still works.
  EXPECT_OK(Api().UpdateEnvWithCustomLogLevel(first.get(), ORT_LOGGING_LEVEL_ERROR));
  EXPECT_OK(Api().EnableTelemetryEvents(first.get()));
  EXPECT_OK(Api().DisableTelemetryEvents(first.get()));
  EXPECT_OK(Api().SetLanguageProjection(first.get(), ORT_PROJECTION_CSHARP));
}

TEST(Env, OptionsOfAnyVersion) {
  for (const uint32_t version : {24u, 29u, 99u}) {
    OrtEnvCreationOptions options = {};
    options.version = version;
    options.logging_severity_level = ORT_LOGGING_LEVEL_ERROR;
    options.log_id = "id";
    OrtEnv* env = nullptr;
    ASSERT_OK(Api().CreateEnvWithOptions(&options, &env));
    Api().ReleaseEnv(env);
  }
}

TEST(Env, GlobalThreadPools) {
  OrtThreadingOptions* threading = nullptr;
  ASSERT_OK(Api().CreateThreadingOptions(&threading));
  EXPECT_OK(Api().SetGlobalIntraOpNumThreads(threading, 1));
  EXPECT_OK(Api().SetGlobalInterOpNumThreads(threading, 1));
  EXPECT_OK(Api().SetGlobalSpinControl(threading, 0));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "0 or 1", Api().SetGlobalSpinControl(threading, 7));
  EXPECT_OK(Api().SetGlobalDenormalAsZero(threading));
  OrtEnv* env = nullptr;
  ASSERT_OK(Api().CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "t", threading, &env));
  Api().ReleaseEnv(env);
  Api().ReleaseThreadingOptions(threading);
}

// Settings that only cost time give a warning; denormals as zero come true in sessions that use the
// global pools.
TEST(Env, GlobalSettingsAreWarnedOfOrHonoured) {
  OrtThreadingOptions* threading = nullptr;
  ASSERT_OK(Api().CreateThreadingOptions(&threading));
  EXPECT_OK(Api().SetGlobalSpinControl(threading, 0));
  EXPECT_OK(Api().SetGlobalInterOpNumThreads(threading, 3));
  EXPECT_OK(Api().SetGlobalDenormalAsZero(threading));
  std::string log;
  OrtEnv* env = nullptr;
  ASSERT_OK(Api().CreateEnvWithCustomLoggerAndGlobalThreadPools(
      [](void* to, OrtLoggingLevel, const char*, const char*, const char*, const char* message) {
        *static_cast<std::string*>(to) += std::string(message) + "\n";
      },
      &log, ORT_LOGGING_LEVEL_WARNING, "t", threading, &env));
  EXPECT_NE(log.find("spinning"), std::string::npos) << log;
  EXPECT_NE(log.find("3 global inter-op threads"), std::string::npos) << log;
  const std::string model = AddOneModel(1e-40f);
  for (const bool own_threads : {false, true}) {
    const Owned<OrtSessionOptions> options = NewOptions();
    if (!own_threads) EXPECT_OK(Api().DisablePerSessionThreads(options.get()));
    OrtSession* session = nullptr;
    ASSERT_OK(
        Api().CreateSessionFromArray(env, model.data(), model.size(), options.get(), &session));
    std::vector<float> zeros(2, 0.0f);
    const Owned<OrtValue> x = Wrap(zeros, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {1, 2});
    const char *input = "x", *output = "y";
    const OrtValue* value = x.get();
    OrtValue* out = nullptr;
    ASSERT_OK(Api().Run(session, nullptr, &input, &value, 1, &output, 1, &out));
    EXPECT_EQ(Data<float>(out)[0], own_threads ? 1e-40f : 0.0f);
    Api().ReleaseValue(out);
    Api().ReleaseSession(session);
  }
  Api().ReleaseEnv(env);
  Api().ReleaseThreadingOptions(threading);
}

TEST(Env, LinesGoToTheCallersLogger) {
  std::vector<std::string> lines;
  OrtEnv* env = nullptr;
  ASSERT_OK(Api().CreateEnvWithCustomLogger(
      [](void* to, OrtLoggingLevel level, const char*, const char* id, const char*,
         const char* message) {
        static_cast<std::vector<std::string>*>(to)->push_back(std::to_string(level) + " " + id +
                                                              ": " + message);
      },
      &lines, ORT_LOGGING_LEVEL_WARNING, "mine", &env));
  const Owned<OrtEnv> owner(env, Api().ReleaseEnv);
  const std::string model = AddOneModel();
  const auto load = [&](const OrtSessionOptions* options) {
    OrtSession* session = nullptr;
    EXPECT_OK(Api().CreateSessionFromArray(env, model.data(), model.size(), options, &session));
    Api().ReleaseSession(session);
  };
  const Owned<OrtSessionOptions> options = NewOptions();
  load(options.get());
  EXPECT_TRUE(lines.empty()) << lines.front();
  // A setting without effect is worth one warning.
  EXPECT_OK(Api().AddSessionConfigEntry(options.get(), "session.disable_prepacking", "1"));
  load(options.get());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].substr(0, 2), "2 ");
  EXPECT_NE(lines[0].find("mine"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("session.disable_prepacking"), std::string::npos) << lines[0];
  EXPECT_OK(Api().UpdateEnvWithCustomLogLevel(env, ORT_LOGGING_LEVEL_ERROR));
  load(options.get());
  EXPECT_EQ(lines.size(), 1u) << "below the environment's level";
}

TEST(Env, BuildInfo) { EXPECT_NE(std::strlen(Api().GetBuildInfoString()), 0u); }

TEST(MemoryInfo, NamesAndQueries) {
  OrtMemoryInfo* cuda = nullptr;
  ASSERT_OK(Api().CreateMemoryInfo("Cuda", OrtArenaAllocator, 3, OrtMemTypeDefault, &cuda));
  const char* name = nullptr;
  EXPECT_OK(Api().MemoryInfoGetName(cuda, &name));
  EXPECT_STREQ(name, "Cuda");
  int id = 0;
  EXPECT_OK(Api().MemoryInfoGetId(cuda, &id));
  EXPECT_EQ(id, 3);
  OrtMemType mem_type;
  EXPECT_OK(Api().MemoryInfoGetMemType(cuda, &mem_type));
  EXPECT_EQ(mem_type, OrtMemTypeDefault);
  OrtAllocatorType type;
  EXPECT_OK(Api().MemoryInfoGetType(cuda, &type));
  EXPECT_EQ(type, OrtArenaAllocator);
  OrtMemoryInfoDeviceType device;
  Api().MemoryInfoGetDeviceType(cuda, &device);
  EXPECT_EQ(device, OrtMemoryInfoDeviceType_GPU);
  const Owned<OrtMemoryInfo> cpu = CpuInfo(), again = CpuInfo();
  Api().MemoryInfoGetDeviceType(cpu.get(), &device);
  EXPECT_EQ(device, OrtMemoryInfoDeviceType_CPU);
  int different = 5;
  EXPECT_OK(Api().CompareMemoryInfo(cpu.get(), again.get(), &different));
  EXPECT_EQ(different, 0);
  EXPECT_OK(Api().CompareMemoryInfo(cpu.get(), cuda, &different));
  EXPECT_EQ(different, -1);
  Api().ReleaseMemoryInfo(cuda);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Specified device is not supported",
               Api().CreateMemoryInfo("Foo", OrtArenaAllocator, 0, OrtMemTypeDefault, &cuda));
}

TEST(MemoryInfo, EveryPartIsTheCallers) {
  OrtMemoryInfo* info = nullptr;
  ASSERT_OK(Api().CreateMemoryInfo_V2("own", OrtMemoryInfoDeviceType_NPU, 0x8086, 4,
                                      OrtDeviceMemoryType_HOST_ACCESSIBLE, 256, OrtDeviceAllocator,
                                      &info));
  const Owned<OrtMemoryInfo> owner(info, Api().ReleaseMemoryInfo);
  const char* name = nullptr;
  EXPECT_OK(Api().MemoryInfoGetName(info, &name));
  EXPECT_STREQ(name, "own");
  OrtMemoryInfoDeviceType device;
  Api().MemoryInfoGetDeviceType(info, &device);
  EXPECT_EQ(device, OrtMemoryInfoDeviceType_NPU);
  EXPECT_EQ(Api().MemoryInfoGetVendorId(info), 0x8086u);
  int id = 0;
  EXPECT_OK(Api().MemoryInfoGetId(info, &id));
  EXPECT_EQ(id, 4);
  EXPECT_EQ(Api().MemoryInfoGetDeviceMemType(info), OrtDeviceMemoryType_HOST_ACCESSIBLE);
  EXPECT_EQ(Api().MemoryInfoGetDeviceMemType(CpuInfo().get()), OrtDeviceMemoryType_DEFAULT);
  EXPECT_EQ(Api().MemoryInfoGetVendorId(CpuInfo().get()), 0u);
}

TEST(Allocator, DefaultOne) {
  OrtAllocator* allocator = DefaultAllocator();
  EXPECT_EQ(allocator, DefaultAllocator());
  EXPECT_EQ(allocator->version, 30u);
  EXPECT_NE(allocator->Reserve, nullptr);
  EXPECT_NE(allocator->GetStats, nullptr);
  EXPECT_EQ(allocator->AllocOnStream, nullptr);
  EXPECT_EQ(allocator->Shrink, nullptr);
  const OrtMemoryInfo* info = nullptr;
  ASSERT_OK(Api().AllocatorGetInfo(allocator, &info));
  const char* name = nullptr;
  EXPECT_OK(Api().MemoryInfoGetName(info, &name));
  EXPECT_STREQ(name, "Cpu");

  void* block = &block;
  ASSERT_OK(Api().AllocatorAlloc(allocator, 0, &block));
  EXPECT_EQ(block, nullptr);
  ASSERT_OK(Api().AllocatorAlloc(allocator, 1000, &block));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
  std::memset(block, 1, 1000);
  EXPECT_OK(Api().AllocatorFree(allocator, block));
  EXPECT_OK(Api().AllocatorFree(allocator, nullptr));
  EXPECT_NE(Outcome(Api().AllocatorAlloc(allocator, SIZE_MAX - 8, &block)).code, ORT_OK);
  OrtKeyValuePairs* stats = nullptr;
  ASSERT_OK(Api().AllocatorGetStats(allocator, &stats));
  Api().ReleaseKeyValuePairs(stats);
}

// The keys of ONNX Runtime's arenas, for the memory of the environment.
TEST(Allocator, StatisticsOfTheEnv) {
  OrtAllocator* allocator = DefaultAllocator();
  const auto read = [&] {
    OrtKeyValuePairs* stats = nullptr;
    EXPECT_OK(Api().AllocatorGetStats(allocator, &stats));
    std::map<std::string, int64_t> out;
    const char* const* keys = nullptr;
    const char* const* values = nullptr;
    size_t count = 0;
    Api().GetKeyValuePairs(stats, &keys, &values, &count);
    for (size_t i = 0; i < count; ++i) out[keys[i]] = std::stoll(values[i]);
    Api().ReleaseKeyValuePairs(stats);
    return out;
  };
  EXPECT_TRUE(read().empty());  // nobody counts without an environment
  const Owned<OrtEnv> env = NewEnv();
  ASSERT_OK(WaybillEnvSetMemoryBudget(env.get(), 0));  // whatever limit the machine sets
  auto before = read();
  EXPECT_EQ(before.size(), 10u);
  EXPECT_EQ(before["Limit"], -1);
  void* block = nullptr;
  ASSERT_OK(Api().AllocatorAlloc(allocator, 10000, &block));
  auto after = read();
  EXPECT_GE(after["InUse"], before["InUse"] + 10000);
  EXPECT_GE(after["TotalAllocated"], after["InUse"]);
  EXPECT_GE(after["MaxAllocSize"], 10000);
  EXPECT_EQ(after["NumAllocs"], before["NumAllocs"] + 1);
  EXPECT_OK(Api().AllocatorFree(allocator, block));
  EXPECT_EQ(read()["InUse"], before["InUse"]);
  EXPECT_EQ(read()["MaxInUse"], after["InUse"]);
}

// A block may be freed after the environment it was counted in is gone.
TEST(Allocator, OutlivesTheEnv) {
  void* block = nullptr;
  {
    const Owned<OrtEnv> env = NewEnv();
    ASSERT_OK(Api().AllocatorAlloc(DefaultAllocator(), 16, &block));
  }
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), block));
}

TEST(KeyValues, SortedAndReplaced) {
  OrtKeyValuePairs* pairs = nullptr;
  Api().CreateKeyValuePairs(&pairs);
  Api().AddKeyValuePair(pairs, "b", "1");
  Api().AddKeyValuePair(pairs, "a", "2");
  Api().AddKeyValuePair(pairs, "b", "3");
  Api().AddKeyValuePair(pairs, "", "4");
  Api().AddKeyValuePair(pairs, nullptr, "5");
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  Api().GetKeyValuePairs(pairs, &keys, &values, &count);
  ASSERT_EQ(count, 2u);
  EXPECT_STREQ(keys[0], "a");
  EXPECT_STREQ(values[1], "3");
  EXPECT_STREQ(Api().GetKeyValue(pairs, "a"), "2");
  EXPECT_EQ(Api().GetKeyValue(pairs, "c"), nullptr);
  Api().RemoveKeyValuePair(pairs, "a");
  Api().GetKeyValuePairs(pairs, &keys, &values, &count);
  EXPECT_EQ(count, 1u);
  Api().ReleaseKeyValuePairs(pairs);
}

TEST(Providers, TheCpuIsThere) {
  char** names = nullptr;
  int count = 0;
  ASSERT_OK(Api().GetAvailableProviders(&names, &count));
  ASSERT_GE(count, 1);
  EXPECT_STREQ(names[count - 1], "CPUExecutionProvider");
  EXPECT_OK(Api().ReleaseAvailableProviders(names, count));
}

TEST(Providers, Appending) {
  const Owned<OrtSessionOptions> options = NewOptions();
  const auto append = [&](const char* name) {
    return Api().SessionOptionsAppendExecutionProvider(options.get(), name, nullptr, nullptr, 0);
  };
  EXPECT_OK(append("CPU"));
  EXPECT_OK(append("CPUExecutionProvider"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Unknown provider name 'FooEP'", append("FooEP"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "XNNPACK execution provider is not supported in this build. ",
               append("XNNPACK"));
  EXPECT_OK(OrtSessionOptionsAppendExecutionProvider_CPU(options.get(), 0));
}

// What would be a limit of memory is refused; the rest is kept as ONNX Runtime does.
TEST(Providers, OptionsOfTheCpu) {
  const Owned<OrtSessionOptions> options = NewOptions();
  const auto append = [&](const char* key, const char* value) {
    return Api().SessionOptionsAppendExecutionProvider(options.get(), "CPUExecutionProvider", &key,
                                                       &value, 1);
  };
  for (const char* key : {"max_mem", "arena.max_mem", "gpu_mem_limit"}) {
    EXPECT_FAILS(ORT_INVALID_ARGUMENT, key, append(key, "1"));
  }
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "NULL", append("key", nullptr));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "empty", append("", "1"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "empty", append("key", ""));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "960", append(std::string(961, 'k').c_str(), "1"));
  // It limits nothing, and programs give it by default.
  EXPECT_OK(append("arena_extend_strategy", "kSameAsRequested"));
  EXPECT_OK(append("device_id", "0"));
  char value[8];
  size_t size = sizeof value;
  EXPECT_OK(Api().GetSessionConfigEntry(options.get(), "ep.cpuexecutionprovider.device_id", value,
                                        &size));
  EXPECT_STREQ(value, "0");
}

TEST(Providers, OnesThatAreNotHere) {
  const Owned<OrtSessionOptions> options = NewOptions();
  OrtCUDAProviderOptionsV2* cuda = nullptr;
  ASSERT_OK(Api().CreateCUDAProviderOptions(&cuda));
  const char* keys[] = {"device_id"};
  const char* values[] = {"0"};
  EXPECT_OK(Api().UpdateCUDAProviderOptions(cuda, keys, values, 1));
  char* text = nullptr;
  EXPECT_FAILS(ORT_FAIL, "CUDA",
               Api().GetCUDAProviderOptionsAsString(cuda, DefaultAllocator(), &text));
  EXPECT_FAILS(ORT_FAIL, "CUDA",
               Api().SessionOptionsAppendExecutionProvider_CUDA_V2(options.get(), cuda));
  Api().ReleaseCUDAProviderOptions(cuda);
  OrtTensorRTProviderOptionsV2* tensorrt = nullptr;
  ASSERT_OK(Api().CreateTensorRTProviderOptions(&tensorrt));
  EXPECT_OK(Api().UpdateTensorRTProviderOptions(tensorrt, keys, values, 1));
  EXPECT_FAILS(ORT_FAIL, "TensorRT",
               Api().SessionOptionsAppendExecutionProvider_TensorRT_V2(options.get(), tensorrt));
  Api().ReleaseTensorRTProviderOptions(tensorrt);
  const OrtCUDAProviderOptions fixed = {};
  EXPECT_FAILS(ORT_FAIL, "CUDA",
               Api().SessionOptionsAppendExecutionProvider_CUDA(options.get(), &fixed));
  EXPECT_FAILS(
      ORT_FAIL, "OpenVINO",
      Api().SessionOptionsAppendExecutionProvider_OpenVINO_V2(options.get(), nullptr, nullptr, 0));
  OrtDnnlProviderOptions* dnnl = nullptr;
  EXPECT_FAILS(ORT_FAIL, "is not enabled in this build", Api().CreateDnnlProviderOptions(&dnnl));
  const void* api = nullptr;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Specified provider is not supported.",
               Api().GetExecutionProviderApi("DML", 1, &api));
  int device = 0;
  EXPECT_FAILS(ORT_FAIL, "", Api().GetCurrentGpuDeviceId(&device));
  EXPECT_FAILS(ORT_FAIL, "", Api().EnableOrtCustomOps(options.get()));
  EXPECT_EQ(Api().GetTrainingApi(1), nullptr);
}

}  // namespace
}  // namespace waybill::api_test
