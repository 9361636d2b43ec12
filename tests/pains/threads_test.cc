// Threads: how many there are, what they cost while idle, and callers that come at once.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "parallel/topology/usable_cpus.h"
#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "waybill.h"

namespace waybill::pains {
namespace {

// Enough work for every thread that a session may use.
std::string WideModel() { return ConvModel(8, 16, 96); }
constexpr int64_t kElems = 8 * 96 * 96;

Owned<OrtValue> WideInput(std::vector<float>& data) {
  data.assign(kElems, 0.5f);
  return Wrap(data, kFloats, {1, 8, 96, 96});
}

void SleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

TEST(Row36, IdleSessionsUseNoCpu) {
  std::vector<float> data;
  const Owned<OrtValue> x = WideInput(data);
  const Loaded one(WideModel(), 4), two(WideModel(), 4);
  for (int i = 0; i < 5; ++i) {
    one.Run(x.get());
    two.Run(x.get());
  }
  SleepMs(50);
  const double before = test::CpuSeconds();
  SleepMs(10000);
  EXPECT_LT(test::CpuSeconds() - before, 0.010);
}

// Threads that spin while another session works would cost CPU time that runs alone do not: 5 % at
// most are meant. What a neighbour on the machine costs comes and goes, so it is the best of
// rounds, as many as it takes, each of as many runs; 10 % more are left to what remains.
TEST(Row36, SessionsInTurnCostTheSumOfEachAlone) {
  if (test::kSanitized) GTEST_SKIP() << "time of a sanitizer's build is its own";
  std::vector<float> data;
  const Owned<OrtValue> x = WideInput(data);
  const Loaded one(WideModel(), 2), two(WideModel(), 2);
  const auto cost = [&](const Loaded& first, const Loaded& second) {
    const double before = test::CpuSeconds();
    for (int i = 0; i < 15; ++i) {
      first.Run(x.get());
      second.Run(x.get());
    }
    return test::CpuSeconds() - before;
  };
  cost(one, two);
  double one_alone = 1e9, two_alone = 1e9, in_turn = 1e9;
  const auto limit = [&] { return 1.15 * (one_alone + two_alone) / 2; };
  for (int round = 0; round < 100 && (round < 5 || in_turn > limit()); ++round) {
    one_alone = std::min(one_alone, cost(one, one));
    two_alone = std::min(two_alone, cost(two, two));
    in_turn = std::min(in_turn, cost(one, two));
  }
  EXPECT_LE(in_turn, limit());
}

// What threads do after a run is over in microseconds, whatever the machine: less than 200 of CPU
// time for each of the four.
TEST(Row36, ThreadsSpinForMicrosecondsAfterARun) {
  if (test::kSanitized) GTEST_SKIP() << "time of a sanitizer's build is its own";
  std::vector<float> data;
  const Owned<OrtValue> x = WideInput(data);
  const Loaded model(WideModel(), 4);
  double least = 1e9;
  for (int i = 0; i < 50; ++i) {
    const Owned<OrtValue> y = model.Run(x.get());
    const double before = test::CpuSeconds();
    SleepMs(10);
    least = std::min(least, test::CpuSeconds() - before);
  }
  EXPECT_LT(least, 4 * 200e-6);
}

TEST(Row37, OnOneCpuThereIsOneThreadAndNoWord) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  const test::ChildResult child = test::InChild([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 2;
    std::vector<float> data;
    const Owned<OrtValue> x = WideInput(data);
    OrtEnv* env = nullptr;
    if (Api().CreateEnv(ORT_LOGGING_LEVEL_WARNING, "t", &env) != nullptr) return 3;
    {
      // The thread that gives idle memory back, which sleeps, is not meant.
      const Owned<OrtSessionOptions> options = OptionsWith(0, {{kWaybillConfigIdleTrimMs, "0"}});
      const Owned<OrtSession> session = api_test::NewSession(env, WideModel(), options.get());
      const size_t before = test::ThreadCount();
      if (RunOne(session.get(), "x", x.get(), "y") == nullptr) return 4;
      if (test::ThreadCount() != before) return 5;
      cpu_set_t after;
      sched_getaffinity(0, sizeof after, &after);
      if (!CPU_EQUAL(&one, &after)) return 6;
    }
    Api().ReleaseEnv(env);
    return 0;
  });
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.output, "");
}

