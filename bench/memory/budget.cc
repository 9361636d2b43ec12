// bench_budget: many threads within a budget that has no room for all of them.
//
// A session of light-densenet121, then a budget of what its weights hold and a little more: so few
// runs fit in at once that the others wait. What is held is read from the pool's own counters, its
// peak included, and beside it from the kernel.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/memory/support/arguments.h"
#include "bench/memory/support/checks.h"
#include "bench/memory/support/process.h"
#include "waybill.hpp"

namespace waybill::bench {
namespace {

using Json = nlohmann::json;

constexpr int64_t kSide = 224;
constexpr double kMB = 1e6;

struct Options {
  std::string data;
  size_t threads = 8, runs = 40;
  double more_mb = 40;
};

class Subject {
 public:
  // The bytes alone decide who waits: how many runs are at work is not limited.
  Subject(Ort::Env& env, const std::string& model) : image_(3 * kSide * kSide) {
    Ort::SessionOptions options;
    options.AddConfigEntry(kWaybillConfigMaxInflight, "0");
    session_ = Ort::Session(env, model.c_str(), options);
    input_ = session_.GetInputNames()[0];
    output_ = session_.GetOutputNames()[0];
    for (size_t i = 0; i < image_.size(); ++i) image_[i] = static_cast<float>(i % 251) / 251 - 0.5f;
  }

  std::vector<float> Run() {
    const auto cpu = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
    const int64_t dims[] = {1, 3, kSide, kSide};
    const auto fed =
        Ort::Value::CreateTensor<float>(cpu, image_.data(), image_.size(), dims, std::size(dims));
    const char *input = input_.c_str(), *output = output_.c_str();
    const auto results = session_.Run(Ort::RunOptions{nullptr}, &input, &fed, 1, &output, 1);
    const float* data = results[0].GetTensorData<float>();
    return {data, data + results[0].GetTensorTypeAndShapeInfo().GetElementCount()};
  }
  size_t slab_bytes() { return GetPlanReport(session_).planned_bytes; }

 private:
  Ort::Session session_{nullptr};
  std::string input_, output_;
  std::vector<float> image_;
};

// The most that was seen.
struct Most {
  uint64_t held = 0, anonymous = 0;
};

// Runs of all threads, while this one looks at what is held. `good` counts those that give
// `wanted`.
Most RunAll(Ort::Env& env, Subject& subject, const Options& options,
            const std::vector<float>& wanted, std::atomic<size_t>& good) {
  std::vector<std::thread> threads;
  std::atomic<size_t> at_work{options.threads};
  for (size_t i = 0; i < options.threads; ++i) {
    threads.emplace_back([&] {
      for (size_t run = 0; run < options.runs; ++run) {
        try {
          if (subject.Run() == wanted) ++good;
        } catch (const std::exception& error) {
          std::fprintf(stderr, "%s\n", error.what());
        }
      }
      --at_work;
    });
  }
  Most most;
  while (at_work != 0) {
    most.held = std::max<uint64_t>(most.held, GetMemoryAccount(env).held_bytes);
    most.anonymous = std::max<uint64_t>(most.anonymous, AnonymousBytes());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (std::thread& thread : threads) thread.join();
  return most;
}

int Measure(const Options& options) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "budget");
  Subject subject(env, options.data + "/models/light-densenet121/model.onnx");
  const uint64_t weights = GetMemoryAccount(env).held_bytes;
  const auto more = static_cast<uint64_t>(options.more_mb * kMB);
  const uint64_t budget = weights + more;
  Ort::ThrowOnError(WaybillEnvSetMemoryBudget(env, budget));
  const uint64_t loaded = AnonymousBytes();
  const std::vector<float> wanted = subject.Run();
  std::atomic<size_t> good{0};
  const Most most = RunAll(env, subject, options, wanted, good);

  const Json memory = Json::parse(MemoryJson(env));
  const Json& queue = memory["admission"];
  const auto mb = [](uint64_t bytes) { return static_cast<double>(bytes) / kMB; };
  std::printf("%zu threads, %zu runs each, a slab of %.2f MB; weights hold %.2f MB, budget %.2f\n",
              options.threads, options.runs, mb(subject.slab_bytes()), mb(weights), mb(budget));
  Checks checks;
  checks.AtMost("budget: most bytes in use", mb(memory["budget"]["peak_bytes"]), mb(budget), "MB");
  checks.AtMost("account: most bytes held", mb(GetMemoryAccount(env).peak_held_bytes), mb(budget),
                "MB");
  checks.AtMost("account: bytes held, the most that was seen", mb(most.held), mb(budget), "MB");
  // Beside what the budget counts there are a stack for each thread and the heap.
  const uint64_t beside = (options.threads << 19) + (4 << 20);
  checks.AtMost("kernel: anonymous bytes above those after the load",
                mb(most.anonymous - std::min(most.anonymous, loaded)), mb(more + beside), "MB");
  checks.AtLeast("runs that ended with the right bits", static_cast<double>(good),
                 static_cast<double>(options.threads * options.runs), "");
  checks.AtLeast("runs that waited", queue["waited"], 1, "");
  checks.AtLeast("runs that waited at once, most", queue["peak_waiting"], 1, "");
  checks.AtMost("runs that were refused", queue["refused"], 0, "");
  return checks.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  using waybill::bench::Arguments;
  waybill::bench::Options options;
  Arguments arguments("bench_budget",
                      "Threads that run light-densenet121 within a budget of its weights and a "
                      "little more: it is never exceeded, they wait, and all of them finish.");
  arguments.Add("--data", options.data, "folder with models/light-densenet121",
                Arguments::Kind::kMust);
  arguments.Add("--threads", options.threads, "that run");
  arguments.Add("--runs", options.runs, "of each thread");
  arguments.Add("--more", options.more_mb, "MB beside what weights hold");
  return arguments.Run(argc, argv, [&] { return waybill::bench::Measure(options); });
}
