// Many threads make, run, bind, trim, cancel and drop at random for a while: environments,
// sessions, bindings and values whose last holder is whoever comes last. Outputs must be those of a
// first run, bit by bit. Under the thread and address sanitizers this is the proof that any order
// is safe.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/values/compare.h"
#include "waybill.hpp"

namespace waybill::tools {
namespace {

struct Args : ModelsArgs {
  size_t callers = 16;
  double seconds = 3;
  size_t order = 1;
};

using Clock = std::chrono::steady_clock;
using Values = std::vector<Ort::Value>;

// One model with what it is fed and what it must give.
struct Model {
  std::string path;
  Ort::SessionOptions options{nullptr};
  Inputs inputs;
  std::vector<std::string> outputs;
  Values expected;
};

Values Run(Ort::Session& session, const Model& model, const Ort::RunOptions& options) {
  std::vector<const char*> outputs;
  for (const std::string& name : model.outputs) outputs.push_back(name.c_str());
  const auto names = model.inputs.NamePointers();
  return session.Run(options, names.data(), model.inputs.values.data(), names.size(),
                     outputs.data(), outputs.size());
}

Model Load(const std::string& path, const Args& args) {
  Model model;
  model.path = path;
  model.options = MakeOptions(args.session, path);
  const Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "churn");
  Ort::Session session(env, path.c_str(), model.options);
  model.inputs = GatherInputs(session, args.inputs);
  model.outputs = session.GetOutputNames();
  model.expected = Run(session, model, Ort::RunOptions{nullptr});
  return model;
}

// What all threads see.
struct Shared {
  explicit Shared(const std::vector<Model>& all) : models(all) {}

  struct Live {
    size_t model;
    std::unique_ptr<Ort::Session> session;
  };
  static constexpr size_t kMostLive = 12;

  const std::vector<Model>& models;
  std::mutex mutex;
  std::vector<std::shared_ptr<Live>> live;  // with mutex held
  std::set<Ort::RunOptions*> running;       // with mutex held
  std::atomic<uint64_t> runs{0}, cancelled{0}, sessions{0};
  std::atomic<bool> failed{false};
  std::string what;  // with mutex held

  void Fail(const std::string& why) {
    const std::lock_guard lock(mutex);
    if (what.empty()) what = why;
    failed = true;
  }
};

class Caller {
 public:
  Caller(Shared& shared, uint64_t seed) : shared_(shared), random_(seed) {}

  void Step() {
    switch (Pick(12)) {
      case 0:
      case 1:
        return Make();
      case 2:
        return Drop();
      case 3:
        return Cancel();
      case 4:
        return Trim();
      case 5:
      case 6:
        return RunBound();
      case 7:
        return kept_.clear();
      default:
        return RunOnce();
    }
  }

 private:
  size_t Pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  std::shared_ptr<Shared::Live> Choose() {
    const std::lock_guard lock(shared_.mutex);
    return shared_.live.empty() ? nullptr : shared_.live[Pick(shared_.live.size())];
  }

  void Make() {
    const size_t which = Pick(shared_.models.size());
    const Model& model = shared_.models[which];
    const Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "churn");
    auto made = std::make_shared<Shared::Live>();
    made->model = which;
    made->session = std::make_unique<Ort::Session>(env, model.path.c_str(), model.options);
    ++shared_.sessions;
    const std::lock_guard lock(shared_.mutex);
    if (shared_.live.size() < Shared::kMostLive) {
      shared_.live.push_back(std::move(made));
    } else {
      shared_.live[Pick(shared_.live.size())].swap(made);  // the old one goes after the lock
    }
  }

  void Drop() {
    std::shared_ptr<Shared::Live> dropped;
    const std::lock_guard lock(shared_.mutex);
    if (shared_.live.size() < 2) return;
    dropped.swap(shared_.live[Pick(shared_.live.size())]);
    std::erase(shared_.live, nullptr);
  }

  void Cancel() {
    const std::lock_guard lock(shared_.mutex);
    if (shared_.running.empty()) return;
    auto at = shared_.running.begin();
    std::advance(at, static_cast<long>(Pick(shared_.running.size())));
    (*at)->SetTerminate();
  }