TEST(Row37, AffinityIsNeverSet) {
  cpu_set_t before, during;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<float> data;
  const Owned<OrtValue> x = WideInput(data);
  const Loaded model(WideModel(), 0);
  model.Run(x.get());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const int id = std::stoi(task.path().filename().string());
    if (sched_getaffinity(id, sizeof during, &during) != 0) continue;  // it ended meanwhile
    EXPECT_TRUE(CPU_EQUAL(&before, &during)) << "thread " << id;
  }
}

// The quota of the control group; the files of a group with cpu.max = 200000 100000.
TEST(Row38, ThreadsAreTheSmallerOfAffinityAndQuota) {
  const test::TempDir root;
  root.Write("proc/self/cgroup", "0::/box\n");
  root.Write("sys/fs/cgroup/box/cpu.max", "200000 100000\n");
  const std::string path = root.path().string();
  EXPECT_EQ(UsableCpus(path), std::min<size_t>(AffinityCpus(), 2));
  root.Write("sys/fs/cgroup/box/cpu.max", "150000 100000\n");
  EXPECT_EQ(UsableCpus(path), std::min<size_t>(AffinityCpus(), 2)) << "1.5 rounded up";
  root.Write("sys/fs/cgroup/box/cpu.max", "50000 100000\n");
  EXPECT_EQ(UsableCpus(path), 1u);
  root.Write("sys/fs/cgroup/box/cpu.max", "max 100000\n");
  EXPECT_EQ(UsableCpus(path), AffinityCpus());
}

TEST(CaseA15, QuotaOfTwoCpusAndAMaskOfOne) {
  const test::TempDir root;
  root.Write("proc/self/cgroup", "0::/\n");
  root.Write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  const std::string path = root.path().string();
  EXPECT_LE(UsableCpus(path), 2u);
  std::thread([&] {  // a mask is a thread's own
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(UsableCpus(path), 1u);
  })
      .join();
}

// How many threads a process has after a run that is wide enough for all, with `cpus` CPUs allowed.
int ThreadsOnCpus(size_t cpus) {
  const test::ChildResult child = test::InChild([&] {
    cpu_set_t all, some;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 200;
    CPU_ZERO(&some);
    for (int cpu = 0; cpu < CPU_SETSIZE && static_cast<size_t>(CPU_COUNT(&some)) < cpus; ++cpu) {
      if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &some);
    }
    if (sched_setaffinity(0, sizeof some, &some) != 0) return 201;
    std::vector<float> data;
    const Owned<OrtValue> x = WideInput(data);
    // The thread that gives idle memory back, which sleeps, is not meant.
    const Loaded model(WideModel(), 0, {{kWaybillConfigIdleTrimMs, "0"}});
    for (int i = 0; i < 5; ++i) {
      if (model.Run(x.get()) == nullptr) return 202;
    }
    return static_cast<int>(test::ThreadCount());
  });
  EXPECT_EQ(child.output, "");
  return child.exit_code;
}

TEST(CaseA15, APoolHasAThreadForEachUsableCpu) {
  const size_t usable = UsableCpus();
  for (size_t cpus = 1; cpus <= std::min<size_t>(AffinityCpus(), 4); ++cpus) {
    EXPECT_EQ(ThreadsOnCpus(cpus), static_cast<int>(std::min(cpus, usable)));
  }
}

