// Allocators that the environment shares: the caller's own, and those made for a device.
#include <cstdlib>
#include <set>

#include "onnxruntime_session_options_config_keys.h"
#include "tests/api/api_support.h"
#include "tests/api/models.h"

namespace waybill::api_test {
namespace {

// Gives blocks at odd addresses and knows which are out.
struct Counting : OrtAllocator {
  Counting() : OrtAllocator{} {
    version = ORT_API_VERSION;
    Alloc = [](OrtAllocator* self, size_t bytes) -> void* {
      auto& own = *static_cast<Counting*>(self);
      if (bytes > own.limit) return nullptr;
      auto* block = static_cast<char*>(std::malloc(bytes + 1)) + 1;
      own.out.insert(block);
      own.largest = std::max(own.largest, bytes);
      return block;
    };
    Free = [](OrtAllocator* self, void* p) {
      EXPECT_EQ(static_cast<Counting*>(self)->out.erase(p), 1u);
      std::free(static_cast<char*>(p) - 1);
    };
    Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
      return static_cast<const Counting*>(self)->info;
    };
  }
  ~Counting() { EXPECT_TRUE(out.empty()); }

  const OrtMemoryInfo* info = nullptr;
  std::set<void*> out;
  size_t limit = SIZE_MAX, largest = 0;
};

class EnvAllocators : public testing::Test {
 protected:
  EnvAllocators() {
    OrtMemoryInfo* info = nullptr;
    EXPECT_OK(Api().CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
    cpu_ = {info, Api().ReleaseMemoryInfo};
    mine_.info = cpu_.get();
  }
  Owned<OrtSession> Sharing() {
    const Owned<OrtSessionOptions> options = NewOptions();
    EXPECT_OK(
        Api().AddSessionConfigEntry(options.get(), kOrtSessionOptionsConfigUseEnvAllocators, "1"));
    return NewSession(env_.get(), AddOneModel(), options.get());
  }
  static Outcome Run(OrtSession* session, OrtValue** y) {
    std::vector<float> data(20'000, 1.0f);
    const Owned<OrtValue> x = Wrap(data, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {10'000, 2});
    const char *input = "x", *output = "y";
    const OrtValue* value = x.get();
    *y = nullptr;
    return Api().Run(session, nullptr, &input, &value, 1, &output, 1, y);
  }
  OrtAllocator* Shared() {
    OrtAllocator* shared = nullptr;
    EXPECT_OK(Api().GetSharedAllocator(env_.get(), cpu_.get(), &shared));
    return shared;
  }
  const OrtEpDevice* Device() {
    const OrtEpDevice* const* devices = nullptr;
    size_t count = 0;
    EXPECT_OK(Api().GetEpDevices(env_.get(), &devices, &count));
    EXPECT_EQ(count, 1u);
    return devices[0];
  }

  Counting mine_;
  Owned<OrtMemoryInfo> cpu_{nullptr, Api().ReleaseMemoryInfo};
  Owned<OrtEnv> env_ = NewEnv();
};

TEST_F(EnvAllocators, OutputsComeFromTheCallersAllocator) {
  ASSERT_OK(Api().RegisterAllocator(env_.get(), &mine_));
  EXPECT_EQ(Shared(), &mine_);
  Owned<OrtSession> session = Sharing();
  OrtValue* y = nullptr;
  const Outcome outcome = Run(session.get(), &y);
  ASSERT_EQ(outcome.code, ORT_OK) << outcome;
  EXPECT_EQ(mine_.out.size(), 1u);
  EXPECT_GE(mine_.largest, 80'000u);
  EXPECT_EQ(Data<float>(y)[19'999], 2.0f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(Data<float>(y)) % 64, 0u);

  OrtAllocator* of_session = nullptr;
  ASSERT_OK(Api().CreateAllocator(session.get(), cpu_.get(), &of_session));
  void* block = nullptr;
  ASSERT_OK(Api().AllocatorAlloc(of_session, 100, &block));
  EXPECT_EQ(mine_.out.size(), 2u);
  Api().ReleaseAllocator(of_session);
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), block));

  // Sessions that were made with it keep it, others know nothing of it, and values outlive all.
  ASSERT_OK(Api().UnregisterAllocator(env_.get(), cpu_.get()));
  EXPECT_EQ(Shared(), DefaultAllocator());
  OrtValue *other = nullptr, *late = nullptr;
  EXPECT_EQ(Run(Sharing().get(), &other).code, ORT_OK);
  EXPECT_EQ(mine_.out.size(), 1u);
  EXPECT_EQ(Run(session.get(), &late).code, ORT_OK);
  EXPECT_EQ(mine_.out.size(), 2u);
  session.reset();
  env_.reset();
  for (OrtValue* value : {y, other, late}) Api().ReleaseValue(value);
}

TEST_F(EnvAllocators, AnAllocatorThatGivesNothingFailsTheRun) {
  mine_.limit = 1000;
  ASSERT_OK(Api().RegisterAllocator(env_.get(), &mine_));
  const Owned<OrtSession> session = Sharing();
  OrtValue* y = nullptr;
  const Outcome outcome = Run(session.get(), &y);
  EXPECT_TRUE(outcome.Says(ORT_RUNTIME_EXCEPTION, "registered allocator gave nothing")) << outcome;
  EXPECT_EQ(y, nullptr);
}

TEST_F(EnvAllocators, RegistrationIsChecked) {
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "allocator", Api().RegisterAllocator(env_.get(), nullptr));
  Counting bad;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "memory info", Api().RegisterAllocator(env_.get(), &bad));
  bad.Free = nullptr;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Free", Api().RegisterAllocator(env_.get(), &bad));
  OrtMemoryInfo* gpu = nullptr;
  ASSERT_OK(Api().CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &gpu));
  Counting there;
  there.info = gpu;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Cuda", Api().RegisterAllocator(env_.get(), &there));
  Api().ReleaseMemoryInfo(gpu);
  ASSERT_OK(Api().RegisterAllocator(env_.get(), &mine_));
  Counting second;
  second.info = cpu_.get();
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "already been registered",
               Api().RegisterAllocator(env_.get(), &second));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "already been registered",
               Api().CreateAndRegisterAllocator(env_.get(), cpu_.get(), nullptr));
}

