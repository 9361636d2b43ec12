// NodeIndex: where each node of a forest stands in its lists, by the numbers of tree and node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status/result.h"

namespace waybill::kernel::reference {

class NodeIndex {
 public:
  // Entry i is node `ids[i]` of tree `trees[i]`; both are as long, below 2^32.
  // Errors: kInvalidArgument for a tree with two nodes of one number.
  static Result<NodeIndex> Make(std::span<const int64_t> trees, std::span<const int64_t> ids);

  // The entry of a node. Errors: kInvalidArgument when there is none. Fast for nodes of the tree
  // that was asked for last, so not thread-safe.
  Result<uint32_t> Find(int64_t tree, int64_t node);

 private:
  struct Entry {
    int64_t tree, node;
    uint32_t at;
  };
  bool SelectTree(int64_t tree);

  std::vector<Entry> entries_;  // by tree and node
  size_t begin_ = 0, end_ = 0;  // of the tree that was asked for last
};

}  // namespace waybill::kernel::reference
