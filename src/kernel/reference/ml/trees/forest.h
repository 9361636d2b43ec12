// Decision trees as the three tree operators describe them, checked once and then walked without
// further checks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"
#include "kernel/reference/ml/post_transform.h"

namespace waybill::kernel::reference {

enum class NodeMode : uint8_t { kLeq, kLt, kGte, kGt, kEq, kNeq, kMember, kLeaf };

struct TreeNode {
  NodeMode mode = NodeMode::kLeaf;
  bool missing_is_true = false;  // where NaN goes
  int64_t feature = 0;
  double value = 0;
  // Children by index into Forest::nodes; of a leaf: its first weight and their count. Of kMember,
  // `members` says which set.
  uint32_t if_true = 0, if_false = 0;
  uint32_t members_begin = 0, members_end = 0;
};

struct LeafWeight {
  int64_t target = 0;
  double weight = 0;
};

enum class Aggregate : uint8_t { kAverage, kSum, kMin, kMax };

struct Forest {
  std::vector<TreeNode> nodes;
  std::vector<uint32_t> roots;  // one per tree
  std::vector<LeafWeight> weights;
  std::vector<double> members;
  std::vector<double> base_values;  // empty, or one per target
  int64_t targets = 0;
  int64_t features = 0;  // columns that X must have at least
  Aggregate aggregate = Aggregate::kSum;
  PostTransform post = PostTransform::kNone;
  DType threshold_type = DType::kF32;

  // The leaf of tree `root` for a row: feature(i) is its i-th value.
  template <typename Feature>
  const TreeNode& Leaf(uint32_t root, const Feature& feature) const {
    const TreeNode* node = &nodes[root];
    while (node->mode != NodeMode::kLeaf) {
      const double v = feature(node->feature);
      node = &nodes[Decide(*node, v) ? node->if_true : node->if_false];
    }
    return *node;
  }

  // Adds up all trees for a row. `scores` and `seen` have `targets` entries; seen[t] says whether
  // any leaf spoke of target t. Base values and transformations are the caller's.
  template <typename Feature>
  void Score(const Feature& feature, double* scores, bool* seen) const {
    for (int64_t t = 0; t < targets; ++t) {
      scores[t] = 0;
      seen[t] = false;
    }
    for (const uint32_t root : roots) {
      const TreeNode& leaf = Leaf(root, feature);
      for (uint32_t i = leaf.if_true; i < leaf.if_false; ++i) {
        Add(weights[i], scores, seen);
      }
    }
    if (aggregate != Aggregate::kAverage || roots.empty()) return;
    for (int64_t t = 0; t < targets; ++t) scores[t] /= static_cast<double>(roots.size());
  }

 private:
  bool Decide(const TreeNode& node, double v) const;
  void Add(const LeafWeight& w, double* scores, bool* seen) const {
    double& s = scores[w.target];
    const bool first = !seen[w.target];
    seen[w.target] = true;
    if (first) {
      s = w.weight;
    } else if (aggregate == Aggregate::kMin) {
      s = w.weight < s ? w.weight : s;
    } else if (aggregate == Aggregate::kMax) {
      s = w.weight > s ? w.weight : s;
    } else {
      s += w.weight;
    }
  }
};

// From the attributes of TreeEnsembleClassifier / TreeEnsembleRegressor (`weights_prefix` is
// "class" or "target") or of TreeEnsemble. `targets`: how many there must be; -1 takes n_targets.
// Errors: kInvalidArgument for lists of different lengths, unknown modes, ids that name nothing,
// doubled ids, cycles, shared subtrees and nodes that no root reaches.
Result<Forest> ParseForest(const graph::Attributes& attrs, const std::string& weights_prefix,
                           int64_t targets);
Result<Forest> ParseForest5(const graph::Attributes& attrs);

}  // namespace waybill::kernel::reference