TEST(Row39, AThousandSessionsAddNoThreads) {
  const std::string model = PerceptronModel(4, 4);
  std::vector<float> wide, data(4, 1.0f);
  const Owned<OrtValue> wide_x = WideInput(wide), x = Wrap(data, kFloats, {1, 1, 4});
  const Loaded first(WideModel(), 4);
  for (int i = 0; i < 5; ++i) first.Run(wide_x.get());
  const size_t before = test::ThreadCount();
  std::vector<Owned<OrtSession>> sessions;
  const Owned<OrtSessionOptions> options = OptionsWith(4);
  for (int i = 0; i < 1000; ++i) {
    sessions.push_back(api_test::NewSession(first.env.get(), model, options.get()));
    ASSERT_NE(sessions.back(), nullptr);
    ASSERT_NE(RunOne(sessions.back().get(), "x", x.get(), "y"), nullptr);
  }
  EXPECT_EQ(test::ThreadCount(), before);
}

// A child that was forked after a run may run and drop everything.
TEST(Row40, AForkedChildRunsAndDrops) {
  std::vector<float> data;
  const Owned<OrtValue> x = WideInput(data);
  auto model = std::make_unique<Loaded>(WideModel(), 2);
  Owned<OrtValue> y(nullptr, Api().ReleaseValue);
  for (int i = 0; i < 5; ++i) y = model->Run(x.get());
  const float expected = Data<float>(y.get())[1234];
  const test::ChildResult child = test::InChild(
      [&] {
        for (int i = 0; i < 5; ++i) {
          if (Data<float>(model->Run(x.get()).get())[1234] != expected) return 2;
        }
        if (Loaded(WideModel(), 2).Run(x.get()) == nullptr) return 3;
        y.reset();
        model.reset();
        return 0;
      },
      test::kSanitized ? 60 : 5);
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(Data<float>(model->Run(x.get()).get())[1234], expected) << "the parent goes on";
}

// Callers of one session that have a thread each wait for nobody: a lock that they take in turn
// shows as threads that give up their CPU. (How many runs there are in a second is for
// bench_callers.) The share of runs in which one does.
double SharesThatWait(int threads, int runs) {
  const Loaded model(PerceptronModel(32, 64));
  std::atomic<int64_t> gave_up{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < threads; ++i) {
    callers.emplace_back([&] {
      std::vector<float> in(32 * 32, 0.5f), out(32 * 32);
      const Owned<OrtValue> x = Wrap(in, kFloats, {1, 32, 32}), y = Wrap(out, kFloats, {1, 32, 32});
      const char *input = "x", *output = "y";
      const OrtValue* given = x.get();
      OrtValue* place = y.get();
      rusage before = {}, after = {};
      for (int run = 0; run < runs; ++run) {
        if (run == runs / 10) getrusage(RUSAGE_THREAD, &before);
        ASSERT_OK(Api().Run(model.session.get(), nullptr, &input, &given, 1, &output, 1, &place));
      }
      getrusage(RUSAGE_THREAD, &after);
      gave_up += after.ru_nvcsw - before.ru_nvcsw;
    });
  }
  for (std::thread& caller : callers) caller.join();
  return static_cast<double>(gave_up) / (threads * runs);
}

TEST(Row23, ThirtyTwoCallersWaitForNoLock) {
  if (test::kSanitized) GTEST_SKIP() << "locks of a sanitizer's build are its own";
  EXPECT_LT(SharesThatWait(32, 1000), 0.01);
}

TEST(Row41, CallersWaitForNoLock) {
  if (test::kSanitized) GTEST_SKIP() << "locks of a sanitizer's build are its own";
  EXPECT_LT(SharesThatWait(8, 500), 0.01);
  EXPECT_LT(SharesThatWait(static_cast<int>(AffinityCpus()), 2000), 0.01);
}

TEST(Row44, SessionsMadeByManyThreadsAtOnce) {
  const Owned<OrtEnv> env = api_test::NewEnv();
  const std::string models[] = {PerceptronModel(4, 6), ConvModel(2, 3, 8), PerceptronModel(4, 7)};
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 4; ++i) {
        const int which = (t + i) % 3;
        const Owned<OrtEnv> own = api_test::NewEnv();
        const Owned<OrtSession> session = api_test::NewSession(own.get(), models[which]);
        std::vector<float> data(2 * 8 * 8, 1.0f);
        const std::vector<int64_t> shape =
            which == 1 ? std::vector<int64_t>{1, 2, 8, 8} : std::vector<int64_t>{1, 32, 4};
        if (RunOne(session.get(), "x", Wrap(data, kFloats, shape).get(), "y") != nullptr) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 64);
}

