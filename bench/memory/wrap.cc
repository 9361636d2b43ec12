// bench_wrap: what it costs to make a value of a caller's buffer and to release it: the same for
// any size, since nothing is copied.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/memory/support/arguments.h"
#include "onnxruntime_c_api.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  const char* name;
  int64_t elems;
  double ns = 1e30;
};

// Nanoseconds for one value, mean of many.
double Measure(const OrtApi& api, const OrtMemoryInfo* cpu, float* data, int64_t elems) {
  constexpr int kValues = 20000;
  const auto begin = Clock::now();
  for (int i = 0; i < kValues; ++i) {
    OrtValue* value = nullptr;
    OrtStatus* failed =
        api.CreateTensorWithDataAsOrtValue(cpu, data, static_cast<size_t>(elems) * sizeof(float),
                                           &elems, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value);
    if (failed != nullptr) std::abort();
    api.ReleaseValue(value);
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kValues;
}

int Measure(double limit) {
  const OrtApi& api = *OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtMemoryInfo* cpu = nullptr;
  if (api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu) != nullptr) return 2;
  Case cases[] = {{"64 B", 16}, {"100 MB", 25'000'000}};
  const std::unique_ptr<float[]> data(new float[25'000'000]);  // not touched: nor is it by values
  // Sizes take turns, so that what disturbs the machine disturbs them alike; the least time counts.
  for (int round = 0; round < 30; ++round) {
    for (Case& c : cases) c.ns = std::min(c.ns, Measure(api, cpu, data.get(), c.elems));
  }
  bool good = true;
  for (const Case& c : cases) {
    std::printf("wrap and release %-6s %6.1f ns (at most %.0f)\n", c.name, c.ns, limit);
    good = good && c.ns <= limit;
  }
  api.ReleaseMemoryInfo(cpu);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  double max_ns = 74;
  waybill::bench::Arguments arguments(
      "bench_wrap", "What it costs to make a value of a caller's buffer and to release it.");
  arguments.Add("--max-ns", max_ns, "it may cost, whatever the size");
  return arguments.Run(argc, argv, [&] { return Measure(max_ns); });
}
