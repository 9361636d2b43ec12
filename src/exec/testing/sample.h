// For tests of this layer: graphs built by hand over a handful of kernels of domain "test".
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exec/program/program.h"
#include "exec/runner/run.h"
#include "kernel/api/function_kernel.h"
#include "memory/source/slab_pool.h"
#include "memory/source/system_source.h"

namespace waybill::exec::testing {

inline std::shared_ptr<MemorySource> Heap() { return std::make_shared<SystemSource>(); }

template <typename T>
Tensor MakeTensor(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor = *Tensor::Allocate(dtype, std::move(shape), Heap(), MemoryTag::kUser);
  for (size_t i = 0; i < values.size(); ++i) tensor.span<T>()[i] = values[i];
  return tensor;
}
inline Tensor Floats(Shape shape, const std::vector<float>& values) {
  return MakeTensor(DType::kF32, std::move(shape), values);
}
inline Tensor Ints(Shape shape, const std::vector<int64_t>& values) {
  return MakeTensor(DType::kI64, std::move(shape), values);
}
inline Tensor Bool(bool value) {
  Tensor tensor = *Tensor::Allocate(DType::kBool, Shape(), Heap(), MemoryTag::kUser);
  tensor.span<bool>()[0] = value;
  return tensor;
}
inline std::vector<float> AsFloats(const Value& value) {
  const auto span = value.tensor()->span<float>();
  return {span.begin(), span.end()};
}
inline std::vector<int64_t> AsInts(const Value& value) {
  const auto span = value.tensor()->span<int64_t>();
  return {span.begin(), span.end()};
}

// Adds values and nodes by name.
class Builder {
 public:
  graph::Graph& graph() { return *graph_; }
  graph::GraphPtr ptr() { return graph_; }

  graph::ValueId Add(std::string name, DType dtype = DType::kF32) {
    graph::Value value;
    value.name = std::move(name);
    value.type = ValueType::Tensor(dtype);
    return graph_->AddValue(std::move(value));
  }
  graph::ValueId Input(std::string name, DType dtype = DType::kF32) {
    const auto id = Add(std::move(name), dtype);
    graph_->inputs.push_back(id);
    return id;
  }
  graph::ValueId Constant(std::string name, Tensor tensor) {
    const auto id = Add(std::move(name), tensor.dtype());
    graph_->value(id).constant = graph::Constant(std::move(tensor));
    return id;
  }
  graph::ValueId Capture(graph::ValueId outer, std::string name, DType dtype = DType::kF32) {
    const auto id = Add(std::move(name), dtype);
    graph_->captures.push_back({outer, id});
    return id;
  }
  graph::Node& Node(std::string op, std::vector<graph::ValueId> in, std::vector<graph::ValueId> out,
                    std::string domain = "test") {
    graph::Node node;
    node.name = "n" + std::to_string(graph_->num_nodes());
    node.op_type = std::move(op);
    node.domain = std::move(domain);
    node.since_version = node.opset = 13;
    node.inputs = std::move(in);
    node.outputs = std::move(out);
    return graph_->node(graph_->AddNode(std::move(node)));
  }
  // One output of that name; returns it.
  graph::ValueId Op(std::string op, std::vector<graph::ValueId> in, std::string out,
                    DType dtype = DType::kF32, std::string domain = "test") {
    const auto id = Add(std::move(out), dtype);
    Node(std::move(op), std::move(in), {id}, std::move(domain));
    return id;
  }
  void Output(graph::ValueId id) { graph_->outputs.push_back(id); }

 private:
  std::shared_ptr<graph::Graph> graph_ = std::make_shared<graph::Graph>();
};

std::vector<kernel::Provider> TestProviders();

// A built program with what its runs need.
struct Fixture {
  explicit Fixture(graph::Graph& graph, size_t max_plans = 16, PlanRules rules = {},
                   bool order_steps = false) {
    BuildOptions options;
    providers = TestProviders();
    options.providers = providers;
    options.source = heap;
    options.plan_limits.max_plans = max_plans;
    options.rules = rules;
    options.order_steps = order_steps;
    auto built = Program::Build(graph, options, report);
    status = built.status();
    if (built.ok()) program = std::move(*built);
    env.slabs = &slabs;
    env.dynamic = &heap;
  }
  Status Run(std::vector<Value> inputs, std::vector<Value>& outputs) {
    std::vector<const Value*> pointers;
    for (const Value& value : inputs) pointers.push_back(&value);
    outputs.resize(program->outputs().size());
    return exec::Run(*program, env, pointers, outputs);
  }

  std::shared_ptr<Ledger> ledger = std::make_shared<Ledger>();
  std::shared_ptr<MemorySource> heap = std::make_shared<SystemSource>(ledger->ForDevice({}));
  std::shared_ptr<MemorySource> slabs = std::make_shared<SlabPool>(heap);
  std::vector<kernel::Provider> providers;
  BuildReport report;
  Status status;
  std::unique_ptr<Program> program;
  RunEnv env;
};

}  // namespace waybill::exec::testing
