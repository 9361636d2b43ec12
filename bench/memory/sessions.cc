// bench_sessions: what sessions of one model cost beyond the first.
//
//   bench_sessions LIBRARY --data DIR [--sessions N] [--cycles N] [--report]
//
// LIBRARY is a libonnxruntime.so, ours or another one. Models: light-resnet50 of DIR, and some that
// are written here: an MLP of 100 MiB of weights, inline, in a file beside it and from memory, and
// convolutions whose weights are scaled while loading.
// Each model has a process of its own. Anonymous memory is what the kernel counts in
// /proc/self/smaps_rollup; its peak is sampled. Exit code 1: a target is missed (--report: never);
// 2: the arguments are wrong or something failed.
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
#include "onnx/model/writer/model_writer.h"

namespace waybill::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kMiB = 1024.0 * 1024.0;

struct Arguments {
  std::string library, data;
  int sessions = 8, cycles = 500;
  bool report = false;
};

// A number of kB from a file of /proc.
size_t ReadBytes(const char* path, const char* key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) return std::stoull(line.substr(std::strlen(key))) * 1024;
  }
  return 0;
}

size_t Anonymous() { return ReadBytes("/proc/self/smaps_rollup", "Anonymous:"); }

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

struct Model {
  std::string name, path;
  size_t weight_bytes = 0;
  bool from_memory = false;
  bool plain = false;  // its weights are in files and are packed as they are
  size_t largest_bytes = 0;
};

// One line: a figure beside its target.
class Checks {
 public:
  void AtMost(const std::string& what, double value, double most, const char* unit) {
    Line(what, value, unit, value <= most, "<=", most);
  }
  void AtLeast(const std::string& what, double value, double least, const char* unit) {
    Line(what, value, unit, value >= least, ">=", least);
  }
  bool all_met() const { return all_met_; }

 private:
  void Line(const std::string& what, double value, const char* unit, bool met, const char* relation,
            double target) {
    std::printf("  %-58s %10.2f %-4s (%s %.2f)%s\n", what.c_str(), value, unit, relation, target,
                met ? "" : "  MISSED");
    all_met_ = all_met_ && met;
  }
  bool all_met_ = true;
};

struct Session {
  OrtSession* handle = nullptr;
  double seconds = 0;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Session Create(const Library& library, const Model& model, const std::string& bytes) {
  const OrtApi& api = library.api();
  OrtSessionOptions* options = nullptr;
  library.Check(api.CreateSessionOptions(&options));
  library.Check(api.SetIntraOpNumThreads(options, 1));
  Session out;
  const auto start = Clock::now();
  if (model.from_memory) {
    library.Check(api.CreateSessionFromArray(library.env(), bytes.data(), bytes.size(), options,
                                             &out.handle));
  } else {
    library.Check(api.CreateSession(library.env(), model.path.c_str(), options, &out.handle));
  }
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  api.ReleaseSessionOptions(options);
  return out;
}

// One run on zeros; unknown dimensions are 1. All inputs are float.
void Run(const Library& library, OrtSession* session) {
  const OrtApi& api = library.api();
  OrtAllocator* allocator = library.allocator();
  char *input = nullptr, *output = nullptr;
  library.Check(api.SessionGetInputName(session, 0, allocator, &input));
  library.Check(api.SessionGetOutputName(session, 0, allocator, &output));
  OrtTypeInfo* type = nullptr;
  library.Check(api.SessionGetInputTypeInfo(session, 0, &type));
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  library.Check(api.CastTypeInfoToTensorInfo(type, &info));
  size_t rank = 0;
  library.Check(api.GetDimensionsCount(info, &rank));
  std::vector<int64_t> dims(rank);
  library.Check(api.GetDimensions(info, dims.data(), rank));
  size_t elems = 1;
  for (int64_t& dim : dims) elems *= static_cast<size_t>(dim = std::max<int64_t>(dim, 1));
  std::vector<float> zeros(elems);
  OrtMemoryInfo* memory = nullptr;
  library.Check(api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  OrtValue *fed = nullptr, *result = nullptr;
  library.Check(api.CreateTensorWithDataAsOrtValue(memory, zeros.data(), elems * sizeof(float),
                                                   dims.data(), rank,
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &fed));
  library.Check(api.Run(session, nullptr, &input, &fed, 1, &output, 1, &result));
  api.ReleaseValue(fed);
  api.ReleaseValue(result);
  api.ReleaseMemoryInfo(memory);
  api.ReleaseTypeInfo(type);
  library.Check(api.AllocatorFree(allocator, input));
  library.Check(api.AllocatorFree(allocator, output));
}

double Above(size_t now, size_t before) {
  return (static_cast<double>(now) - static_cast<double>(before)) / kMiB;
}

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

// Numbers between -0.5 and 0.5 that look random.
class Noise {
 public:
  std::vector<float> Take(size_t count) {
    std::vector<float> values(count);
    for (float& value : values) {
      state_ = state_ * 1664525 + 1013904223;
      value = static_cast<float>(state_ >> 8) / (1 << 24) - 0.5f;
    }
    return values;
  }

 private:
  uint32_t state_ = 1;
};

Model Finish(const fs::path& folder, const std::string& name, onnx::ModelWriter& model,
             size_t weight_bytes) {
  Model out;
  out.name = name;
  out.path = (folder / (name + ".onnx")).string();
  out.weight_bytes = weight_bytes;
  const std::string bytes = model.bytes();
  std::ofstream(out.path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return out;
}

// 5 layers, 2048 to 2560 and back: 100 MiB of weights.
Model WriteMlp(const fs::path& folder, const std::string& name, bool external) {
  constexpr int64_t kNarrow = 2048, kWide = 2560;
  constexpr int kLayers = 5;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"batch", kNarrow});
  std::ofstream data(folder / (name + ".bin"), std::ios::binary);
  Noise noise;
  std::string from = "x";
  size_t written = 0;
  for (int i = 0; i < kLayers; ++i) {
    const std::vector<float> values = noise.Take(kNarrow * kWide);
    const std::string number = std::to_string(i);
    const std::vector<int64_t> dims =
        i % 2 == 0 ? std::vector<int64_t>{kNarrow, kWide} : std::vector<int64_t>{kWide, kNarrow};
    const auto bytes = std::as_bytes(std::span(values));
    onnx::TensorWriter weights("w" + number, onnx::kFloat, dims);
    if (external) {
      weights.External(name + ".bin", static_cast<int64_t>(written),
                       static_cast<int64_t>(bytes.size()));
      data.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    } else {
      weights.Raw(bytes);
    }
    written += bytes.size();
    graph.Initializer(weights);
    graph.Node("MatMul", {from, "w" + number}, {"m" + number});
    graph.Node("Relu", {"m" + number}, {"r" + number});
    from = "r" + number;
  }
  graph.Output(from, onnx::kFloat, {"batch", kLayers % 2 == 0 ? kNarrow : kWide});
  return Finish(folder, name, model, written);
}

// Convolutions whose scales are folded into their weights while loading: 81 MiB.
Model WriteConvolutions(const fs::path& folder, const std::string& name) {
  constexpr int64_t kChannels = 512;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1, kChannels, 8, 8});
  Noise noise;
  std::string from = "x";
  size_t written = 0;
  for (int i = 0; i < 9; ++i) {
    const std::string number = std::to_string(i);
    const std::vector<float> values = noise.Take(kChannels * kChannels * 9);
    graph.Initializer(
        onnx::TensorWriter::Of<float>("w" + number, {kChannels, kChannels, 3, 3}, values));
    written += values.size() * sizeof(float);
    for (const char* part : {"scale", "bias", "mean", "var"}) {
      std::vector<float> numbers = noise.Take(kChannels);
      for (float& value : numbers) value += 1;
      graph.Initializer(onnx::TensorWriter::Of<float>(part + number, {kChannels}, numbers));
    }
    graph.Node("Conv", {from, "w" + number}, {"c" + number}).Ints("pads", {1, 1, 1, 1});
    graph.Node("BatchNormalization",
               {"c" + number, "scale" + number, "bias" + number, "mean" + number, "var" + number},
               {"b" + number});
    graph.Node("Relu", {"b" + number}, {"r" + number});
    from = "r" + number;
  }
  graph.Output(from, onnx::kFloat, {1, kChannels, 8, 8});
  return Finish(folder, name, model, written);
}

