// Whatever is dropped first, and whenever: what is left works, and bytes live as long as somebody
// holds them.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"

namespace waybill::pains {
namespace {

const std::string& SmallModel() {
  static const std::string model = PerceptronModel(4, 8);
  return model;
}

// The caller's own memory: counts what is alive and fills what is freed.
struct Counting : OrtAllocator {
  std::atomic<int> live{0};
  Owned<OrtMemoryInfo> where = api_test::CpuInfo();
  static constexpr size_t kFront = 64;

  Counting() : OrtAllocator{} {
    version = ORT_API_VERSION;
    OrtAllocator::Alloc = [](OrtAllocator* self, size_t size) -> void* {
      ++static_cast<Counting*>(self)->live;
      auto* block = static_cast<char*>(std::malloc(kFront + size));
      std::memcpy(block, &size, sizeof size);
      return block + kFront;
    };
    OrtAllocator::Free = [](OrtAllocator* self, void* p) {
      --static_cast<Counting*>(self)->live;
      size_t size = 0;
      std::memcpy(&size, static_cast<char*>(p) - kFront, sizeof size);
      std::memset(p, 0xAB, size);
      std::free(static_cast<char*>(p) - kFront);
    };
    OrtAllocator::Info = [](const OrtAllocator* self) {
      return static_cast<const OrtMemoryInfo*>(static_cast<const Counting*>(self)->where.get());
    };
  }
  Counting(const Counting&) = delete;

  // A tensor of ours whose elements are all `value`.
  Owned<OrtValue> Tensor(std::vector<int64_t> shape, float value) {
    OrtValue* made = nullptr;
    EXPECT_OK(Api().CreateTensorAsOrtValue(this, shape.data(), shape.size(), kFloats, &made));
    void* data = nullptr;
    EXPECT_OK(Api().GetTensorMutableData(made, &data));
    size_t bytes = 0;
    EXPECT_OK(Api().GetTensorSizeInBytes(made, &bytes));
    std::fill_n(static_cast<float*>(data), bytes / sizeof(float), value);
    return {made, Api().ReleaseValue};
  }
};

Owned<OrtIoBinding> NewBinding(OrtSession* session) {
  OrtIoBinding* binding = nullptr;
  EXPECT_OK(Api().CreateIoBinding(session, &binding));
  return {binding, Api().ReleaseIoBinding};
}

// All that a run needs and makes, to be dropped one by one.
struct Everything {
  Everything()
      : env(api_test::NewEnv()),
        options(api_test::NewOptions()),
        x(nullptr, nullptr),
        y(nullptr, nullptr),
        session(nullptr, nullptr),
        binding(nullptr, nullptr),
        allocator(nullptr, nullptr) {
    session = api_test::NewSession(env.get(), SmallModel(), options.get());
    const Owned<OrtMemoryInfo> cpu = api_test::CpuInfo();
    OrtAllocator* made = nullptr;
    EXPECT_OK(Api().CreateAllocator(session.get(), cpu.get(), &made));
    allocator = {made, Api().ReleaseAllocator};
    const int64_t shape[] = {1, 2, 4};
    OrtValue* value = nullptr;
    EXPECT_OK(Api().CreateTensorAsOrtValue(made, shape, 3, kFloats, &value));
    x = {value, Api().ReleaseValue};
    void* data = nullptr;
    EXPECT_OK(Api().GetTensorMutableData(value, &data));
    std::fill_n(static_cast<float*>(data), 8, 1.0f);
    y = RunOne(session.get(), "x", x.get(), "y");
    binding = NewBinding(session.get());
    EXPECT_OK(Api().BindInput(binding.get(), "x", x.get()));
    EXPECT_OK(Api().BindOutputToDevice(binding.get(), "y", cpu.get()));
    EXPECT_OK(Api().RunWithBinding(session.get(), nullptr, binding.get()));
  }