TEST_F(EnvAllocators, TheDeviceIsTheCpu) {
  const OrtEpDevice* device = Device();
  EXPECT_STREQ(Api().EpDevice_EpName(device), "CPUExecutionProvider");
  EXPECT_STREQ(Api().EpDevice_EpVendor(device), "Waybill");
  EXPECT_NE(Api().GetKeyValue(Api().EpDevice_EpMetadata(device), "version"), nullptr);
  EXPECT_NE(Api().EpDevice_EpOptions(device), nullptr);
  const OrtHardwareDevice* hardware = Api().EpDevice_Device(device);
  EXPECT_EQ(Api().HardwareDevice_Type(hardware), OrtHardwareDeviceType_CPU);
  EXPECT_EQ(Api().HardwareDevice_VendorId(hardware) == 0,
            std::string(Api().HardwareDevice_Vendor(hardware)).empty());
  EXPECT_NE(Api().HardwareDevice_Metadata(hardware), nullptr);
  EXPECT_EQ(Api().HardwareDevice_DeviceId(hardware), 0u);
  int differs = 1;
  EXPECT_OK(Api().CompareMemoryInfo(Api().EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT),
                                    cpu_.get(), &differs));
  EXPECT_EQ(differs, 0);
  EXPECT_EQ(Api().EpDevice_MemoryInfo(device, OrtDeviceMemoryType_HOST_ACCESSIBLE), nullptr);
  size_t count = 0;
  ASSERT_OK(Api().GetNumHardwareDevices(env_.get(), &count));
  ASSERT_EQ(count, 1u);
  const OrtHardwareDevice* all[1] = {};
  ASSERT_OK(Api().GetHardwareDevices(env_.get(), all, 1));
  EXPECT_EQ(all[0], hardware);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "room", Api().GetHardwareDevices(env_.get(), all, 0));

  const Owned<OrtSessionOptions> options = NewOptions();
  EXPECT_OK(Api().SessionOptionsAppendExecutionProvider_V2(options.get(), env_.get(), &device, 1,
                                                           nullptr, nullptr, 0));
  const char *key = "device_id", *value = "0";
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "device_id",
               Api().SessionOptionsAppendExecutionProvider_V2(options.get(), env_.get(), &device, 1,
                                                              &key, &value, 1));
  const OrtEpDevice* none = nullptr;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "GetEpDevices",
               Api().SessionOptionsAppendExecutionProvider_V2(options.get(), env_.get(), &none, 1,
                                                              nullptr, nullptr, 0));
}

