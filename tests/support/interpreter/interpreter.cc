#include "tests/support/interpreter/interpreter.h"

#include <utility>

#include "exec/program/evaluator.h"
#include "exec/program/program.h"
#include "exec/runner/run.h"
#include "exec/runner/watcher.h"
#include "graph/import/import.h"
#include "graph/infer/infer.h"
#include "kernel/api/invoke.h"
#include "kernel/reference/reference.h"
#include "memory/source/system_source.h"
#include "onnx/external/external_data.h"
#include "tests/support/interpreter/sharing.h"

namespace waybill::test {

namespace {

Status CheckType(const ValueType& told, const ValueType& actual) {
  if (told.kind == ValueKind::kUnknown) {
    return Error(Code::kInternal, "inference says nothing of a value that is {}",
                 actual.ToString());
  }
  bool same = told.kind == actual.kind && told.dtype == actual.dtype;
  if (same && told.shape.has_rank() && told.is_tensor()) {
    same = told.shape.rank() == actual.shape.rank();
    for (size_t i = 0; same && i < told.shape.rank(); ++i) {
      same = !told.shape[i].known() || told.shape[i] == actual.shape[i];
    }
  }
  if (same) return Status::Ok();
  return Error(Code::kInternal, "inference says {}, but it is {}", told.ToString(),
               actual.ToString());
}

Status CheckContents(const std::vector<Dim>& told, const TensorView& actual) {
  if (actual.shape.elems() != static_cast<int64_t>(told.size())) {
    return Error(Code::kInternal, "inference says {} elements, but there are {}", told.size(),
                 actual.shape.elems());
  }
  for (size_t i = 0; i < told.size(); ++i) {
    int64_t value = 0;
    if (actual.dtype == DType::kI64) {
      value = actual.as<int64_t>()[i];
    } else if (actual.dtype == DType::kI32) {
      value = actual.as<int32_t>()[i];
    } else {
      return Status::Ok();
    }
    if (told[i].known() && told[i].value() != value) {
      return Error(Code::kInternal, "inference says that element {} is {}, but it is {}", i,
                   told[i].value(), value);
    }
  }
  return Status::Ok();
}

Status CheckValue(const graph::Value& told, const ValueType& type, const TensorView* tensor) {
  WB_RETURN_IF_ERROR(CheckType(told.type, type), "value '{}'", told.name);
  if (!told.contents || tensor == nullptr) return Status::Ok();
  return CheckContents(*told.contents, *tensor).With(Format("value '{}'", told.name));
}

// Holds what each step gives against inference; keeps the first contradiction.
class InferenceCheck final : public exec::StepWatcher {
 public:
  void Begin(const exec::Program&, const exec::Step&, const exec::Slot*) override {}
  void End(const exec::Program& program, const exec::Step& step, const exec::Slot* slots) override {
    for (const exec::SlotId id : step.outputs) {
      if (id == exec::kNoSlot || !status_.ok()) continue;
      const TensorView& tensor = slots[id].tensor;
      const bool is_tensor = tensor.dtype != DType::kUndefined;
      const ValueType type = is_tensor ? ValueType::Tensor(tensor.dtype, SymShape(tensor.shape))
                                       : slots[id].value.type();
      status_ = CheckValue(program.value_of(id), type, is_tensor ? &tensor : nullptr)
                    .With(exec::DescribeStep(step, slots));
    }
  }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

}  // namespace

Result<std::unique_ptr<Interpreter>> Interpreter::FromModel(graph::Model model) {
  std::unique_ptr<Interpreter> out(new Interpreter());
  out->source_ = std::make_shared<SystemSource>();
  out->providers_ = {{"reference", kernel::reference::AllTables()}};
  out->model_ = std::move(model);
  return out;
}

Result<std::unique_ptr<Interpreter>> Interpreter::FromFile(
    std::shared_ptr<const onnx::ModelFile> file) {
  auto external = std::make_shared<onnx::ExternalData>(*file, onnx::ExternalData::Options{});
  graph::ImportOptions options;
  options.source = std::make_shared<SystemSource>();
  options.external = [external](const onnx::TensorProtoView& view) -> Result<SharedView> {
    WB_ASSIGN_OR_RETURN(const onnx::SharedBytes bytes, external->Resolve(view));
    auto* data = const_cast<std::byte*>(bytes.bytes.data());
    return SharedView(bytes.owner, {data, bytes.bytes.size(), Device{}});
  };
  WB_ASSIGN_OR_RETURN(graph::Model model, graph::ImportModel(file, options));
  WB_RETURN_IF_ERROR(graph::infer::InferModel(model));
  return FromModel(std::move(model));
}

Result<std::unique_ptr<Interpreter>> Interpreter::Open(const std::string& path) {
  WB_ASSIGN_OR_RETURN(auto file, onnx::ModelFile::Open(path));
  return FromFile(std::move(file));
}

Result<std::unique_ptr<Interpreter>> Interpreter::FromBytes(std::span<const std::byte> bytes) {
  WB_ASSIGN_OR_RETURN(auto file, onnx::ModelFile::FromCopy(bytes));
  return FromFile(std::move(file));
}

Result<graph::RewriteReport> Interpreter::Rewrite(graph::RewriteLevel level) {
  exec::KernelEvaluator evaluator(providers_, source_);
  graph::RewriteOptions options;
  options.level = level;
  options.evaluator = &evaluator;
  options.source = source_;
  return graph::Rewrite(model_, options);
}

Result<std::vector<Value>> Interpreter::FeedInputs(std::span<const Value> inputs) const {
  const graph::Graph& main = model_.main;
  std::vector<Value> out(main.inputs.size());
  const bool all = inputs.size() == main.inputs.size();
  size_t next = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const graph::InputDefault* fallback = nullptr;
    for (const graph::InputDefault& item : main.defaults) {
      if (item.input == main.inputs[i]) fallback = &item;
    }
    if (fallback != nullptr && !all) {
      WB_ASSIGN_OR_RETURN(Tensor dense, fallback->value.Materialize(source_, MemoryTag::kWeights));
      out[i] = Value(std::move(dense));
    } else if (next < inputs.size()) {
      out[i] = inputs[next++];
    } else {
      return Error(Code::kInvalidArgument, "{} inputs given, more are needed", inputs.size());
    }
  }
  if (next != inputs.size()) {
    return Error(Code::kInvalidArgument, "{} inputs given, {} needed", inputs.size(), next);
  }
  return out;
}

bool Interpreter::HasControlFlow() const {
  for (const graph::NodeId id : model_.main.order()) {
    for (const graph::Attribute& attribute : model_.main.node(id).attrs.all()) {
      if (std::holds_alternative<graph::GraphPtr>(attribute.value)) return true;
    }
  }
  return false;
}

Status Interpreter::RunNode(graph::NodeId id, std::vector<Value>& values) {
  const graph::Graph& main = model_.main;
  const graph::Node& node = main.node(id);
  const graph::NodeRef ref(main, node);
  WB_ASSIGN_OR_RETURN(kernel::Selection selection, kernel::Select(ref, providers_));
  kernel::PrepareContext prepare(ref, source_);
  WB_RETURN_IF_ERROR(selection.kernel->Prepare(prepare), "{}", node.Describe());
  std::vector<Value> inputs;
  for (const graph::ValueId input : node.inputs) {
    inputs.push_back(input == graph::kNoValue ? Value() : values[input]);
  }
  kernel::InvokeOptions options;
  options.source = source_;
  WB_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                      kernel::Invoke(*selection.kernel, ref, inputs, options), "node {}",
                      node.Describe());
  WB_RETURN_IF_ERROR(CheckSharing(*selection.kernel, ref, inputs, outputs, source_),
                     "what node {} says of sharing memory", node.Describe());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.HasOutput(i)) continue;
    const graph::Value& value = main.value(node.outputs[i]);
    if (!outputs[i].defined()) {
      return Error(Code::kInternal, "node {} left output {} undefined", node.Describe(), i);
    }
    const TensorView tensor =
        outputs[i].tensor() != nullptr ? outputs[i].tensor()->view() : TensorView();
    WB_RETURN_IF_ERROR(
        CheckValue(value, outputs[i].type(), outputs[i].tensor() != nullptr ? &tensor : nullptr),
        "output {} of node {}", i, node.Describe());
    values[node.outputs[i]] = std::move(outputs[i]);
  }
  return Status::Ok();
}

