// Runs that wait, are refused or let through: budget, order, time limits, runs within runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "memory/buffer/buffer.h"
#include "memory/source/hub.h"
#include "tests/support/session_fixture.h"

namespace waybill::session {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int64_t kRows = 64 << 10;
constexpr size_t kTensorBytes = kRows * 2 * sizeof(float);

// s = x + b, y = s * b + s, over [batch, 2]: some of it in the slab, one output.
onnx::ModelWriter PairModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"batch", 2});
  graph.Initializer(onnx::TensorWriter::Of<float>("b", {2}, {1, -1}));
  graph.Node("Add", {"x", "b"}, {"sum"});
  graph.Node("Mul", {"sum", "b"}, {"product"});
  graph.Node("Add", {"product", "sum"}, {"y"});
  graph.Output("y", onnx::kFloat, {"batch", 2});
  return model;
}

// Does something of the test's before the next block for an output is taken.
class Interrupted : public MemorySource {
 public:
  explicit Interrupted(std::shared_ptr<MemorySource> upstream) : upstream_(std::move(upstream)) {}
  Result<BufferView> Take(size_t bytes, size_t align, MemoryTag tag) override {
    if (tag == MemoryTag::kOutput && next) std::exchange(next, nullptr)();
    return upstream_->Take(bytes, align, tag);
  }
  void Give(BufferView block, MemoryTag tag) noexcept override { upstream_->Give(block, tag); }
  Device device() const override { return upstream_->device(); }

  std::function<void()> next;

 private:
  std::shared_ptr<MemorySource> upstream_;
};

class AdmissionTest : public ::testing::Test {
 protected:
  explicit AdmissionTest() {
    EnvOptions options;
    options.sink = [](Severity, std::string_view, std::string_view, std::string_view,
                      std::string_view) {};
    options.memory_budget_bytes = 0;
    env_ = *Env::Create(std::move(options));
    outputs_ = std::make_shared<Interrupted>(env_->hub().system);
  }

  Result<std::shared_ptr<Session>> TryLoad(const std::map<std::string, std::string>& config = {}) {
    const std::string bytes = PairModel().bytes();
    SessionOptions options = ReferenceOptions();
    options.level = OptLevel::kNone;  // not one fused step
    options.intra_op_threads = 1;
    options.config = config;
    options.output_source = outputs_;
    return Session::LoadBytes(env_, std::as_bytes(std::span(bytes)), false, options);
  }
  // A session whose slabs are those of a large run.
  std::shared_ptr<Session> Load(const std::map<std::string, std::string>& config = {}) {
    auto session = TryLoad(config);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    if (!session.ok()) return nullptr;
    const std::string_view input = "x";
    const Shape shape{kRows, 2};
    slab_bytes_ = (*session)->PlanFor({&input, 1}, {&shape, 1})->planned_bytes;
    EXPECT_GE(slab_bytes_, kTensorBytes);
    return *session;
  }
  // Of one run, its output included.
  size_t Need() const { return slab_bytes_ + kTensorBytes; }

  Status Run(Session& session, RunOptions options = {}) const {
    const std::string_view input = "x", output = "y";
    std::vector<Value> outputs(1);
    return session.Run(options, {&input, 1}, {&x_, 1}, {&output, 1}, outputs);
  }

  size_t InUse() const { return env_->hub().budget->in_use(); }
  // The budget that leaves `bytes` beside what is in use.
  void Leave(size_t bytes) {
    env_->Trim();
    env_->SetMemoryBudget(InUse() + bytes);
  }

  size_t slab_bytes_ = 0;
  std::shared_ptr<Env> env_;
  std::shared_ptr<Interrupted> outputs_;
  const Value x_ = Floats({kRows, 2}, std::vector<float>(2 * kRows, 1));
};

