// Interpreter: a model run node by node with the reference kernels, nothing in between: no plan, no
// rewrite. What it gives is what the other ways of running a model are held against.
//
// It also checks inference: each value that comes out must have the type, the rank and the known
// dimensions that were inferred for it, and the contents where these were inferred. And it holds
// kernels to what they say of sharing memory between inputs and outputs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "graph/rewrite/rewrite.h"
#include "kernel/select/select.h"
#include "memory/source/source.h"
#include "onnx/model/model_file.h"
#include "tensor/value/value.h"

namespace waybill::test {

class Interpreter {
 public:
  static Result<std::unique_ptr<Interpreter>> Open(const std::string& path);
  static Result<std::unique_ptr<Interpreter>> FromBytes(std::span<const std::byte> bytes);
  // Of a model that was imported and inferred already.
  static Result<std::unique_ptr<Interpreter>> FromModel(graph::Model model);

  // Rewrites the model with the reference kernels as evaluator; the report tells the patches.
  Result<graph::RewriteReport> Rewrite(graph::RewriteLevel level);

  // Model as imported (and rewritten), with inferred types.
  const graph::Model& model() const { return model_; }

  // Kernels of RunProgram, in order of preference; the reference kernels when not called.
  void UseProviders(std::vector<kernel::Provider> providers) { providers_ = std::move(providers); }

  // One value per graph input that has no default (then inputs with one take it), or per graph
  // input. Returns one value per graph output.
  // Errors: kNotImplemented when an operator has no kernel; kInternal when inference contradicts
  // what came out; what kernels report, with the node named.
  Result<std::vector<Value>> Run(std::span<const Value> inputs);

  // The same as one planned program, level 0, bodies included; what Run does for models with
  // control flow.
  Result<std::vector<Value>> RunProgram(std::span<const Value> inputs);

 private:
  Interpreter() = default;
  static Result<std::unique_ptr<Interpreter>> FromFile(std::shared_ptr<const onnx::ModelFile> file);
  Result<std::vector<Value>> FeedInputs(std::span<const Value> inputs) const;
  Status RunNode(graph::NodeId id, std::vector<Value>& values);
  bool HasControlFlow() const;

  graph::Model model_;
  std::shared_ptr<MemorySource> source_;
  std::vector<kernel::Provider> providers_;
};

}  // namespace waybill::test
