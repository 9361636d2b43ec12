#include "kernel/reference/ml/trees/node_index.h"

#include <algorithm>
#include <tuple>

namespace waybill::kernel::reference {

Result<NodeIndex> NodeIndex::Make(std::span<const int64_t> trees, std::span<const int64_t> ids) {
  NodeIndex index;
  index.entries_.resize(trees.size());
  for (size_t i = 0; i < trees.size(); ++i) {
    index.entries_[i] = {trees[i], ids[i], static_cast<uint32_t>(i)};
  }
  const auto less = [](const Entry& a, const Entry& b) {
    return std::tie(a.tree, a.node) < std::tie(b.tree, b.node);
  };
  // As most files have them.
  if (!std::is_sorted(index.entries_.begin(), index.entries_.end(), less)) {
    std::sort(index.entries_.begin(), index.entries_.end(), less);
  }
  const auto twin = std::adjacent_find(index.entries_.begin(), index.entries_.end(),
                                       [&](const Entry& a, const Entry& b) { return !less(a, b); });
  if (twin == index.entries_.end()) return index;
  return Error(Code::kInvalidArgument, "tree {} has two nodes {}", twin->tree, twin->node);
}

bool NodeIndex::SelectTree(int64_t tree) {
  if (begin_ != end_ && entries_[begin_].tree == tree) return true;
  const auto [first, last] =
      std::equal_range(entries_.begin(), entries_.end(), Entry{tree, 0, 0},
                       [](const Entry& a, const Entry& b) { return a.tree < b.tree; });
  begin_ = static_cast<size_t>(first - entries_.begin());
  end_ = static_cast<size_t>(last - entries_.begin());
  return begin_ != end_;
}

Result<uint32_t> NodeIndex::Find(int64_t tree, int64_t node) {
  if (SelectTree(tree)) {
    // Nodes are mostly numbered without gaps.
    const int64_t first = entries_[begin_].node;
    if (node >= first &&
        static_cast<uint64_t>(node) - static_cast<uint64_t>(first) < end_ - begin_) {
      const Entry& guess = entries_[begin_ + static_cast<size_t>(node - first)];
      if (guess.node == node) return guess.at;
    }
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto found =
        std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(begin_), last, node,
                         [](const Entry& entry, int64_t wanted) { return entry.node < wanted; });
    if (found != last && found->node == node) return found->at;
  }
  return Error(Code::kInvalidArgument, "tree {} has no node {}", tree, node);
}

}  // namespace waybill::kernel::reference
