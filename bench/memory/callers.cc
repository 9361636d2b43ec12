// bench_callers: runs in a second of one session of one thread, by the number of threads that call
// it. Targets: 32 callers get at least 0.95 of what 2 get (user-pains row 23), as many callers as
// CPUs at least 0.9 of that many alone (row 41).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bench/memory/support/arguments.h"
#include "onnx/model/writer/model_writer.h"
#include "onnxruntime_cxx_api.h"

namespace {

using namespace waybill;  // NOLINT

using Clock = std::chrono::steady_clock;

constexpr int64_t kRows = 16, kFeatures = 32;

// Three products with what lies between them: about 20 us.
std::string Model() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {kRows, kFeatures});
  graph.Initializer(onnx::TensorWriter::Of<float>(
      "w", {kFeatures, kFeatures}, std::vector<float>(kFeatures * kFeatures, 0.03f)));
  std::string last = "x";
  for (int i = 0; i < 3; ++i) {
    const std::string at = std::to_string(i);
    graph.Node("MatMul", {last, "w"}, {"p" + at});
    graph.Node("Tanh", {"p" + at}, {"t" + at});
    last = "t" + at;
  }
  graph.Node("Softmax", {last}, {"y"});
  graph.Output("y", onnx::kFloat, {kRows, kFeatures});
  return model.bytes();
}

// Runs a second of `callers` threads together.
double Throughput(Ort::Session& session, size_t callers, double seconds) {
  std::atomic<bool> go{false}, stop{false};
  std::atomic<uint64_t> runs{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      const auto cpu = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
      std::vector<float> in(kRows * kFeatures, 0.5f), out(in.size());
      const int64_t shape[] = {kRows, kFeatures};
      Ort::Value x = Ort::Value::CreateTensor<float>(cpu, in.data(), in.size(), shape, 2);
      Ort::Value y = Ort::Value::CreateTensor<float>(cpu, out.data(), out.size(), shape, 2);
      const char *input = "x", *output = "y";
      while (!go) std::this_thread::yield();
      uint64_t mine = 0;
      for (; !stop; ++mine) {
        session.Run(Ort::RunOptions{nullptr}, &input, &x, 1, &output, &y, 1);
      }
      runs += mine;
    });
  }
  const auto begin = Clock::now();
  go = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(runs) / std::chrono::duration<double>(Clock::now() - begin).count();
}

int Measure(double seconds) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "callers");
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1);
  const std::string model = Model();
  Ort::Session session(env, model.data(), model.size(), options);
  const size_t cpus = std::max(1u, std::thread::hardware_concurrency());
  std::vector<size_t> counts = {1, 2, 4, 8, 16, 32};
  if (std::find(counts.begin(), counts.end(), cpus) == counts.end()) counts.push_back(cpus);
  std::vector<double> best(counts.size(), 0);
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < counts.size(); ++i) {
      best[i] = std::max(best[i], Throughput(session, counts[i], seconds));
    }
  }
  const auto of = [&](size_t count) {
    return best[static_cast<size_t>(std::find(counts.begin(), counts.end(), count) -
                                    counts.begin())];
  };
  for (size_t i = 0; i < counts.size(); ++i) {
    std::printf("%3zu callers %9.0f runs/s\n", counts[i], best[i]);
  }
  const double many = of(32) / of(2), all = of(cpus) / (static_cast<double>(cpus) * of(1));
  std::printf("32 callers / 2 callers: %.3f (at least 0.95)\n", many);
  std::printf("%zu callers / %zu alone: %.3f (at least 0.9)\n", cpus, cpus, all);
  return many >= 0.95 && all >= 0.9 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0.5;
  bench::Arguments arguments("bench_callers",
                             "Runs in a second of one session, by how many threads call it.");
  arguments.Add("--seconds", seconds, "of each measurement");
  return arguments.Run(argc, argv, [&] { return Measure(seconds); });
}
