// Many threads run one session for a while; every output must be equal, bit by bit, to that of the
// first run. Under the thread sanitizer this is the proof that runs share nothing they write.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/values/compare.h"

namespace waybill::tools {
namespace {

struct Args : ModelsArgs {
  size_t callers = 16;
  double seconds = 2;
};

std::vector<Ort::Value> RunOnce(Ort::Session& session, const Inputs& inputs) {
  const std::vector<std::string> names = session.GetOutputNames();
  std::vector<const char*> outputs;
  for (const std::string& name : names) outputs.push_back(name.c_str());
  const auto input_names = inputs.NamePointers();
  return session.Run(Ort::RunOptions{nullptr}, input_names.data(), inputs.values.data(),
                     inputs.values.size(), outputs.data(), outputs.size());
}

// Says what went wrong first; runs end when something did.
class Failure {
 public:
  void Set(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (what_.empty()) what_ = what;
    failed_ = true;
  }
  bool failed() const { return failed_; }
  const std::string& what() const { return what_; }

 private:
  std::mutex mutex_;
  std::string what_;
  std::atomic<bool> failed_{false};
};

bool Stress(const std::string& model, const Args& args) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "stress");
  Ort::Session session(env, model.c_str(), MakeOptions(args.session, model));
  const Inputs inputs = GatherInputs(session, args.inputs);
  const std::vector<Ort::Value> expected = RunOnce(session, inputs);
  Failure failure;
  std::atomic<size_t> runs{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(args.seconds);
  const auto call = [&] {
    try {
      while (!failure.failed() && std::chrono::steady_clock::now() < end) {
        const std::vector<Ort::Value> outputs = RunOnce(session, inputs);
        for (size_t i = 0; i < outputs.size(); ++i) {
          if (!BitEqual(outputs[i], expected[i])) {
            failure.Set("output " + std::to_string(i) + " differs from that of the first run");
          }
        }
        ++runs;
      }
    } catch (const std::exception& error) {
      failure.Set(error.what());
    }
  };
  std::vector<std::thread> callers;
  for (size_t i = 0; i < args.callers; ++i) callers.emplace_back(call);
  for (std::thread& caller : callers) caller.join();
  std::printf("%s: %zu runs on %zu threads, %s\n", model.c_str(), runs.load(), args.callers,
              failure.failed() ? failure.what().c_str() : "all outputs equal");
  return !failure.failed() && runs > 0;
}

int Main(int argc, char** argv) {
  Args args;
  if (const auto exit_code =
          ParseModels(argc, argv, "Runs one session of each model from many threads at once.", args,
                      {{"--callers", &args.callers, "threads that call Run"},
                       {"--seconds", &args.seconds, "for each model"}})) {
    return *exit_code;
  }
  bool good = true;
  for (const std::string& model : args.models) good = Stress(model, args) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace waybill::tools

int main(int argc, char** argv) {
  try {
    return waybill::tools::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stress: %s\n", error.what());
    return 1;
  }
}
