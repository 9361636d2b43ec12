// Random numbers by counting: number i of a stream depends on the stream's key and i only, so any
// thread may make any part.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "graph/ir/graph.h"

namespace waybill::kernel::reference {

class RandomStream {
 public:
  explicit RandomStream(uint64_t key) : key_(key) {}

  uint64_t Bits(uint64_t i) const;
  // In [0, 1), of 53 bits.
  double Uniform(uint64_t i) const;
  // Mean 0, deviation 1.
  double Normal(uint64_t i) const;

 private:
  uint64_t key_;
};

// Where a node's streams come from: attribute `seed` (each run gives the same numbers), or without
// it a seed from the system, from which every run goes on.
class RandomSource {
 public:
  static RandomSource Of(const graph::NodeRef& node);
  RandomStream Next() const;

 private:
  uint64_t key_ = 0;
  std::shared_ptr<std::atomic<uint64_t>> runs_;  // null when seeded by the node
};

}  // namespace waybill::kernel::reference
