#include "bench/memory/storm_load.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include "bench/e2e/clocks.h"
#include "bench/memory/noise.h"
#include "bench/memory/sessions_support.h"
#include "bench/memory/support/fair_semaphore.h"

namespace waybill::bench {
namespace {

// How often each caller has to run, on average, before the time is over.
constexpr size_t kRunsOfEach = 4;

// The session and what is fed.
class Subject {
 public:
  Subject(const Library& library, const StormLoad& load) : library_(library) {
    const OrtApi& api = library.api();
    OrtSessionOptions* options = nullptr;
    library.Check(api.CreateSessionOptions(&options));
    library.Check(api.CreateSession(library.env(), load.model.c_str(), options, &session_));
    api.ReleaseSessionOptions(options);
    library.Check(api.SessionGetInputName(session_, 0, library.allocator(), &input_));
    library.Check(api.SessionGetOutputName(session_, 0, library.allocator(), &output_));
    const int64_t dims[] = {1, 3, load.side, load.side};
    image_ = Noise().Take(static_cast<size_t>(3 * load.side * load.side));
    OrtMemoryInfo* memory = nullptr;
    library.Check(api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
    library.Check(api.CreateTensorWithDataAsOrtValue(memory, image_.data(),
                                                     image_.size() * sizeof(float), dims, 4,
                                                     ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &fed_));
    api.ReleaseMemoryInfo(memory);
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject() {
    library_.api().ReleaseValue(fed_);
    library_.api().ReleaseSession(session_);
    for (char* name : {input_, output_}) {
      library_.Check(library_.api().AllocatorFree(library_.allocator(), name));
    }
  }

  void Run() const {
    OrtValue* result = nullptr;
    library_.Check(library_.api().Run(session_, nullptr, &input_, &fed_, 1, &output_, 1, &result));
    library_.api().ReleaseValue(result);
  }

 private:
  const Library& library_;
  OrtSession* session_ = nullptr;
  char *input_ = nullptr, *output_ = nullptr;
  std::vector<float> image_;
  OrtValue* fed_ = nullptr;
};

struct Call {
  int64_t begin_ns, end_ns;
};

class Callers {
 public:
  Callers(const Subject& subject, const StormLoad& load)
      : subject_(subject), load_(load), places_(load.at_once), calls_(load.callers) {
    for (size_t i = 0; i < load.callers; ++i) {
      threads_.emplace_back([this, i] { Loop(calls_[i]); });
    }
  }
  bool all_warm() const { return warm_ == threads_.size(); }
  size_t ended() const { return ended_; }  // runs so far
  const std::vector<std::vector<Call>>& Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    return calls_;
  }

 private:
  void Loop(std::vector<Call>& calls) {
    while (!stop_) {
      const int64_t begin_ns = WallNs();
      if (load_.at_once != 0) places_.Acquire();
      subject_.Run();
      if (load_.at_once != 0) places_.Release();
      if (calls.empty()) ++warm_;
      ++ended_;
      calls.push_back({begin_ns, WallNs()});
    }
  }

  const Subject& subject_;
  const StormLoad& load_;
  FairSemaphore places_;
  std::vector<std::vector<Call>> calls_;
  std::atomic<size_t> warm_{0}, ended_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

double Percentile(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(at, sorted.size() - 1)];
}

// CPU time of all processes of the machine so far, this one left out.
double OthersCpuSeconds() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0;
  if (!(file >> cpu >> user >> nice >> system)) throw BenchError("/proc/stat can not be read");
  return (user + nice + system) / static_cast<double>(sysconf(_SC_CLK_TCK)) -
         static_cast<double>(ProcessCpuNs()) / 1e9;
}

}  // namespace

StormFigures MeasureStorm(const StormLoad& load) {
  const Library library("library", load.library);
  const Subject subject(library, load);
  subject.Run();
  const size_t before = Anonymous();
  size_t most = before;
  Callers callers(subject, load);
  const auto look = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    most = std::max(most, ReadBytes("/proc/self/status", "RssAnon:"));
  };
  while (!callers.all_warm()) look();
  const double others_before = OthersCpuSeconds();
  const int64_t from_ns = WallNs();
  const auto least_ns = static_cast<int64_t>(load.seconds * 1e9);
  const size_t enough = callers.ended() + kRunsOfEach * load.callers;
  while (WallNs() < from_ns + least_ns || callers.ended() < enough) look();
  const int64_t until_ns = WallNs();
  const double others_seconds = OthersCpuSeconds() - others_before;
  size_t ended = 0;
  std::vector<double> latencies_ms;
  for (const std::vector<Call>& calls : callers.Stop()) {
    for (const Call& call : calls) {
      if (call.end_ns < from_ns || call.end_ns >= until_ns) continue;
      ++ended;
      if (call.begin_ns < from_ns) continue;
      latencies_ms.push_back(static_cast<double>(call.end_ns - call.begin_ns) / 1e6);
    }
  }
  if (latencies_ms.empty()) throw BenchError("no run ended in time");
  std::sort(latencies_ms.begin(), latencies_ms.end());
  StormFigures figures;
  const auto wall_ns = static_cast<double>(until_ns - from_ns);
  figures.runs_per_second = static_cast<double>(ended) * 1e9 / wall_ns;
  figures.p50_ms = Percentile(latencies_ms, 0.5);
  figures.p99_ms = Percentile(latencies_ms, 0.99);
  figures.growth_mib = Above(most, before);
  figures.others_cpus = std::max(others_seconds * 1e9 / wall_ns, 0.0);
  return figures;
}

}  // namespace waybill::bench
