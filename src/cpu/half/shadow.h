// A copy of one f16 node with f32 in place of f16, to run the f32 kernels on.
#pragma once

#include <functional>
#include <memory>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::cpu {

class ShadowNode {
 public:
  // The f32 constant that stands for an f16 one.
  using MakeConstant = std::function<Result<graph::Constant>(const graph::Constant&)>;

  // Errors: those of `make`.
  static Result<std::unique_ptr<ShadowNode>> Make(const graph::NodeRef& node,
                                                  const MakeConstant& make);

  graph::NodeRef ref() const { return {graph_, graph_.node(id_)}; }
  // Null where input i is omitted or no constant.
  const graph::Constant* constant(size_t i) const { return ref().constant(i); }
  // Writes out the contents of a constant that is rows. Errors: as Constant::Materialize.
  Status WriteOut(size_t i, std::shared_ptr<MemorySource> source);
  // Forgets the contents of a constant that no run reads.
  void DropConstant(size_t i);

 private:
  graph::Graph graph_;
  graph::NodeId id_ = graph::kNoNode;
};

}  // namespace waybill::cpu
