// The budget, the order of runs and their time limits, as settings of the C interface.
#include <thread>

#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "waybill.h"

namespace waybill::api_test {
namespace {

class Budget : public testing::Test {
 protected:
  Outcome Run(const OrtRunOptions* options = nullptr) {
    std::vector<float> data(204'800, 1.0f);  // whole pages
    const Owned<OrtValue> x = Wrap(data, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {102'400, 2});
    const char *input = "x", *output = "y";
    const OrtValue* value = x.get();
    OrtValue* y = nullptr;
    const Outcome outcome = Api().Run(session_.get(), options, &input, &value, 1, &output, 1, &y);
    if (y != nullptr) Api().ReleaseValue(y);
    return outcome;
  }
  Owned<OrtRunOptions> With(const char* key, const char* value) {
    OrtRunOptions* options = nullptr;
    EXPECT_OK(Api().CreateRunOptions(&options));
    EXPECT_OK(Api().AddRunConfigEntry(options, key, value));
    return {options, Api().ReleaseRunOptions};
  }

  Owned<OrtEnv> env_ = NewEnv();
  Owned<OrtSession> session_ = NewSession(env_.get(), AddOneModel());
};

TEST_F(Budget, RefusesWhatIsTooLarge) {
  ASSERT_OK(WaybillEnvSetMemoryBudget(env_.get(), 500'000));
  const Outcome refused = Run();
  EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, "819200 for outputs")) << refused;
  EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, "500000 bytes")) << refused;
  void* block = nullptr;
  // Outputs are all that this one needs.
  EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, "the largest output is y with 819200 bytes"));
  EXPECT_TRUE(refused.Says(ORT_RUNTIME_EXCEPTION, "(Add")) << refused;
  const Outcome taken(Api().AllocatorAlloc(DefaultAllocator(), 600'000, &block));
  EXPECT_TRUE(taken.Says(ORT_RUNTIME_EXCEPTION, "the memory budget of 500000 bytes")) << taken;
  EXPECT_TRUE(taken.Says(ORT_RUNTIME_EXCEPTION, "are in use")) << taken;
  ASSERT_OK(WaybillEnvSetMemoryBudget(env_.get(), 0));
  EXPECT_EQ(Run().code, ORT_OK);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "env", WaybillEnvSetMemoryBudget(nullptr, 1));
}

TEST_F(Budget, WaitsWithinATimeLimit) {
  ASSERT_OK(WaybillEnvSetMemoryBudget(env_.get(), 1'000'000));
  void* block = nullptr;
  ASSERT_OK(Api().AllocatorAlloc(DefaultAllocator(), 400'000, &block));
  for (const char* limit : {"0", "20"}) {
    const Outcome late = Run(With(kWaybillRunAdmissionTimeoutMs, limit).get());
    EXPECT_TRUE(late.Says(ORT_RUNTIME_EXCEPTION, "after waiting")) << late;
  }
  std::thread owner([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), block));
  });
  EXPECT_EQ(Run(With(kWaybillRunAdmissionTimeoutMs, "-1").get()).code, ORT_OK);
  owner.join();
}

TEST_F(Budget, TheTerminateFlagEndsTheWaiting) {
  ASSERT_OK(WaybillEnvSetMemoryBudget(env_.get(), 1'000'000));
  void* block = nullptr;
  ASSERT_OK(Api().AllocatorAlloc(DefaultAllocator(), 400'000, &block));
  const Owned<OrtRunOptions> options = With(kWaybillRunAdmissionTimeoutMs, "60000");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_OK(Api().RunOptionsSetTerminate(options.get()));
  });
  const Outcome ended = Run(options.get());
  EXPECT_TRUE(ended.Says(ORT_FAIL, "terminate flag")) << ended;
  other.join();
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), block));
}

TEST_F(Budget, SettingsAreChecked) {
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, const char*>>{{kWaybillRunAdmissionTimeoutMs, "soon"},
                                                        {kWaybillRunAdmissionTimeoutMs, "-2"},
                                                        {kWaybillRunAdmissionTimeoutMs, ""},
                                                        {"waybill.no_such_key", "1"}}) {
    EXPECT_TRUE(Run(With(key, value).get()).Says(ORT_INVALID_ARGUMENT, key));
  }
  const std::string model = AddOneModel();
  for (const char* key :
       {kWaybillConfigMaxInflight, kWaybillConfigMemoryBudgetBytes, kWaybillConfigIdleTrimMs}) {
    const Owned<OrtSessionOptions> options = NewOptions();
    ASSERT_OK(Api().AddSessionConfigEntry(options.get(), key, "-1"));
    OrtSession* session = nullptr;
    EXPECT_FAILS(ORT_INVALID_ARGUMENT, key,
                 Api().CreateSessionFromArray(env_.get(), model.data(), model.size(), options.get(),
                                              &session));
    ASSERT_OK(Api().AddSessionConfigEntry(options.get(), key, "0"));
    EXPECT_OK(Api().CreateSessionFromArray(env_.get(), model.data(), model.size(), options.get(),
                                           &session));
    Api().ReleaseSession(session);
  }
}

}  // namespace
}  // namespace waybill::api_test