TEST_F(AdmissionTest, ThreadsShareABudgetForOne) {
  const auto session = Load();
  ASSERT_NE(session, nullptr);
  Leave(Need() + (64 << 10));
  const size_t budget = env_->hub().budget->limit();
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id) {
    threads.emplace_back([&] {
      for (int run = 0; run < 10; ++run) {
        const Status status = Run(*session);
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
      ++done;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 8);
  EXPECT_LE(env_->hub().budget->peak(), budget);
  EXPECT_LE(env_->hub().slabs->Stats().peak_bytes_held, budget);
  EXPECT_GT(env_->hub().admission->Stats().waited, 0u);
  EXPECT_EQ(env_->hub().slabs->Stats().bytes_leased, 0u);
}

TEST_F(AdmissionTest, ALargerRunIsRefusedBeforeItsFirstByte) {
  const auto session = Load();
  ASSERT_NE(session, nullptr);
  Leave(Need() - 1);
  const DeviceUse before = env_->hub().ledger->Snapshot()[0];
  const auto start = Clock::now();
  const Status status = Run(*session);
  EXPECT_LT(Clock::now() - start, milliseconds(500));
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  EXPECT_THAT(status.message(), HasSubstr(Format("{} bytes, {} for the slab and {} for outputs",
                                                 Need(), slab_bytes_, kTensorBytes)));
  EXPECT_THAT(status.message(), HasSubstr(Format("{} bytes", env_->hub().budget->limit())));
  EXPECT_THAT(status.message(), HasSubstr("weights hold"));
  EXPECT_EQ(env_->hub().ledger->Snapshot()[0].total, before.total);
  Leave(Need());
  EXPECT_TRUE(Run(*session).ok());
}

// An output that the caller gives needs nothing.
TEST_F(AdmissionTest, BoundOutputsAreNotCounted) {
  const auto session = Load();
  ASSERT_NE(session, nullptr);
  const std::string_view input = "x", output = "y";
  std::vector<Value> outputs = {Floats({kRows, 2}, std::vector<float>(2 * kRows))};
  Leave(slab_bytes_);
  EXPECT_TRUE(session->Run({}, {&input, 1}, {&x_, 1}, {&output, 1}, outputs).ok());
  EXPECT_EQ(outputs[0].tensor()->span<float>()[0], 4.0f);
}

TEST_F(AdmissionTest, TimeLimitsAndCancellation) {
  const auto session = Load();
  ASSERT_NE(session, nullptr);
  Leave(Need());
  Buffer kept = Buffer::Allocate(env_->hub().system, 4096, 64, MemoryTag::kUser).value();
  EXPECT_EQ(Run(*session, {.admission_timeout_ms = 0}).code(), Code::kOutOfMemory);
  EXPECT_EQ(Run(*session, {.admission_timeout_ms = 30}).code(), Code::kOutOfMemory);
  std::atomic<bool> terminate{false};
  Clock::time_point set;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(100));
    set = Clock::now();
    terminate = true;
  });
  const Status status = Run(*session, {.terminate = &terminate});
  const auto ended = Clock::now();
  other.join();
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_LT(ended - set, milliseconds(50));
  std::thread owner([&] {
    std::this_thread::sleep_for(milliseconds(50));
    kept.Reset();
  });
  EXPECT_TRUE(Run(*session).ok());
  owner.join();
}

TEST_F(AdmissionTest, RunsWithinRunsAreNotQueued) {
  const auto session = Load({{"waybill.max_inflight", "1"}});
  ASSERT_NE(session, nullptr);
  ASSERT_TRUE(Run(*session).ok());
  Status inner = Error(Code::kInternal, "not run");
  outputs_->next = [&] { inner = Run(*session, {.admission_timeout_ms = 0}); };
  EXPECT_TRUE(Run(*session).ok());
  EXPECT_TRUE(inner.ok()) << inner.ToString();
}

TEST_F(AdmissionTest, NoMoreAtOnceThanConfigured) {
  const auto one = Load({{"waybill.max_inflight", "1"}});
  const auto any = Load({{"waybill.max_inflight", "0"}});
  const auto by_default = Load();
  ASSERT_TRUE(one != nullptr && any != nullptr && by_default != nullptr);
  Status second, uncounted, counted;
  outputs_->next = [&] {
    std::thread([&] { second = Run(*one, {.admission_timeout_ms = 0}); }).join();
    std::thread([&] { uncounted = Run(*any, {.admission_timeout_ms = 0}); }).join();
    std::thread([&] { counted = Run(*by_default, {.admission_timeout_ms = 0}); }).join();
  };
  EXPECT_TRUE(Run(*one).ok());
  EXPECT_EQ(second.code(), Code::kOutOfMemory);
  EXPECT_TRUE(uncounted.ok()) << uncounted.ToString();
  EXPECT_TRUE(counted.ok()) << "2 x CPUs / 1 are at least 2: " << counted.ToString();
}