  static void Trim() {
    const Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "churn");
    waybill::Trim(const_cast<OrtEnv*>(static_cast<const OrtEnv*>(env)));
  }

  // Calls `run` with options that others may cancel. False when they did.
  template <typename Call>
  bool Cancellable(Call&& run) {
    Ort::RunOptions options;
    {
      const std::lock_guard lock(shared_.mutex);
      shared_.running.insert(&options);
    }
    std::string failure;
    try {
      run(options);
    } catch (const Ort::Exception& error) {
      failure = error.what();
    }
    const std::lock_guard lock(shared_.mutex);
    shared_.running.erase(&options);
    if (failure.empty()) return true;
    if (failure.find("terminate flag") == std::string::npos) throw std::runtime_error(failure);
    ++shared_.cancelled;
    return false;
  }

  void RunOnce() {
    const std::shared_ptr<Shared::Live> chosen = Choose();
    if (chosen == nullptr) return Make();
    const Model& model = shared_.models[chosen->model];
    Values outputs;
    if (!Cancellable([&](const Ort::RunOptions& options) {
          outputs = Run(*chosen->session, model, options);
        })) {
      return;
    }
    Check(outputs, model);
    kept_.push_back(std::move(outputs));  // beyond the session's life, perhaps
    if (kept_.size() > 4) kept_.erase(kept_.begin());
  }

  void RunBound() {
    const std::shared_ptr<Shared::Live> chosen = Choose();
    if (chosen == nullptr) return Make();
    const Model& model = shared_.models[chosen->model];
    Ort::IoBinding binding(*chosen->session);
    const auto cpu = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
    for (size_t i = 0; i < model.inputs.names.size(); ++i) {
      binding.BindInput(model.inputs.names[i].c_str(), model.inputs.values[i]);
    }
    for (const std::string& name : model.outputs) binding.BindOutput(name.c_str(), cpu);
    for (int i = 0; i < 2; ++i) {
      if (Cancellable(
              [&](const Ort::RunOptions& options) { chosen->session->Run(options, binding); })) {
        Check(binding.GetOutputValues(), model);
      }
    }
  }

  void Check(const Values& outputs, const Model& model) {
    ++shared_.runs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (BitEqual(outputs[i], model.expected[i])) continue;
      shared_.Fail(model.path + ": output " + std::to_string(i) +
                   " differs from that of the first run");
    }
  }

  Shared& shared_;
  std::mt19937_64 random_;
  std::vector<Values> kept_;
};

bool Churn(const Args& args) {
  std::vector<Model> models;
  for (const std::string& path : args.models) models.push_back(Load(path, args));
  Shared shared(models);
  const auto end = Clock::now() + std::chrono::duration<double>(args.seconds);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < args.callers; ++i) {
    threads.emplace_back([&, i] {
      try {
        Caller caller(shared, args.order * 1000 + i);
        while (!shared.failed && Clock::now() < end) caller.Step();
      } catch (const std::exception& error) {
        shared.Fail(error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared.live.clear();
  std::printf("%zu threads: %llu sessions, %llu runs, %llu cancelled, %s\n", args.callers,
              static_cast<unsigned long long>(shared.sessions),
              static_cast<unsigned long long>(shared.runs),
              static_cast<unsigned long long>(shared.cancelled),
              shared.failed ? shared.what.c_str() : "all outputs equal");
  return !shared.failed && shared.runs > 0;
}

int Main(int argc, char** argv) {
  Args args;
  if (const auto exit_code = ParseModels(
          argc, argv, "Makes, runs, cancels and drops sessions of the models from many threads.",
          args,
          {{"--callers", &args.callers, "threads"},
           {"--seconds", &args.seconds, "for all models together"},
           {"--order", &args.order, "another number, another order of what is done"}})) {
    return *exit_code;
  }
  return Churn(args) ? 0 : 1;
}

}  // namespace
}  // namespace waybill::tools

int main(int argc, char** argv) {
  try {
    return waybill::tools::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "churn: %s\n", error.what());
    return 1;
  }
}