// A run that would take hours ends soon after it is told to.
class Row45 : public ::testing::Test {
 protected:
  Row45() : model_(LoopModel(int64_t{1} << 40)), data_(64 * 64, 0.5f) {
    EXPECT_OK(Api().CreateRunOptions(&options_));
    runner_ = std::thread([this] {
      const Owned<OrtValue> x = Wrap(data_, kFloats, {64, 64});
      const char *in = "x", *out = "y";
      const OrtValue* given = x.get();
      OrtValue* y = nullptr;
      OrtSession* const session = model_.session.get();
      started_ = true;
      result_ =
          std::make_unique<Outcome>(Api().Run(session, options_, &in, &given, 1, &out, 1, &y));
      Api().ReleaseValue(y);
      ended_ = true;
    });
    while (!started_) SleepMs(1);
    SleepMs(20);
  }
  ~Row45() override {
    if (runner_.joinable()) runner_.join();
    Api().ReleaseRunOptions(options_);
  }

  Loaded model_;
  std::vector<float> data_;
  OrtRunOptions* options_ = nullptr;
  std::unique_ptr<Outcome> result_;
  std::atomic<bool> started_{false}, ended_{false};
  std::thread runner_;
};

TEST_F(Row45, CancellingEndsTheRunWithinANode) {
  EXPECT_FALSE(ended_);
  const double before = test::CpuSeconds();
  EXPECT_OK(Api().RunOptionsSetTerminate(options_));
  runner_.join();
  EXPECT_LT(test::CpuSeconds() - before, test::kSanitized ? 1.0 : 0.050);
  EXPECT_TRUE(result_->Says(ORT_FAIL, "Exiting due to terminate flag being set to true."))
      << *result_;
}

// Two runs of one session, each with its flag: the old one's ends the old one and no later run.
TEST(Row45Flags, EndTheirOwnRunOnly) {
  const Loaded model(LoopModel(std::nullopt));
  ASSERT_NE(model.session, nullptr);
  std::vector<float> data(64 * 64, 0.5f);
  const Owned<OrtValue> x = Wrap(data, kFloats, {64, 64});
  const auto run = [&](int64_t count, const OrtRunOptions* options) {
    std::vector<int64_t> trips = {count};
    const Owned<OrtValue> given = Wrap(trips, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {});
    const char *in[] = {"x", "trips"}, *out = "y";
    const OrtValue* inputs[] = {x.get(), given.get()};
    OrtValue* y = nullptr;
    Outcome outcome(Api().Run(model.session.get(), options, in, inputs, 2, &out, 1, &y));
    Api().ReleaseValue(y);
    return outcome;
  };
  OrtRunOptions *old_options = nullptr, *new_options = nullptr;
  ASSERT_OK(Api().CreateRunOptions(&old_options));
  ASSERT_OK(Api().CreateRunOptions(&new_options));
  std::atomic<bool> new_ended{false};
  const auto expect_cancelled = [](const Outcome& outcome) {
    EXPECT_TRUE(outcome.Says(ORT_FAIL, "terminate flag")) << outcome;
  };
  std::thread old_run([&] { expect_cancelled(run(int64_t{1} << 40, old_options)); });
  SleepMs(20);
  std::thread new_run([&] {
    expect_cancelled(run(int64_t{1} << 40, new_options));
    new_ended = true;
  });
  SleepMs(20);
  EXPECT_OK(Api().RunOptionsSetTerminate(old_options));
  old_run.join();
  // The flag stays set; runs without it, or with one of their own, do not see it.
  EXPECT_EQ(run(2, nullptr).code, ORT_OK);
  SleepMs(50);
  EXPECT_FALSE(new_ended);
  expect_cancelled(run(int64_t{1} << 40, old_options));
  EXPECT_OK(Api().RunOptionsUnsetTerminate(old_options));
  EXPECT_EQ(run(2, old_options).code, ORT_OK);
  EXPECT_FALSE(new_ended);
  EXPECT_OK(Api().RunOptionsSetTerminate(new_options));
  new_run.join();
  Api().ReleaseRunOptions(old_options);
  Api().ReleaseRunOptions(new_options);
}

