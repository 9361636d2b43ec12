// What a kernel may do once per session: read its constant inputs and pack them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "memory/buffer/buffer.h"
#include "memory/source/source.h"

namespace waybill::kernel {

class PrepareContext {
 public:
  // `source` serves packed weights and outlives nothing but the call; Buffers keep it alive.
  PrepareContext(const graph::NodeRef& node, std::shared_ptr<MemorySource> source)
      : node_(node), source_(std::move(source)) {}

  const graph::NodeRef& node() const { return node_; }
  // Null unless input i is constant. A dense constant's bytes may be misaligned for its type (they
  // may lie in a mapped file): packers read them with memcpy, or call Materialize.
  const graph::Constant* constant(size_t i) const { return node_.constant(i); }

  // Memory for packed weights, tagged kPackedWeights; the kernel owns the Buffer.
  Result<Buffer> AllocatePacked(size_t bytes, size_t align = kBlockAlign) {
    return Buffer::Allocate(source_, bytes, align, MemoryTag::kPackedWeights);
  }

  // Says that Run will not read input i, because its packed form replaces it: the session need not
  // keep the original at hand.
  void ReplaceInput(size_t i) { replaced_.push_back(i); }
  const std::vector<size_t>& replaced() const { return replaced_; }

 private:
  graph::NodeRef node_;
  std::shared_ptr<MemorySource> source_;
  std::vector<size_t> replaced_;
};

}  // namespace waybill::kernel
