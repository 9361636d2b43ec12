#include "cpu/ml/flat_forest.h"

#include <algorithm>
#include <limits>

namespace waybill::cpu {

using kernel::reference::Aggregate;
using kernel::reference::Forest;
using kernel::reference::LeafWeight;
using kernel::reference::NodeMode;
using kernel::reference::TreeNode;

namespace {

// The comparison that all inner nodes share; nothing when there is none that is simple.
std::optional<NodeMode> CommonMode(const Forest& forest) {
  std::optional<NodeMode> mode;
  for (const TreeNode& node : forest.nodes) {
    if (node.mode == NodeMode::kLeaf) continue;
    if (node.missing_is_true || node.mode == NodeMode::kMember || node.mode == NodeMode::kNeq) {
      return std::nullopt;
    }
    if (mode && *mode != node.mode) return std::nullopt;
    if (static_cast<double>(static_cast<float>(node.value)) != node.value) return std::nullopt;
    if (node.feature > std::numeric_limits<int32_t>::max()) return std::nullopt;
    mode = node.mode;
  }
  return mode ? mode : NodeMode::kLeq;
}

bool FitsFloat(double value) {
  return value >= -static_cast<double>(std::numeric_limits<float>::max()) &&
         value <= static_cast<double>(std::numeric_limits<float>::max());
}

}  // namespace

std::optional<FlatForest> FlatForest::Make(const Forest& forest) {
  for (const TreeNode& node : forest.nodes) {
    if (node.mode != NodeMode::kLeaf && !FitsFloat(node.value)) return std::nullopt;
  }
  const std::optional<NodeMode> mode = CommonMode(forest);
  if (!mode || forest.nodes.size() > (size_t{1} << 30)) return std::nullopt;
  FlatForest flat;
  flat.mode_ = *mode;
  flat.aggregate_ = forest.aggregate;
  flat.targets_ = static_cast<size_t>(forest.targets);
  flat.weights_ = forest.weights;
  // No child is node 0, and a leaf's `child` is the node before it.
  flat.nodes_.push_back({0, 0, 0});
  flat.weights_of_.push_back({0, 0});
  for (const uint32_t root : forest.roots) flat.AddTree(forest, root);
  return flat;
}

// Breadth first: the upper levels of a tree, which every walk visits, lie together.
void FlatForest::AddTree(const Forest& forest, uint32_t root) {
  const auto base = static_cast<uint32_t>(nodes_.size());
  roots_.push_back(base);
  std::vector<uint32_t> order = {root};
  for (size_t i = 0; i < order.size(); ++i) {
    const TreeNode& from = forest.nodes[order[i]];
    if (from.mode == NodeMode::kLeaf) {
      const auto self = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({std::numeric_limits<float>::quiet_NaN(), 0, self - 1});
      weights_of_.push_back({from.if_true, from.if_false});
      continue;
    }
    nodes_.push_back({static_cast<float>(from.value), static_cast<uint32_t>(from.feature),
                      base + static_cast<uint32_t>(order.size())});
    weights_of_.push_back({0, 0});
    order.push_back(from.if_true);
    order.push_back(from.if_false);
  }
}

// No comparison with the NaN of a leaf holds, so a lane that has arrived goes to itself.
template <typename Holds>
void FlatForest::WalkLanes(const float* const* rows, uint32_t* at, Holds holds) const {
  const Node* const nodes = nodes_.data();
  uint32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const Node& node = nodes[at[lane]];
      const uint32_t next =
          node.child + (holds(rows[lane][node.feature], node.threshold) ? 0u : 1u);
      moved |= next ^ at[lane];
      at[lane] = next;
    }
  }
}

void FlatForest::Walk(const float* const* rows, uint32_t* at) const {
  switch (mode_) {
    case NodeMode::kLt:
      return WalkLanes(rows, at, [](float v, float t) { return v < t; });
    case NodeMode::kGte:
      return WalkLanes(rows, at, [](float v, float t) { return v >= t; });
    case NodeMode::kGt:
      return WalkLanes(rows, at, [](float v, float t) { return v > t; });
    case NodeMode::kEq:
      return WalkLanes(rows, at, [](float v, float t) { return v == t; });
    default:
      return WalkLanes(rows, at, [](float v, float t) { return v <= t; });
  }
}

void FlatForest::AddSums(uint32_t node, double* scores, bool* seen) const {
  const auto [begin, end] = weights_of_[node];
  for (uint32_t i = begin; i < end; ++i) {
    const LeafWeight& w = weights_[i];
    scores[w.target] += w.weight;
    seen[w.target] = true;
  }
}

void FlatForest::AddLeaf(uint32_t node, double* scores, bool* seen) const {
  if (aggregate_ == Aggregate::kSum || aggregate_ == Aggregate::kAverage) {
    return AddSums(node, scores, seen);
  }
  const auto [begin, end] = weights_of_[node];
  for (uint32_t i = begin; i < end; ++i) {
    const LeafWeight& w = weights_[i];
    double& score = scores[w.target];
    const bool better = aggregate_ == Aggregate::kMin ? w.weight < score : w.weight > score;
    if (!seen[w.target] || better) score = w.weight;
    seen[w.target] = true;
  }
}

// Lanes are trees.
void FlatForest::ScoreRow(const float* row, double* scores, bool* seen, uint32_t* leaves) const {
  const float* rows[kLanes];
  std::fill(rows, rows + kLanes, row);
  for (size_t first = 0; first < roots_.size(); first += kLanes) {
    const size_t count = std::min(kLanes, roots_.size() - first);
    uint32_t at[kLanes];
    for (size_t lane = 0; lane < kLanes; ++lane) {
      at[lane] = roots_[first + std::min(lane, count - 1)];
    }
    Walk(rows, at);
    std::copy(at, at + count, leaves + first);
  }
  for (size_t tree = 0; tree < roots_.size(); ++tree) AddLeaf(leaves[tree], scores, seen);
}

// Lanes are kLanes rows, which all walk the same tree.
void FlatForest::ScoreRows(const float* x, size_t columns, double* scores, bool* seen) const {
  const float* rows[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane) rows[lane] = x + lane * columns;
  for (const uint32_t root : roots_) {
    uint32_t at[kLanes];
    std::fill(at, at + kLanes, root);
    Walk(rows, at);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      AddLeaf(at[lane], scores + lane * targets_, seen + lane * targets_);
    }
  }
}

void FlatForest::Finish(double* scores, const bool* seen) const {
  for (size_t t = 0; t < targets_; ++t) {
    if (!seen[t]) scores[t] = 0;
  }
  if (aggregate_ != Aggregate::kAverage || roots_.empty()) return;
  for (size_t t = 0; t < targets_; ++t) scores[t] /= static_cast<double>(roots_.size());
}

void FlatForest::Score(const float* x, size_t columns, size_t count, double* scores, bool* seen,
                       uint32_t* leaves) const {
  // The sum of -0 and a first weight is that weight, whatever its sign.
  std::fill(scores, scores + count * targets_, -0.0);
  std::fill(seen, seen + count * targets_, false);
  size_t row = 0;
  for (; row + kLanes <= count; row += kLanes) {
    ScoreRows(x + row * columns, columns, scores + row * targets_, seen + row * targets_);
  }
  for (; row < count; ++row) {
    ScoreRow(x + row * columns, scores + row * targets_, seen + row * targets_, leaves);
  }
  for (row = 0; row < count; ++row) Finish(scores + row * targets_, seen + row * targets_);
}

}  // namespace waybill::cpu
