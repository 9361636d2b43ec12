#include "bench/micro/step_bench.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "capi/providers.h"
#include "onnx/model/writer/model_writer.h"

namespace waybill::bench {

namespace {

template <typename Fn>
void ForEachStep(const session::Session& session, const std::vector<std::string>& ops, Fn&& fn) {
  const auto profile = nlohmann::json::parse(session.ProfileJson());
  for (const auto& step : profile["steps"]) {
    if (std::find(ops.begin(), ops.end(), step["op"].get<std::string>()) != ops.end()) fn(step);
  }
}

}  // namespace

std::vector<float> InputOf(const KernelCase& kernel) {
  const Shape shape{std::span<const int64_t>(kernel.input_shape)};
  std::vector<float> input(static_cast<size_t>(shape.elems()));
  for (size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<float>(i * 7919 % 2003) * 0.002f - 2.0f;
  }
  return input;
}

void WriteFolder(const KernelCase& kernel, const std::string& directory) {
  std::string name = kernel.name;
  std::replace(name.begin(), name.end(), '/', '_');
  const std::filesystem::path folder = std::filesystem::path(directory) / name;
  std::filesystem::create_directories(folder / "test_data_set_0");
  const onnx::TensorWriter input =
      onnx::TensorWriter::Of<float>("x", kernel.input_shape, InputOf(kernel));
  std::ofstream model(folder / "model.onnx", std::ios::binary);
  std::ofstream data(folder / "test_data_set_0" / "input_0.pb", std::ios::binary);
  model << kernel.model;
  data << input.bytes();
  if (!model.flush() || !data.flush()) throw std::runtime_error("can not write " + folder.string());
}

StepBench::StepBench(std::shared_ptr<session::Env> env, const KernelCase& kernel)
    : ops_(kernel.ops) {
  session::SessionOptions options;
  options.intra_op_threads = 1;
  options.providers = capi::DefaultProviders();
  auto loaded = session::Session::LoadBytes(std::move(env), std::as_bytes(std::span(kernel.model)),
                                            false, std::move(options));
  if (!loaded.ok()) throw std::runtime_error(loaded.status().ToString());
  session_ = *loaded;
  const Shape shape{std::span<const int64_t>(kernel.input_shape)};
  input_ = InputOf(kernel);
  auto* data = reinterpret_cast<std::byte*>(input_.data());
  inputs_.emplace_back(*Tensor::Wrap(
      DType::kF32, shape, SharedView::Unowned({data, input_.size() * sizeof(float), {}})));
  outputs_.resize(1);
  session_->SetProfiling(true);
}

void StepBench::Run() {
  static constexpr std::string_view kInput[] = {"x"}, kOutput[] = {"y"};
  const Status status = session_->Run(session::RunOptions(), kInput, inputs_, kOutput, outputs_);
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

double StepBench::LeastSeconds() const {
  double ns = 0;
  ForEachStep(*session_, ops_,
              [&](const auto& step) { ns += step["least_ns"].template get<double>(); });
  return ns * 1e-9;
}

std::string StepBench::Kernels() const {
  std::string names;
  ForEachStep(*session_, ops_, [&](const auto& step) {
    names += (names.empty() ? "" : ", ") + step["kernel"].template get<std::string>();
  });
  return names;
}

}  // namespace waybill::bench
