// Arenas through the C interface: settings, the environment's shared allocator, statistics,
// trimming.
#include <cstring>
#include <map>

#include "onnxruntime_run_options_config_keys.h"
#include "onnxruntime_session_options_config_keys.h"
#include "tests/api/api_support.h"
#include "tests/api/models.h"

namespace waybill::api_test {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

Owned<OrtMemoryInfo> ArenaInfo() {
  OrtMemoryInfo* info = nullptr;
  EXPECT_OK(Api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &info));
  return {info, Api().ReleaseMemoryInfo};
}

Outcome Config(const std::map<std::string, size_t>& entries, OrtArenaCfg** out) {
  std::vector<const char*> keys;
  std::vector<size_t> values;
  for (const auto& [key, value] : entries) {
    keys.push_back(key.c_str());
    values.push_back(value);
  }
  return Api().CreateArenaCfgV2(keys.data(), values.data(), keys.size(), out);
}

Owned<OrtArenaCfg> MustConfig(const std::map<std::string, size_t>& entries) {
  OrtArenaCfg* config = nullptr;
  const Outcome outcome = Config(entries, &config);
  EXPECT_EQ(outcome.code, ORT_OK) << outcome.text;
  return {config, Api().ReleaseArenaCfg};
}

std::map<std::string, int64_t> Stats(OrtAllocator* allocator) {
  OrtKeyValuePairs* pairs = nullptr;
  EXPECT_OK(Api().AllocatorGetStats(allocator, &pairs));
  const Owned<OrtKeyValuePairs> owner(pairs, Api().ReleaseKeyValuePairs);
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  Api().GetKeyValuePairs(pairs, &keys, &values, &count);
  std::map<std::string, int64_t> stats;
  for (size_t i = 0; i < count; ++i) stats[keys[i]] = std::stoll(values[i]);
  return stats;
}

Outcome RunOnce(OrtSession* session, std::vector<float>& data, OrtValue** out,
                const OrtRunOptions* options = nullptr) {
  const Owned<OrtValue> x =
      Wrap(data, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {static_cast<int64_t>(data.size() / 2), 2});
  const char *input = "x", *output = "y";
  const OrtValue* value = x.get();
  *out = nullptr;
  return Api().Run(session, options, &input, &value, 1, &output, 1, out);
}

Owned<OrtAllocator> SessionAllocator(const OrtSession* session) {
  OrtAllocator* allocator = nullptr;
  EXPECT_OK(Api().CreateAllocator(session, ArenaInfo().get(), &allocator));
  return {allocator, Api().ReleaseAllocator};
}

TEST(Arena, SettingsAreChecked) {
  OrtArenaCfg* config = nullptr;
  EXPECT_TRUE(Config({{"max_memory", 1}}, &config).Says(ORT_INVALID_ARGUMENT, "max_memory"));
  EXPECT_TRUE(Config({{"arena_extend_strategy", 2}}, &config)
                  .Says(ORT_INVALID_ARGUMENT, "arena_extend_strategy"));
  EXPECT_TRUE(Config({{"initial_chunk_size_bytes", 0}}, &config)
                  .Says(ORT_INVALID_ARGUMENT, "initial_chunk_size_bytes"));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "arena_extend_strategy",
               Api().CreateArenaCfg(0, 3, -1, -1, &config));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "initial_chunk_size_bytes",
               Api().CreateArenaCfg(0, -1, -2, -1, &config));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "max_dead_bytes_per_chunk",
               Api().CreateArenaCfg(0, -1, 0, -7, &config));
  ASSERT_OK(Api().CreateArenaCfg(0, -1, -1, -1, &config));
  Api().ReleaseArenaCfg(config);
  const size_t as_usual = static_cast<size_t>(-1);
  MustConfig({{"max_mem", 0},
              {"arena_extend_strategy", as_usual},
              {"initial_chunk_size_bytes", as_usual},
              {"max_dead_bytes_per_chunk", as_usual},
              {"initial_growth_chunk_size_bytes", as_usual},
              {"max_power_of_two_extend_bytes", as_usual},
              {"use_cuda_mempool", 0}});
}