TEST_F(EnvAllocators, SharedOnesAreMadeReplacedAndReleased) {
  OrtKeyValuePairs* pairs = nullptr;
  Api().CreateKeyValuePairs(&pairs);
  const Owned<OrtKeyValuePairs> options(pairs, Api().ReleaseKeyValuePairs);
  Api().AddKeyValuePair(pairs, "arena.max_mem", "200000");
  Api().AddKeyValuePair(pairs, "arena.arena_extend_strategy", "1");
  OrtAllocator* first = nullptr;
  ASSERT_OK(Api().CreateSharedAllocator(env_.get(), Device(), OrtDeviceMemoryType_DEFAULT,
                                        OrtArenaAllocator, pairs, &first));
  EXPECT_EQ(Shared(), first);
  void* block = nullptr;
  EXPECT_NE(Outcome(Api().AllocatorAlloc(first, 300'000, &block)).code, ORT_OK);
  const Owned<OrtSession> session = Sharing();
  OrtValue* y = nullptr;
  EXPECT_EQ(Run(session.get(), &y).code, ORT_OK);
  Owned<OrtKeyValuePairs> stats{nullptr, Api().ReleaseKeyValuePairs};
  OrtKeyValuePairs* filled = nullptr;
  ASSERT_OK(Api().AllocatorGetStats(first, &filled));
  stats.reset(filled);
  EXPECT_STREQ(Api().GetKeyValue(filled, "RequestedInUse"), "80000");
  EXPECT_STREQ(Api().GetKeyValue(filled, "Limit"), "200000");

  OrtAllocator* second = nullptr;
  ASSERT_OK(Api().CreateSharedAllocator(env_.get(), Device(), OrtDeviceMemoryType_DEFAULT,
                                        OrtDeviceAllocator, nullptr, &second));
  EXPECT_EQ(Shared(), second);
  Api().ReleaseValue(y);  // of the first, which is gone
  ASSERT_OK(Api().ReleaseSharedAllocator(env_.get(), Device(), OrtDeviceMemoryType_DEFAULT));
  EXPECT_EQ(Shared(), DefaultAllocator());
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "shares no allocator",
               Api().ReleaseSharedAllocator(env_.get(), Device(), OrtDeviceMemoryType_DEFAULT));
}

TEST_F(EnvAllocators, WhatTheCpuHasNotIsRefusedByName) {
  const auto create = [&](OrtDeviceMemoryType memory, OrtAllocatorType type,
                          const OrtKeyValuePairs* options = nullptr) {
    OrtAllocator* out = nullptr;
    return Outcome(Api().CreateSharedAllocator(env_.get(), Device(), memory, type, options, &out));
  };
  EXPECT_TRUE(create(OrtDeviceMemoryType_HOST_ACCESSIBLE, OrtDeviceAllocator)
                  .Says(ORT_INVALID_ARGUMENT, "only default memory"));
  EXPECT_TRUE(create(OrtDeviceMemoryType_DEFAULT, OrtReadOnlyAllocator)
                  .Says(ORT_INVALID_ARGUMENT, "read only"));
  const std::pair<const char*, const char*> bad[] = {{"initial_chunk_size_bytes", "1024"},
                                                     {"arena.no_such", "1"},
                                                     {"arena.max_mem", "many"},
                                                     {"arena.use_cuda_mempool", "1"},
                                                     {"arena.arena_extend_strategy", "2"}};
  for (const auto& [key, value] : bad) {
    OrtKeyValuePairs* pairs = nullptr;
    Api().CreateKeyValuePairs(&pairs);
    Api().AddKeyValuePair(pairs, key, value);
    const std::string_view name(key);
    const std::string named(name.substr(name.rfind('.') + 1));
    EXPECT_TRUE(create(OrtDeviceMemoryType_DEFAULT, OrtArenaAllocator, pairs)
                    .Says(ORT_INVALID_ARGUMENT, named))
        << key;
    Api().ReleaseKeyValuePairs(pairs);
  }
  OrtKeyValuePairs* pairs = nullptr;
  Api().CreateKeyValuePairs(&pairs);
  Api().AddKeyValuePair(pairs, "arena.max_mem", "1024");
  EXPECT_TRUE(create(OrtDeviceMemoryType_DEFAULT, OrtDeviceAllocator, pairs)
                  .Says(ORT_INVALID_ARGUMENT, "arena allocators only"));
  Api().ReleaseKeyValuePairs(pairs);
}

}  // namespace
}  // namespace waybill::api_test