// In a process of its own, which loads the library: what one model leaves is no other's.
enum class What { kSessions, kLoads, kCycles };

int InChild(const Arguments& arguments, const Model& model, What what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int code = 2;
    try {
      const Library library("library", arguments.library);
      Checks checks;
      switch (what) {
        case What::kSessions:
          MeasureSessions(library, model, arguments.sessions, checks);
          break;
        case What::kLoads:
          MeasureLoads(library, model, checks);
          break;
        case What::kCycles:
          MeasureCycles(library, model, arguments.cycles, checks);
          break;
      }
      code = checks.all_met() || arguments.report ? 0 : 1;
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

int Main(const Arguments& arguments) {
  const fs::path folder =
      fs::temp_directory_path() / ("bench_sessions." + std::to_string(getpid()));
  fs::create_directory(folder);
  std::vector<Model> models;
  Model resnet;
  resnet.name = "light-resnet50";
  resnet.path = arguments.data + "/models/light-resnet50/model.onnx";
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
  int worst = 0;
  for (const Model& model : models) {
    std::printf("%s: %.2f MiB of weights, %d sessions\n", model.name.c_str(),
                static_cast<double>(model.weight_bytes) / kMiB, arguments.sessions);
    worst = std::max(worst, InChild(arguments, model, What::kSessions));
    worst = std::max(worst, InChild(arguments, model, What::kLoads));
    if (&model == &models[0]) worst = std::max(worst, InChild(arguments, model, What::kCycles));
  }
  fs::remove_all(folder);
  return worst;
}

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  waybill::bench::Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* next = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--data") {
      arguments.data = next, ++i;
    } else if (word == "--sessions") {
      arguments.sessions = std::max(2, std::atoi(next)), ++i;
    } else if (word == "--cycles") {
      arguments.cycles = std::max(1, std::atoi(next)), ++i;
    } else if (word == "--report") {
      arguments.report = true;
    } else if (arguments.library.empty()) {
      arguments.library = word;
    } else {
      arguments.library.clear();
      break;
    }
  }
  if (arguments.library.empty() || arguments.data.empty()) {
    std::fprintf(stderr,
                 "usage: bench_sessions LIBRARY --data DIR [--sessions N] [--cycles N] "
                 "[--report]\n");
    return 2;
  }
  return waybill::bench::Main(arguments);
}
