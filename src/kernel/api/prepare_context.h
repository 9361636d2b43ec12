// What a kernel may do once per session: read its constant inputs and pack them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "memory/buffer/buffer.h"
#include "memory/source/source.h"

namespace waybill {
class WeightLoad;
}

namespace waybill::kernel {

class PrepareContext {
 public:
  // `source` serves packed weights and outlives nothing but the call; Buffers keep it alive.
  // `weights` is borrowed; null: nothing is shared.
  PrepareContext(const graph::NodeRef& node, std::shared_ptr<MemorySource> source,
                 WeightLoad* weights = nullptr)
      : node_(node), source_(std::move(source)), weights_(weights) {}

  const graph::NodeRef& node() const { return node_; }
  // Null unless input i is constant. A dense constant's bytes may be misaligned for its type (they
  // may lie in a mapped file): packers read them with memcpy, or call Materialize. The weights of
  // products and convolutions may be rows(), which have no address: packers read them by
  // ForEachBlock, or call Materialize.
  const graph::Constant* constant(size_t i) const { return node_.constant(i); }

  // `bytes` of packed weights, 64-byte aligned, that `fill` writes in full; shared by all kernels
  // of the process with the same recipe and sources, for which `fill` is called once. `maker` names
  // the packer and its version and all that decides the bytes but the constant `inputs` that they
  // are made of: sizes, layout, instruction set.
  // Errors: kOutOfMemory; kCancelled in a wait for another session that packs the same; of `fill`.
  Result<SharedView> Pack(std::string maker, std::initializer_list<size_t> inputs, size_t bytes,
                          const std::function<Status(std::byte*)>& fill);

  // Calls fn(first row, rows) as Constant::ForEachBlock does for constant input i. Pages of files
  // that only rows behind it were made of leave memory with each block.
  Status ForEachBlock(size_t i, int64_t multiple,
                      const std::function<void(int64_t, const TensorView&)>& fn) const;

  // Constant input i as a tensor, for the time of packing. Errors: as Constant::Materialize.
  Result<Tensor> Materialize(size_t i) const {
    return constant(i)->Materialize(source_, MemoryTag::kFolded);
  }

  // Memory for packed weights that no other kernel has use for; the kernel owns the Buffer.
  Result<Buffer> AllocatePacked(size_t bytes, size_t align = kBlockAlign) {
    return Buffer::Allocate(source_, bytes, align, MemoryTag::kPackedWeights);
  }

  // Says that Run will not read input i, because its packed form replaces it: the session need not
  // keep the original at hand.
  void ReplaceInput(size_t i) { replaced_.push_back(i); }
  const std::vector<size_t>& replaced() const { return replaced_; }

  // For a kernel inside a kernel.
  WeightLoad* weights() const { return weights_; }

 private:
  graph::NodeRef node_;
  std::shared_ptr<MemorySource> source_;
  WeightLoad* weights_;
  std::vector<size_t> replaced_;
};

}  // namespace waybill::kernel