  Owned<OrtEnv> env;
  Owned<OrtSessionOptions> options;
  Owned<OrtValue> x, y;
  Owned<OrtSession> session;
  Owned<OrtIoBinding> binding;
  Owned<OrtAllocator> allocator;
};

// Every order of dropping environment, options, session, input, output, binding and allocator. A
// sanitizer's build, which is slow, takes every seventh.
TEST(Row46, EveryOrderOfDropping) {
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6};
  float expected = 0;
  int count = 0;
  do {
    if (test::kSanitized && count++ % 7 != 0) continue;
    Everything all;
    ASSERT_NE(all.y, nullptr);
    const float first = Data<float>(all.y.get())[0];
    if (expected == 0) expected = first;
    ASSERT_EQ(first, expected);
    for (const int which : order) {
      if (which == 0) all.env.reset();
      if (which == 1) all.session.reset();
      if (which == 2) all.x.reset();
      if (which == 3) all.y.reset();
      if (which == 4) all.binding.reset();
      if (which == 5) all.allocator.reset();
      if (which == 6) all.options.reset();
      if (all.y != nullptr) {
        ASSERT_EQ(Data<float>(all.y.get())[0], expected);
      }
      if (all.x != nullptr) {
        ASSERT_EQ(Data<float>(all.x.get())[7], 1.0f);
      }
      if (all.session != nullptr && all.x != nullptr) {
        ASSERT_NE(RunOne(all.session.get(), "x", all.x.get(), "y"), nullptr);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// Kept to the end of the process, past main and its static objects.
TEST(Row46, ProcessesEndCleanlyWithEverythingAlive) {
  const test::ChildResult child = test::InChild([] {
    static Everything left;
    std::exit(Data<float>(left.y.get())[0] != 0 ? 0 : 3);
    return 4;
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

TEST(CaseA19, OutputsOutliveSessionAndEnvironment) {
  const test::ChildResult child = test::InChild([] {
    Owned<OrtValue> y(nullptr, Api().ReleaseValue);
    float expected = 0;
    {
      std::vector<float> data(8, 1.0f);
      const Loaded model(SmallModel());
      y = model.Run(Wrap(data, kFloats, {1, 2, 4}).get());
      expected = Data<float>(y.get())[5];
    }
    return Data<float>(y.get())[5] == expected ? 0 : 3;
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

TEST(Row47, BindingsNeedNoneOfTheTemporariesTheyWereMadeOf) {
  Counting memory;
  const Loaded model(SmallModel());
  ASSERT_NE(model.session, nullptr);
  {
    const Owned<OrtIoBinding> binding = NewBinding(model.session.get());
    {
      std::string x = "x", y = "y";
      ASSERT_OK(Api().BindInput(binding.get(), x.c_str(), memory.Tensor({1, 2, 4}, 1).get()));
      ASSERT_OK(Api().BindOutputToDevice(binding.get(), y.c_str(), api_test::CpuInfo().get()));
      x.assign("?");
      y.assign("?");
    }
    EXPECT_EQ(memory.live, 1);  // the binding's share of the input
    ASSERT_OK(Api().RunWithBinding(model.session.get(), nullptr, binding.get()));
    OrtValue** values = nullptr;
    size_t count = 0;
    OrtAllocator* allocator = api_test::DefaultAllocator();
    ASSERT_OK(Api().GetBoundOutputValues(binding.get(), allocator, &values, &count));
    ASSERT_EQ(count, 1u);
    std::vector<float> ones(8, 1.0f);
    EXPECT_EQ(Data<float>(values[0])[3],
              Data<float>(model.Run(Wrap(ones, kFloats, {1, 2, 4}).get()).get())[3]);
    Api().ReleaseValue(values[0]);
    EXPECT_OK(Api().AllocatorFree(allocator, values));
  }
  EXPECT_EQ(memory.live, 0);
}

// Values made after a bound one was dropped lie somewhere else: it is still held.
TEST(Row48, ABoundValueThatWasDroppedIsNotOverwritten) {
  const Loaded model(SmallModel());
  ASSERT_NE(model.session, nullptr);
  Counting memory;
  const Owned<OrtIoBinding> binding = NewBinding(model.session.get());
  const void* bound = nullptr;
  {
    const Owned<OrtValue> x = memory.Tensor({1, 2, 4}, 1);
    bound = Data<void>(x.get());
    ASSERT_OK(Api().BindInput(binding.get(), "x", x.get()));
  }
  std::vector<Owned<OrtValue>> later;
  for (int i = 0; i < 100; ++i) {
    later.push_back(memory.Tensor({1, 2, 4}, 1e30f));
    EXPECT_NE(Data<void>(later.back().get()), bound);
  }
  std::vector<float> place(8), ones(8, 1.0f);
  ASSERT_OK(Api().BindOutput(binding.get(), "y", Wrap(place, kFloats, {1, 2, 4}).get()));
  ASSERT_OK(Api().RunWithBinding(model.session.get(), nullptr, binding.get()));
  EXPECT_EQ(place[0], Data<float>(model.Run(Wrap(ones, kFloats, {1, 2, 4}).get()).get())[0]);
}

TEST(Row49, RebindingLetsGoOfWhatWasBoundBefore) {
  const Loaded model(SmallModel());
  ASSERT_NE(model.session, nullptr);
  Counting memory;
  {
    const Owned<OrtIoBinding> binding = NewBinding(model.session.get());
    for (int i = 0; i < 50; ++i) {
      ASSERT_OK(Api().BindInput(binding.get(), "x", memory.Tensor({1, 2, 4}, 1).get()));
      ASSERT_OK(Api().BindOutput(binding.get(), "y", memory.Tensor({1, 2, 4}, 0).get()));
      ASSERT_OK(Api().RunWithBinding(model.session.get(), nullptr, binding.get()));
      EXPECT_EQ(memory.live, 2) << "round " << i;
    }
    Api().ClearBoundInputs(binding.get());
    EXPECT_EQ(memory.live, 1);
    Api().ClearBoundOutputs(binding.get());
    EXPECT_EQ(memory.live, 0);
  }
  EXPECT_EQ(memory.live, 0);
}

}  // namespace
}  // namespace waybill::pains
