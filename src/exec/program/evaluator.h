// Constant folding with the run's own kernels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/rewrite/evaluator.h"
#include "kernel/select/select.h"
#include "memory/source/source.h"

namespace waybill::exec {

class KernelEvaluator final : public graph::ConstantEvaluator {
 public:
  // `providers` are borrowed for the evaluator's life; results come from `source`, tagged kFolded.
  KernelEvaluator(std::span<const kernel::Provider> providers, std::shared_ptr<MemorySource> source)
      : providers_(providers), source_(std::move(source)) {}

  // As declared; also kNotImplemented for operators that draw random numbers or hold subgraphs.
  // ConstantOfShape comes out as a splat, whatever its size.
  Result<std::vector<graph::Constant>> Evaluate(const graph::Graph& graph, const graph::Node& node,
                                                size_t max_bytes) override;
  // As declared, for DequantizeLinear and Cast.
  Result<graph::Constant> Defer(const graph::Graph& graph, const graph::Node& node,
                                size_t block_bytes) override;

 private:
  Result<graph::Constant> EvaluateSplat(const graph::NodeRef& node) const;

  std::span<const kernel::Provider> providers_;
  std::shared_ptr<MemorySource> source_;
};

}  // namespace waybill::exec
