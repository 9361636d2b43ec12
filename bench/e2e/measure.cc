#include "bench/e2e/measure.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "bench/e2e/clocks.h"

namespace waybill::bench {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// One reading of the clocks covers at least this much work: reading takes part of a microsecond.
constexpr double kBatchUs = 200;
// A library runs for at least this long before it is the other's turn, so that each finds its own
// data in the caches most of the time.
constexpr double kTurnUs = 5000;

struct Times {
  double cpu = 0, wall = 0;
};

template <typename Work>
Times TimeUs(bool whole_process, Work&& work) {
  const auto cpu_ns = [&] { return whole_process ? ProcessCpuNs() : ThreadCpuNs(); };
  const int64_t wall = WallNs(), cpu = cpu_ns();
  work();
  const int64_t cpu_end = cpu_ns(), wall_end = WallNs();
  return {static_cast<double>(cpu_end - cpu) * 1e-3, static_cast<double>(wall_end - wall) * 1e-3};
}

void Keep(const Times& times, double share, double& cpu, double& wall) {
  cpu = std::min(cpu, times.cpu * share);
  wall = std::min(wall, times.wall * share);
}

// One library's part of the measurement.
class Side {
 public:
  Side(const Library& library, const ModelFolder& model, const MeasureOptions& options, int threads,
       Figures& figures)
      : library_(library),
        model_(model),
        options_(options),
        threads_(threads),
        whole_process_(options.threads != std::array{1, 1}),
        figures_(figures) {
    figures_.run_cpu = figures_.run_wall = figures_.load_cpu = figures_.load_wall = kNever;
  }

  void Drop() { session_.reset(); }

  // The session of the last load is the one that runs.
  void Load(bool counts) {
    Drop();
    const Times times = TimeUs(true, [&] {
      session_ = std::make_unique<BenchSession>(library_, model_.model_path(), threads_);
    });
    if (counts) Keep(times, 1, figures_.load_cpu, figures_.load_wall);
    session_->SetInputs(Inputs());
    if (figures_.first_cpu > 0) return;
    const Times first = TimeUs(whole_process_, [&] { session_->Run(); });
    figures_.first_cpu = first.cpu;
    figures_.first_wall = first.wall;
  }

  void WarmUp() {
    double best = kNever;
    for (int i = 0; i < 2; ++i) best = std::min(best, TimeUs(false, [&] { session_->Run(); }).wall);
    batch_ = static_cast<size_t>(std::max(1.0, kBatchUs / std::max(best, 0.1)));
  }

  bool Done() const {
    if (figures_.runs < 2) return false;
    if (options_.runs != 0) return figures_.runs >= options_.runs;
    return spent_us_ >= options_.min_seconds * 1e6;
  }

  void TakeTurn() {
    double turn = 0;
    while (turn < kTurnUs && !Done()) {
      const Times times = TimeUs(whole_process_, [&] {
        for (size_t i = 0; i < batch_; ++i) session_->Run();
      });
      Keep(times, 1 / static_cast<double>(batch_), figures_.run_cpu, figures_.run_wall);
      figures_.runs += batch_;
      turn += times.wall;
      spent_us_ += times.wall;
      cpu_us_ += times.cpu;
    }
    // The clock of a process sees other running threads with up to a tick's delay, so that of many
    // threads only the mean is right.
    if (whole_process_) figures_.run_cpu = cpu_us_ / static_cast<double>(figures_.runs);
  }

  const BenchSession& session() const { return *session_; }

 private:
  const std::vector<Tensor>& Inputs() {
    if (inputs_.empty()) inputs_ = ReadInputs(model_, session_->num_inputs());
    return inputs_;
  }

  const Library& library_;
  const ModelFolder& model_;
  const MeasureOptions& options_;
  const int threads_;
  const bool whole_process_;
  Figures& figures_;
  std::vector<Tensor> inputs_;
  std::unique_ptr<BenchSession> session_;
  size_t batch_ = 1;
  double spent_us_ = 0, cpu_us_ = 0;
};

}  // namespace

ModelResult MeasureModel(const std::array<const Library*, 2>& libraries, const ModelFolder& model,
                         const MeasureOptions& options) {
  ModelResult result;
  result.name = model.name;
  try {
    Side a(*libraries[0], model, options, options.threads[0], result.figures[0]);
    Side b(*libraries[1], model, options, options.threads[1], result.figures[1]);
    // Never both at once: sessions of one library share what they loaded.
    for (size_t i = 0; i < std::max<size_t>(options.loads, 1); ++i) {
      for (Side* side : {&a, &b}) {
        side->Load(true);
        side->Drop();
      }
    }
    a.Load(false);
    b.Load(false);
    a.WarmUp();
    b.WarmUp();
    result.difference = CompareOutputs(a.session(), b.session());
    while (!a.Done() || !b.Done()) {
      a.TakeTurn();
      b.TakeTurn();
    }
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

MemoryGrowth MeasureModelMemory(const std::string& library_path, const ModelFolder& model,
                                int threads) {
  std::unique_ptr<Library> library;
  std::unique_ptr<BenchSession> session;
  std::vector<Tensor> inputs;
  return MeasureMemory([&] { library = std::make_unique<Library>("memory", library_path); },
                       [&] {
                         session =
                             std::make_unique<BenchSession>(*library, model.model_path(), threads);
                         inputs = ReadInputs(model, session->num_inputs());
                         session->SetInputs(inputs);
                         session->Run();
                       });
}

}  // namespace waybill::bench