Result<std::vector<Value>> Interpreter::RunProgram(std::span<const Value> inputs) {
  exec::BuildOptions options;
  options.providers = providers_;
  options.source = source_;
  exec::BuildReport report;
  WB_ASSIGN_OR_RETURN(const auto program, exec::Program::Build(model_.main, options, report));
  exec::RunEnv env;
  env.slabs = &source_;
  env.dynamic = &source_;
  std::vector<const Value*> pointers;
  for (const Value& input : inputs) pointers.push_back(&input);
  std::vector<Value> outputs(model_.main.outputs.size());
  InferenceCheck check;
  env.watcher = &check;
  WB_RETURN_IF_ERROR(exec::Run(*program, env, pointers, outputs));
  WB_RETURN_IF_ERROR(check.status());
  return outputs;
}

Result<std::vector<Value>> Interpreter::Run(std::span<const Value> inputs) {
  const graph::Graph& main = model_.main;
  WB_ASSIGN_OR_RETURN(const std::vector<Value> fed, FeedInputs(inputs));
  if (HasControlFlow()) return RunProgram(fed);
  std::vector<Value> values(main.num_values());
  for (graph::ValueId id = 0; id < main.num_values(); ++id) {
    if (!main.value(id).constant.defined()) continue;
    WB_ASSIGN_OR_RETURN(Tensor dense,
                        main.value(id).constant.Materialize(source_, MemoryTag::kWeights));
    values[id] = Value(std::move(dense));
  }
  for (size_t i = 0; i < fed.size(); ++i) values[main.inputs[i]] = fed[i];
  for (const graph::NodeId id : main.order()) WB_RETURN_IF_ERROR(RunNode(id, values));
  std::vector<Value> outputs;
  for (const graph::ValueId id : main.outputs) outputs.push_back(values[id]);
  return outputs;
}

}  // namespace waybill::test
