// Runs a model of one node and tells what its step costs at least.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/micro/cases.h"
#include "session/session.h"

namespace waybill::bench {

// The input of every measurement, and of what WriteFolder writes.
std::vector<float> InputOf(const KernelCase& kernel);

// Writes the case as DIRECTORY/NAME/model.onnx and test_data_set_0/input_0.pb, where bench_e2e
// finds it. Slashes of the name become underscores. Throws std::runtime_error.
void WriteFolder(const KernelCase& kernel, const std::string& directory);

class StepBench {
 public:
  // Throws std::runtime_error where the model does not load.
  StepBench(std::shared_ptr<session::Env> env, const KernelCase& kernel);

  // One run, one thread. Throws std::runtime_error.
  void Run();
  // Seconds of thread CPU time of the steps that count, each at its quickest so far.
  double LeastSeconds() const;
  // Names of their kernels.
  std::string Kernels() const;

 private:
  std::vector<std::string> ops_;
  std::vector<float> input_;
  std::vector<Value> inputs_, outputs_;
  std::shared_ptr<session::Session> session_;
};

}  // namespace waybill::bench
