// bench_sessions: what sessions of one model cost beyond the first.
//
// Of a libonnxruntime.so, ours or another one. Models: light-resnet50 of the data, and some that
// are written here: an MLP of 100 MiB of weights, inline, in a file beside it and from memory, and
// convolutions whose weights are scaled while loading.
// Each model has a process of its own; with --processes it has that many, which share a file of
// packed weights (Waybill's own setting). Anonymous memory is what the kernel counts in
// /proc/self/smaps_rollup; its peak is sampled.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/e2e/library.h"
#include "bench/memory/sessions_processes.h"
#include "bench/memory/sessions_support.h"
#include "bench/memory/support/arguments.h"
#include "bench/memory/support/checks.h"

namespace waybill::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string library, data;
  int sessions = 8, cycles = 500;
  int processes = 0;  // 0: sessions of one process
  bool report = false;
};

// The most anonymous memory while it lives, as often as the file can be read.
class Peak {
 public:
  Peak() : thread_([this] { Sample(); }) {
    while (bytes_ == 0) std::this_thread::yield();
  }
  ~Peak() { Stop(); }
  size_t Stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
    return bytes_;
  }

 private:
  void Sample() {
    while (!done_) {
      bytes_ = std::max<size_t>(bytes_, ReadBytes("/proc/self/status", "RssAnon:"));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  std::atomic<bool> done_{false};
  std::atomic<size_t> bytes_{0};
  std::thread thread_;
};

// Several sessions at once.
void MeasureSessions(const Library& library, const Model& model, int count, Checks& checks) {
  const double weights = static_cast<double>(model.weight_bytes) / kMiB;
  const std::string bytes = model.from_memory ? ReadFile(model.path) : std::string();
  std::vector<Session> sessions;
  Peak peak;
  const size_t before = Anonymous();
  sessions.push_back(Create(library, model, bytes));
  const double most = Above(peak.Stop(), before);
  const size_t first = Anonymous();
  const double held = Above(first, before);
  checks.AtMost("session 1: anonymous memory", held, 1.1 * weights, "MiB");
  // What comes from memory is copied, so that one tensor is there twice while it is packed.
  const double twice = model.from_memory ? static_cast<double>(model.largest_bytes) / kMiB : 0;
  checks.AtMost("session 1: peak while it loads", most, 1.05 * held + 8 + twice, "MiB");
  size_t last = first;
  double added = 0;
  for (int i = 1; i < count; ++i) {
    sessions.push_back(Create(library, model, bytes));
    const size_t now = Anonymous();
    added = std::max(added, Above(now, last));
    last = now;
  }
  checks.AtMost("sessions 2 and on: anonymous memory, at most", added, 2, "MiB");
  for (const Session& session : sessions) Run(library, session.handle);
  for (const Session& session : sessions) library.api().ReleaseSession(session.handle);
}

// The least of a few: others may use the machine.
double LeastSeconds(const Library& library, const Model& model, const std::string& bytes) {
  double least = 1e9;
  for (int i = 0; i < 7; ++i) {
    const Session session = Create(library, model, bytes);
    least = std::min(least, session.seconds);
    library.api().ReleaseSession(session.handle);
  }
  return least;
}

void MeasureLoads(const Library& library, const Model& model, Checks& checks) {
  const std::string bytes = model.from_memory ? ReadFile(model.path) : std::string();
  const double first = LeastSeconds(library, model, bytes);
  const Session held = Create(library, model, bytes);
  const double second = LeastSeconds(library, model, bytes);
  library.api().ReleaseSession(held.handle);
  std::printf("  %-58s %10.2f ms, then %.3f ms\n", "load times, the least of 7", first * 1e3,
              second * 1e3);
  // Bytes from memory have to be read to know them again.
  if (!model.from_memory) checks.AtLeast("load 1 / load 2", first / second, 10, "x");
  if (model.plain) {
    const double bytes_loaded = static_cast<double>(model.weight_bytes);
    checks.AtLeast("load 1: weights", bytes_loaded / first / 1e9, 1, "GB/s");
  }
}

// Sessions that come and go.
void MeasureCycles(const Library& library, const Model& model, int cycles, Checks& checks) {
  const std::string bytes = model.from_memory ? ReadFile(model.path) : std::string();
  size_t first = 0;
  for (int i = 0; i < cycles; ++i) {
    const Session session = Create(library, model, bytes);
    Run(library, session.handle);
    library.api().ReleaseSession(session.handle);
    if (i == 0) first = Anonymous();
  }
  checks.AtMost(std::to_string(cycles) + " x (create, run, drop): growth",
                Above(Anonymous(), first), 2, "MiB");
}

// In a process of its own, which loads the library: what one model leaves is no other's.
enum class What { kSessions, kLoads, kCycles };

int InChild(const Options& options, const Model& model, What what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int code = 2;
    try {
      const Library library("library", options.library);
      Checks checks;
      switch (what) {
        case What::kSessions:
          MeasureSessions(library, model, options.sessions, checks);
          break;
        case What::kLoads:
          MeasureLoads(library, model, checks);
          break;
        case What::kCycles:
          MeasureCycles(library, model, options.cycles, checks);
          break;
      }
      code = checks.all_met() || options.report ? 0 : 1;
    } catch (const std::exception& error) {
      std::printf("  failed: %s\n", error.what());
    }
    std::fflush(stdout);
    _exit(code);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return 2;
  return WEXITSTATUS(status);
}

// light-resnet50 and those that are written into `folder`.
std::vector<Model> MakeModels(const Options& options, const fs::path& folder) {
  std::vector<Model> models;
  Model resnet;
  resnet.name = "light-resnet50";
  resnet.path = options.data + "/models/light-resnet50/model.onnx";
  resnet.weight_bytes = 25'557'032 * sizeof(float);  // parameters
  models.push_back(resnet);
  models.push_back(WriteMlp(folder, "mlp-inline", false));
  models.push_back(WriteMlp(folder, "mlp-external", true));
  models[1].plain = models[2].plain = true;
  models[1].largest_bytes = models[1].weight_bytes / 5;
  models.push_back(WriteConvolutions(folder, "scaled-convolutions"));
  models.push_back(models[1]);
  models.back().name = "mlp-from-memory";
  models.back().from_memory = true;
  models.back().plain = false;
  return models;
}

// Here itself: this process has loaded no library.
int InProcesses(const Options& options, const Model& model, const fs::path& folder) {
  const fs::path packed = folder / (model.name + "-packed");
  fs::create_directory(packed);
  try {
    Checks checks;
    MeasureProcesses(options.library, model, options.processes, packed.string(), checks);
    return checks.all_met() || options.report ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("  failed: %s\n", error.what());
    return 2;
  }
}

int MeasureAll(const Options& options) {
  const fs::path folder =
      fs::temp_directory_path() / ("bench_sessions." + std::to_string(getpid()));
  fs::create_directory(folder);
  const std::vector<Model> models = MakeModels(options, folder);
  int worst = 0;
  for (const Model& model : models) {
    const bool one = options.processes == 0;
    std::printf("%s: %.2f MiB of weights, %d %s\n", model.name.c_str(),
                static_cast<double>(model.weight_bytes) / kMiB,
                one ? options.sessions : options.processes, one ? "sessions" : "processes");
    if (!one) {
      worst = std::max(worst, InProcesses(options, model, folder));
      continue;
    }
    worst = std::max(worst, InChild(options, model, What::kSessions));
    worst = std::max(worst, InChild(options, model, What::kLoads));
    if (&model == &models[0]) worst = std::max(worst, InChild(options, model, What::kCycles));
  }
  fs::remove_all(folder);
  return worst;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  using waybill::bench::Arguments;
  waybill::bench::Options options;
  Arguments arguments("bench_sessions",
                      "What sessions of one model cost beyond the first: memory and time; with "
                      "--processes, sessions of several processes.");
  arguments.Add("LIBRARY", options.library, "a libonnxruntime.so", Arguments::Kind::kMust);
  arguments.Add("--data", options.data, "folder with models/light-resnet50",
                Arguments::Kind::kMust);
  arguments.Add("--sessions", options.sessions, "of a process");
  arguments.Add("--cycles", options.cycles, "of creating, running and dropping one");
  arguments.Add("--processes", options.processes, "that share a file of packed weights");
  arguments.Add("--report", options.report, "missing a target is no failure");
  return arguments.Run(argc, argv, [&] { return waybill::bench::MeasureAll(options); });
}
