#include "bench/e2e/one_node.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/e2e/clocks.h"
#include "bench/e2e/session.h"
#include "onnx/model/writer/model_writer.h"

namespace waybill::bench {

namespace {

constexpr int kBatch = 1000, kBatches = 200, kLoads = 20;

std::string AddModel() {
  onnx::ModelWriter model(8);
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {1});
  graph.Initializer(onnx::TensorWriter::Of<float>("one", {1}, {1.0f}));
  graph.Node("Add", {"x", "one"}, {"y"});
  graph.Output("y", onnx::kFloat, {1});
  return model.bytes();
}

// Work enough that every thread of the pool takes part.
std::string MatMulModel() {
  onnx::ModelWriter model(8);
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {512, 512});
  graph.Initializer(
      onnx::TensorWriter::Of<float>("w", {512, 512}, std::vector<float>(512 * 512, 0.5f)));
  graph.Node("MatMul", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {512, 512});
  return model.bytes();
}

Tensor Ones(std::vector<float>& storage, std::initializer_list<int64_t> dims) {
  const Shape shape(dims);
  storage.assign(static_cast<size_t>(shape.elems()), 1.0f);
  const size_t bytes = storage.size() * sizeof(float);
  return *Tensor::Wrap(
      DType::kF32, shape,
      SharedView::Unowned({reinterpret_cast<std::byte*>(storage.data()), bytes, {}}));
}

template <typename Work>
double BestUs(Work&& work) {
  int64_t best = INT64_MAX;
  for (int batch = 0; batch < kBatches; ++batch) {
    const int64_t start = ThreadCpuNs();
    for (int i = 0; i < kBatch; ++i) work();
    best = std::min(best, ThreadCpuNs() - start);
  }
  return static_cast<double>(best) * 1e-3 / kBatch;
}

}  // namespace

OneNodeFigures MeasureOneNode(const Library& library, double idle_seconds) {
  OneNodeFigures out;
  const std::string model = AddModel();
  int64_t best = INT64_MAX;
  for (int i = 0; i < kLoads; ++i) {
    const int64_t start = ProcessCpuNs();
    const BenchSession session(library, model, 1, true);
    best = std::min(best, ProcessCpuNs() - start);
  }
  out.load_us = static_cast<double>(best) * 1e-3;

  std::vector<float> storage;
  {
    BenchSession session(library, model, 1, true);
    session.SetInputs({Ones(storage, {1})});
    session.Run();
    out.run_us = BestUs([&] { session.Run(); });
    out.run_in_place_us = BestUs([&] { session.RunInPlace(); });
  }
  BenchSession wide(library, MatMulModel(), 0, true);
  wide.SetInputs({Ones(storage, {512, 512})});
  for (int i = 0; i < 3; ++i) wide.Run();
  const int64_t start = ProcessCpuNs();
  std::this_thread::sleep_for(std::chrono::duration<double>(idle_seconds));
  out.idle_cpu_ms = static_cast<double>(ProcessCpuNs() - start) * 1e-6;
  out.idle_seconds = idle_seconds;
  return out;
}

}  // namespace waybill::bench