TEST_F(AdmissionTest, SettingsOfTheEnv) {
  EXPECT_NE(Load({{"waybill.memory_budget_bytes", "123456789"}}), nullptr);
  EXPECT_EQ(env_->hub().budget->limit(), 123456789u);
  EXPECT_NE(Load({{"waybill.memory_budget_bytes", "0"}}), nullptr);
  EXPECT_FALSE(env_->hub().budget->limited());
  const auto session = Load({{"waybill.idle_trim_ms", "20"}});
  ASSERT_TRUE(Run(*session).ok());
  const auto end = Clock::now() + std::chrono::seconds(5);
  while (env_->hub().slabs->Stats().bytes_held != 0 && Clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(env_->hub().slabs->Stats().bytes_held, 0u);
}

// A session is made when there is room for it; when there will be none, nothing stays of it.
TEST_F(AdmissionTest, LoadsWaitForMemory) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {kRows, 2});
  graph.Initializer(
      onnx::TensorWriter::Of<float>("w", {kRows, 2}, std::vector<float>(2 * kRows, 1)));
  graph.Node("Add", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {kRows, 2});
  const std::string bytes = model.bytes();
  const auto load = [&](SessionOptions options = ReferenceOptions()) {
    return Session::LoadBytes(env_, std::as_bytes(std::span(bytes)), false, std::move(options));
  };
  const size_t before = InUse();
  size_t need = 0;
  {
    const auto session = load();
    ASSERT_TRUE(session.ok());
    need = env_->hub().budget->peak() - before;
  }
  EXPECT_EQ(InUse(), before);
  Leave(need);
  Buffer kept = Buffer::Allocate(env_->hub().system, 4096, 64, MemoryTag::kUser).value();
  const auto refused = load();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::kOutOfMemory);
  EXPECT_THAT(refused.status().message(), HasSubstr("memory budget"));
  EXPECT_EQ(InUse(), before + 4096);
  std::atomic<bool> cancel{false};
  std::thread owner([&] {
    std::this_thread::sleep_for(milliseconds(50));
    cancel = true;
  });
  SessionOptions options = ReferenceOptions();
  options.cancel_load = &cancel;
  EXPECT_EQ(load(options).status().code(), Code::kCancelled);
  owner.join();
  owner = std::thread([&] {
    std::this_thread::sleep_for(milliseconds(50));
    kept.Reset();
  });
  {
    const auto session = load();
    EXPECT_TRUE(session.ok()) << session.status().ToString();
  }
  owner.join();
  // With a limit of its own: not at all, or longer than one without waits for callers alone.
  kept = Buffer::Allocate(env_->hub().system, 4096, 64, MemoryTag::kUser).value();
  options = ReferenceOptions();
  for (const auto& [limit, least, most] : {std::tuple("0", 0, 500), std::tuple("200", 200, 900)}) {
    options.config["waybill.admission_timeout_ms"] = limit;
    const auto start = Clock::now();
    EXPECT_EQ(load(options).status().code(), Code::kOutOfMemory);
    EXPECT_GE(Clock::now() - start, milliseconds(least));
    EXPECT_LT(Clock::now() - start, milliseconds(most));
  }
  options.config["waybill.admission_timeout_ms"] = "10000";
  owner = std::thread([&] {
    std::this_thread::sleep_for(Admission::kGrace + milliseconds(200));
    kept.Reset();
  });
  const auto session = load(options);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  owner.join();
  for (const char* wrong : {"", "-2", "1s"}) {
    options.config["waybill.admission_timeout_ms"] = wrong;
    EXPECT_EQ(load(options).status().code(), Code::kInvalidArgument);
  }
}

TEST_F(AdmissionTest, RunsWaitAsTheirSessionSays) {
  const auto session = Load({{"waybill.admission_timeout_ms", "0"}});
  ASSERT_NE(session, nullptr);
  Leave(Need());
  Buffer kept = Buffer::Allocate(env_->hub().system, 4096, 64, MemoryTag::kUser).value();
  const auto start = Clock::now();
  EXPECT_EQ(Run(*session).code(), Code::kOutOfMemory);
  EXPECT_LT(Clock::now() - start, milliseconds(500));
  std::thread owner([&] {
    std::this_thread::sleep_for(milliseconds(50));
    kept.Reset();
  });
  EXPECT_TRUE(Run(*session, {.admission_timeout_ms = -1}).ok());
  owner.join();
}

// Everything at once: what the thread sanitizer looks at, and that nothing is lost or left waiting.
TEST_F(AdmissionTest, ThreadsDoAllOfItAtRandom) {
  const auto shared = Load({{"waybill.idle_trim_ms", "5"}});
  ASSERT_NE(shared, nullptr);
  Leave(3 * Need());
  std::atomic<bool> cancels[4] = {};
  std::atomic<int> wrong{0};
  const auto end = Clock::now() + milliseconds(1500);
  std::vector<std::thread> threads;
  for (uint32_t id = 0; id < 8; ++id) {
    threads.emplace_back([&, id] {
      std::mt19937 random(id);
      std::shared_ptr<Session> own;
      while (Clock::now() < end) {
        const RunOptions options{.trim = random() % 16 == 0,
                                 .terminate = &cancels[id % 4],
                                 .admission_timeout_ms = static_cast<int64_t>(random() % 50)};
        switch (random() % 8) {
          case 0:
            env_->Trim();
            break;
          case 1:
            cancels[random() % 4] = random() % 2 == 0;
            break;
          case 2:
            own = nullptr;
            if (auto loaded = TryLoad(); loaded.ok()) own = *loaded;
            break;
          default: {
            const Status status = Run(own != nullptr ? *own : *shared, options);
            wrong += !status.ok() && status.code() != Code::kOutOfMemory &&
                     status.code() != Code::kCancelled;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(env_->hub().budget->in_use(), env_->hub().budget->limit());
  EXPECT_EQ(env_->hub().admission->Stats().waiting, 0u);
  for (auto& cancel : cancels) cancel = false;
  EXPECT_TRUE(Run(*shared).ok());
  env_->Trim();
  EXPECT_EQ(env_->hub().slabs->Stats().bytes_held, 0u);
}

}  // namespace
}  // namespace waybill::session