TEST(Arena, RegistrationIsChecked) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtArenaCfg> cuda = MustConfig({{"use_cuda_mempool", 1}});
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "use_cuda_mempool",
               Api().CreateAndRegisterAllocator(env.get(), ArenaInfo().get(), cuda.get()));
  OrtMemoryInfo* gpu = nullptr;
  ASSERT_OK(Api().CreateMemoryInfo("Cuda", OrtArenaAllocator, 0, OrtMemTypeDefault, &gpu));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Cuda",
               Api().CreateAndRegisterAllocator(env.get(), gpu, nullptr));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "CUDAExecutionProvider",
               Api().CreateAndRegisterAllocatorV2(env.get(), "CUDAExecutionProvider",
                                                  ArenaInfo().get(), nullptr, nullptr, nullptr, 0));
  const char *key = "device_id", *value = "0";
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "device_id",
               Api().CreateAndRegisterAllocatorV2(env.get(), "CPUExecutionProvider",
                                                  ArenaInfo().get(), nullptr, &key, &value, 1));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "registered",
               Api().UnregisterAllocator(env.get(), ArenaInfo().get()));
  OrtAllocator* shared = nullptr;
  EXPECT_OK(Api().GetSharedAllocator(env.get(), ArenaInfo().get(), &shared));
  EXPECT_EQ(shared, DefaultAllocator());
  ASSERT_OK(Api().CreateAndRegisterAllocatorV2(env.get(), "CPUExecutionProvider", ArenaInfo().get(),
                                               nullptr, nullptr, nullptr, 0));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "already been registered",
               Api().CreateAndRegisterAllocator(env.get(), ArenaInfo().get(), nullptr));
  EXPECT_OK(Api().GetSharedAllocator(env.get(), ArenaInfo().get(), &shared));
  EXPECT_NE(shared, DefaultAllocator());
  Api().ReleaseAllocator(shared);  // the environment's own stays
  EXPECT_EQ(Stats(shared).at("NumAllocs"), 0);
  EXPECT_OK(Api().GetSharedAllocator(env.get(), gpu, &shared));
  EXPECT_EQ(shared, nullptr);
  Api().ReleaseMemoryInfo(gpu);
  EXPECT_OK(Api().UnregisterAllocator(env.get(), ArenaInfo().get()));
  EXPECT_OK(Api().CreateAndRegisterAllocator(env.get(), ArenaInfo().get(), nullptr));
}

