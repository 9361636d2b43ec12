// Decision trees laid out for walking: small nodes, siblings side by side, leaves that lead to
// themselves, so that several walks go on in step without a branch for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/reference/ml/trees/forest.h"

namespace waybill::cpu {

class FlatForest {
 public:
  // Nothing when the trees need more than one comparison: several modes, memberships, missing
  // values that go the true way, thresholds that are no floats, too many nodes or features.
  static std::optional<FlatForest> Make(const kernel::reference::Forest& forest);

  size_t trees() const { return roots_.size(); }
  size_t targets() const { return targets_; }

  // Sums up all trees for `count` rows of X, `columns` apart. `scores` and `seen` have targets()
  // entries for each row and become what Forest::Score makes of the row, bit for bit. `leaves` has
  // trees() entries of scratch.
  void Score(const float* x, size_t columns, size_t count, double* scores, bool* seen,
             uint32_t* leaves) const;

 private:
  struct Node {
    float threshold;
    uint32_t feature;
    uint32_t child;  // where the comparison holds; the next node where it does not
  };
  struct Weights {
    uint32_t begin, end;
  };
  static constexpr size_t kLanes = 8;

  void AddTree(const kernel::reference::Forest& forest, uint32_t root);
  void AddLeaf(uint32_t node, double* scores, bool* seen) const;
  void AddSums(uint32_t node, double* scores, bool* seen) const;
  void ScoreRow(const float* row, double* scores, bool* seen, uint32_t* leaves) const;
  void ScoreRows(const float* x, size_t columns, double* scores, bool* seen) const;
  void Finish(double* scores, const bool* seen) const;

  // Walks kLanes lanes to their leaves.
  template <typename Holds>
  void WalkLanes(const float* const* rows, uint32_t* at, Holds holds) const;
  void Walk(const float* const* rows, uint32_t* at) const;

  kernel::reference::NodeMode mode_ = kernel::reference::NodeMode::kLeq;
  kernel::reference::Aggregate aggregate_ = kernel::reference::Aggregate::kSum;
  size_t targets_ = 0;
  std::vector<Node> nodes_;
  std::vector<Weights> weights_of_;  // by node
  std::vector<uint32_t> roots_;
  std::vector<kernel::reference::LeafWeight> weights_;
};

}  // namespace waybill::cpu