TEST_F(Row45, ReleasingTheSessionDuringTheRunIsSafe) {
  model_.session.reset();
  model_.env.reset();
  SleepMs(20);
  EXPECT_FALSE(ended_) << "the run goes on";
  EXPECT_OK(Api().RunOptionsSetTerminate(options_));
  runner_.join();
  EXPECT_TRUE(result_->Says(ORT_FAIL, "terminate flag")) << *result_;
}

// A binding belongs to its run: a second run and any change are refused, releasing it waits.
TEST(Row45Bindings, InUseAreRefusedAndReleasingThemWaits) {
  const Loaded model(LoopModel(int64_t{1} << 40));
  std::vector<float> data(64 * 64, 0.5f);
  const Owned<OrtValue> x = Wrap(data, kFloats, {64, 64});
  const Owned<OrtMemoryInfo> cpu = api_test::CpuInfo();
  OrtRunOptions* options = nullptr;
  ASSERT_OK(Api().CreateRunOptions(&options));
  OrtIoBinding* binding = nullptr;
  ASSERT_OK(Api().CreateIoBinding(model.session.get(), &binding));
  ASSERT_OK(Api().BindInput(binding, "x", x.get()));
  ASSERT_OK(Api().BindOutputToDevice(binding, "y", cpu.get()));
  const auto refused = [](const Outcome& outcome) {
    return outcome.Says(ORT_FAIL, "the binding is in use");
  };
  std::thread runner([&] {
    const auto run = [&] {
      return Outcome(Api().RunWithBinding(model.session.get(), options, binding));
    };
    Outcome outcome = run();
    while (refused(outcome)) outcome = run();  // by the call below, as long as nothing runs
    EXPECT_TRUE(outcome.Says(ORT_FAIL, "terminate flag")) << outcome;
  });
  while (!refused(Api().BindInput(binding, "x", x.get()))) SleepMs(1);
  EXPECT_TRUE(refused(Api().RunWithBinding(model.session.get(), options, binding)));
  EXPECT_TRUE(refused(Api().BindOutput(binding, "y", x.get())));
  EXPECT_TRUE(refused(Api().BindOutputToDevice(binding, "y", cpu.get())));
  OrtValue** values = nullptr;
  size_t count = 0;
  OrtAllocator* allocator = api_test::DefaultAllocator();
  EXPECT_TRUE(refused(Api().GetBoundOutputValues(binding, allocator, &values, &count)));
  char* names = nullptr;
  size_t* lengths = nullptr;
  EXPECT_TRUE(refused(Api().GetBoundOutputNames(binding, allocator, &names, &lengths, &count)));
  std::thread canceller([&] {
    SleepMs(50);
    EXPECT_OK(Api().RunOptionsSetTerminate(options));
  });
  Api().ReleaseIoBinding(binding);
  canceller.join();
  runner.join();
  Api().ReleaseRunOptions(options);
}

// Nothing is written to stdout or stderr by loading, running and ending. Not shown here: importing
// from Python, and a machine with a DRM card that has no vendor file, of which the case speaks;
// this library looks for no device but the CPU.
TEST(CaseA17, NotAWord) {
  const test::ChildResult child = test::InChild([] {
    OrtEnv* env = nullptr;
    if (Api().CreateEnv(ORT_LOGGING_LEVEL_WARNING, "t", &env) != nullptr) return 2;
    {
      std::vector<float> data;
      const Owned<OrtValue> x = WideInput(data);
      const Owned<OrtSession> session = api_test::NewSession(env, WideModel());
      if (RunOne(session.get(), "x", x.get(), "y") == nullptr) return 3;
    }
    Api().ReleaseEnv(env);
    return 0;
  });
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.output, "");
}

}  // namespace
}  // namespace waybill::pains