TEST(Arena, SessionsTakeOutputsFromTheSharedOne) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtArenaCfg> config =
      MustConfig({{"max_mem", 2 * kMiB}, {"arena_extend_strategy", 1}});
  ASSERT_OK(Api().CreateAndRegisterAllocator(env.get(), ArenaInfo().get(), config.get()));
  OrtAllocator* shared = nullptr;
  ASSERT_OK(Api().GetSharedAllocator(env.get(), ArenaInfo().get(), &shared));
  const Owned<OrtSessionOptions> options = NewOptions();
  ASSERT_OK(
      Api().AddSessionConfigEntry(options.get(), kOrtSessionOptionsConfigUseEnvAllocators, "1"));
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel(), options.get());
  const int64_t before = Stats(shared).at("RequestedInUse");
  std::vector<float> data(100'000, 1.0f);
  OrtValue* y = nullptr;
  const Outcome outcome = RunOnce(session.get(), data, &y);
  ASSERT_EQ(outcome.code, ORT_OK) << outcome.text;
  EXPECT_EQ(Data<float>(y)[99'999], 2.0f);
  std::map<std::string, int64_t> stats = Stats(shared);
  EXPECT_EQ(stats.at("RequestedInUse") - before, 400'000);
  EXPECT_EQ(stats.at("Limit"), static_cast<int64_t>(2 * kMiB));
  EXPECT_EQ(Stats(SessionAllocator(session.get()).get()), stats) << "it is the same arena";
  void* block = nullptr;
  EXPECT_FAILS(ORT_RUNTIME_EXCEPTION, "exceeds the 2097152 bytes that the arena may have",
               Api().AllocatorAlloc(shared, 4 * kMiB, &block));
  Api().ReleaseValue(y);
  EXPECT_EQ(Stats(shared).at("RequestedInUse"), before);
  data.resize(600'000);
  EXPECT_TRUE(RunOnce(session.get(), data, &y).Says(ORT_RUNTIME_EXCEPTION, "2097152 bytes"));
  // Another session has nothing to do with it.
  const Owned<OrtSession> other = NewSession(env.get(), AddOneModel());
  ASSERT_EQ(RunOnce(other.get(), data, &y).code, ORT_OK);
  EXPECT_EQ(Stats(shared).at("RequestedInUse"), before);
  Api().ReleaseValue(y);
}

TEST(Arena, AllocatorsOfASession) {
  const Owned<OrtEnv> env = NewEnv();
  Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  Owned<OrtAllocator> allocator = SessionAllocator(session.get());
  std::map<std::string, int64_t> stats = Stats(allocator.get());
  for (const char* key :
       {"InUse", "MaxAllocSize", "MaxInUse", "NumAllocs", "NumArenaExtensions",
        "NumArenaShrinkages", "NumReserves", "RequestedInUse", "TotalAllocated"}) {
    EXPECT_EQ(stats.at(key), 0) << key;
  }
  EXPECT_EQ(stats.at("Limit"), -1);
  EXPECT_EQ(stats.size(), 10u);
  const int64_t shape[] = {1000};
  OrtValue* value = nullptr;
  ASSERT_OK(Api().CreateTensorAsOrtValue(allocator.get(), shape, 1,
                                         ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  void* block = nullptr;
  ASSERT_OK(Api().AllocatorAlloc(allocator.get(), 5000, &block));
  void* reserved = allocator->Reserve(allocator.get(), 3 * kMiB);
  ASSERT_NE(reserved, nullptr);
  std::memset(reserved, 1, 3 * kMiB);
  stats = Stats(allocator.get());
  EXPECT_EQ(stats.at("NumAllocs"), 2);
  EXPECT_EQ(stats.at("NumReserves"), 1);
  EXPECT_EQ(stats.at("NumArenaExtensions"), 1);
  EXPECT_GE(stats.at("TotalAllocated"), static_cast<int64_t>(4 * kMiB));
  EXPECT_GE(stats.at("RequestedInUse"), static_cast<int64_t>(9000 + 3 * kMiB));
  EXPECT_LE(stats.at("RequestedInUse"), stats.at("InUse"));
  EXPECT_EQ(stats.at("InUse"), stats.at("MaxInUse"));
  EXPECT_OK(Api().AllocatorFree(allocator.get(), reserved));
  // What was taken from an allocator may outlive it, and the session.
  allocator.reset();
  session.reset();
  void* data = nullptr;
  ASSERT_OK(Api().GetTensorMutableData(value, &data));
  std::memset(data, 1, 4000);
  Api().ReleaseValue(value);
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), block));
}

TEST(Arena, NoArenaWhereItIsTurnedOff) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSessionOptions> options = NewOptions();
  ASSERT_OK(Api().DisableCpuMemArena(options.get()));
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel(), options.get());
  const Owned<OrtAllocator> allocator = SessionAllocator(session.get());
  // Blocks come straight from the environment, so the figures are its.
  EXPECT_EQ(Stats(allocator.get()), Stats(DefaultAllocator()));
  const int64_t before = Stats(DefaultAllocator()).at("InUse");
  void* block = allocator->Reserve(allocator.get(), 100);
  ASSERT_NE(block, nullptr);
  EXPECT_GE(Stats(DefaultAllocator()).at("InUse"), before + 100);
  EXPECT_OK(Api().AllocatorFree(allocator.get(), block));
}

TEST(Arena, ShrinkageGivesItsIdleMemoryBack) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  const Owned<OrtAllocator> allocator = SessionAllocator(session.get());
  void* block = nullptr;
  ASSERT_OK(Api().AllocatorAlloc(allocator.get(), 5000, &block));
  EXPECT_OK(Api().AllocatorFree(allocator.get(), block));
  EXPECT_EQ(Stats(allocator.get()).at("TotalAllocated"), static_cast<int64_t>(kMiB));
  OrtRunOptions* options = nullptr;
  ASSERT_OK(Api().CreateRunOptions(&options));
  const Owned<OrtRunOptions> owner(options, Api().ReleaseRunOptions);
  ASSERT_OK(
      Api().AddRunConfigEntry(options, kOrtRunOptionsConfigEnableMemoryArenaShrinkage, "cpu:0"));
  std::vector<float> data(2, 1.0f);
  OrtValue* y = nullptr;
  ASSERT_EQ(RunOnce(session.get(), data, &y, options).code, ORT_OK);
  Api().ReleaseValue(y);
  EXPECT_EQ(Stats(allocator.get()).at("TotalAllocated"), 0);
  EXPECT_EQ(Stats(allocator.get()).at("NumArenaShrinkages"), 1);
}

}  // namespace
}  // namespace waybill::api_test
