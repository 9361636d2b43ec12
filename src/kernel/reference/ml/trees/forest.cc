#include "kernel/reference/ml/trees/forest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kernel/reference/ml/trees/attributes.h"
#include "kernel/reference/ml/trees/node_index.h"

namespace waybill::kernel::reference {

namespace {

// More nodes than this cannot be indexed; no file that fits in memory comes near.
constexpr size_t kMaxNodes = 1u << 31;

Result<NodeMode> ParseMode(const std::string& name) {
  constexpr std::pair<std::string_view, NodeMode> kModes[] = {
      {"BRANCH_LEQ", NodeMode::kLeq}, {"BRANCH_LT", NodeMode::kLt}, {"BRANCH_GTE", NodeMode::kGte},
      {"BRANCH_GT", NodeMode::kGt},   {"BRANCH_EQ", NodeMode::kEq}, {"BRANCH_NEQ", NodeMode::kNeq},
      {"LEAF", NodeMode::kLeaf},
  };
  for (const auto& [known, mode] : kModes) {
    if (known == name) return mode;
  }
  return Error(Code::kInvalidArgument, "nodes_modes contains '{}'", name);
}

Result<Aggregate> ParseAggregate(const std::string& name) {
  if (name == "SUM") return Aggregate::kSum;
  if (name == "AVERAGE") return Aggregate::kAverage;
  if (name == "MIN") return Aggregate::kMin;
  if (name == "MAX") return Aggregate::kMax;
  return Error(Code::kInvalidArgument, "aggregate_function is '{}'", name);
}

Status CheckLength(size_t length, size_t expected, std::string_view name, bool may_be_absent) {
  if (length == expected || (may_be_absent && length == 0)) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} has {} entries, expected {}", name, length, expected);
}

// Every node is reached exactly once, from one root: then every walk ends, and no node hides in a
// cycle beside the trees. Also finds `features`.
Status CheckTrees(Forest& forest) {
  std::vector<bool> reached(forest.nodes.size());
  std::vector<uint32_t> open;
  for (const uint32_t root : forest.roots) {
    open.assign(1, root);
    while (!open.empty()) {
      const uint32_t index = open.back();
      open.pop_back();
      if (reached[index]) {
        return Error(Code::kInvalidArgument, "tree node {} is reached twice: no tree", index);
      }
      reached[index] = true;
      const TreeNode& node = forest.nodes[index];
      if (node.mode == NodeMode::kLeaf) continue;
      if (node.feature < 0 || node.feature > (int64_t{1} << 40)) {
        return Error(Code::kInvalidArgument, "tree node {} looks at feature {}", index,
                     node.feature);
      }
      forest.features = std::max(forest.features, node.feature + 1);
      open.push_back(node.if_true);
      open.push_back(node.if_false);
    }
  }
  const auto lost = std::find(reached.begin(), reached.end(), false);
  if (lost != reached.end()) {
    return Error(Code::kInvalidArgument,
                 "tree node {} is not reached from any root: a cycle, or a node without a parent",
                 lost - reached.begin());
  }
  return Status::Ok();
}

// Each tree has one root: the node that is no child.
Status FindRoots(std::span<const int64_t> trees, const std::vector<bool>& is_child,
                 Forest& forest) {
  std::map<int64_t, size_t> roots_of_tree;
  size_t* roots = nullptr;
  for (size_t i = 0; i < trees.size(); ++i) {
    if (i == 0 || trees[i] != trees[i - 1]) roots = &roots_of_tree[trees[i]];
    if (is_child[i]) continue;
    if (++*roots > 1) return Error(Code::kInvalidArgument, "tree {} has two roots", trees[i]);
    forest.roots.push_back(static_cast<uint32_t>(i));
  }
  for (const auto& [tree, count] : roots_of_tree) {
    if (count == 0) return Error(Code::kInvalidArgument, "tree {} has no root: a cycle", tree);
  }
  return Status::Ok();
}

Status ParseNodes(const graph::Attributes& attrs, Forest& forest, NodeIndex& index) {
  const std::vector<int64_t> trees = attrs.Ints("nodes_treeids"), ids = attrs.Ints("nodes_nodeids"),
                             features = attrs.Ints("nodes_featureids"),
                             if_true = attrs.Ints("nodes_truenodeids"),
                             if_false = attrs.Ints("nodes_falsenodeids"),
                             missing = attrs.Ints("nodes_missing_value_tracks_true");
  const std::vector<std::string> modes = attrs.Strings("nodes_modes");
  WB_ASSIGN_OR_RETURN(const std::vector<double> values, FloatsOrTensor(attrs, "nodes_values"));
  const size_t count = trees.size();
  if (count > kMaxNodes) return Error(Code::kInvalidArgument, "{} nodes are too many", count);
  WB_RETURN_IF_ERROR(CheckLength(ids.size(), count, "nodes_nodeids", false));
  WB_RETURN_IF_ERROR(CheckLength(features.size(), count, "nodes_featureids", false));
  WB_RETURN_IF_ERROR(CheckLength(if_true.size(), count, "nodes_truenodeids", false));
  WB_RETURN_IF_ERROR(CheckLength(if_false.size(), count, "nodes_falsenodeids", false));
  WB_RETURN_IF_ERROR(CheckLength(modes.size(), count, "nodes_modes", false));
  WB_RETURN_IF_ERROR(CheckLength(values.size(), count, "nodes_values", false));
  WB_RETURN_IF_ERROR(CheckLength(missing.size(), count, "nodes_missing_value_tracks_true", true));
  WB_ASSIGN_OR_RETURN(index, NodeIndex::Make(trees, ids));
  forest.nodes.resize(count);
  std::vector<bool> is_child(count);
  for (size_t i = 0; i < count; ++i) {
    TreeNode& node = forest.nodes[i];
    WB_ASSIGN_OR_RETURN(node.mode, ParseMode(modes[i]));
    node.feature = features[i];
    node.value = values[i];
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    if (node.mode == NodeMode::kLeaf) continue;
    WB_ASSIGN_OR_RETURN(node.if_true, index.Find(trees[i], if_true[i]));
    WB_ASSIGN_OR_RETURN(node.if_false, index.Find(trees[i], if_false[i]));
    is_child[node.if_true] = is_child[node.if_false] = true;
  }
  return FindRoots(trees, is_child, forest);
}

// Sorts the weights of leaves by node, so that each leaf owns a range of them.
Status ParseWeights(const graph::Attributes& attrs, const std::string& prefix, Forest& forest,
                    NodeIndex& index) {
  const std::vector<int64_t> trees = attrs.Ints(prefix + "_treeids"),
                             nodes = attrs.Ints(prefix + "_nodeids"),
                             targets = attrs.Ints(prefix + "_ids");
  WB_ASSIGN_OR_RETURN(const std::vector<double> weights,
                      FloatsOrTensor(attrs, prefix + "_weights"));
  const size_t count = trees.size();
  if (count > kMaxNodes) return Error(Code::kInvalidArgument, "{} weights are too many", count);
  WB_RETURN_IF_ERROR(CheckLength(nodes.size(), count, prefix + "_nodeids", false));
  WB_RETURN_IF_ERROR(CheckLength(targets.size(), count, prefix + "_ids", false));
  WB_RETURN_IF_ERROR(CheckLength(weights.size(), count, prefix + "_weights", false));
  std::vector<std::pair<uint32_t, uint32_t>> by_node;  // node, entry
  for (size_t i = 0; i < count; ++i) {
    WB_ASSIGN_OR_RETURN(const uint32_t node, index.Find(trees[i], nodes[i]));
    if (targets[i] < 0 || targets[i] >= forest.targets) {
      return Error(Code::kInvalidArgument, "{}_ids contains {}, there are {}", prefix, targets[i],
                   forest.targets);
    }
    // Weights of inner nodes are never read.
    if (forest.nodes[node].mode == NodeMode::kLeaf) {
      by_node.emplace_back(node, static_cast<uint32_t>(i));
    }
  }
  std::sort(by_node.begin(), by_node.end());
  for (size_t i = 0; i < by_node.size();) {
    TreeNode& leaf = forest.nodes[by_node[i].first];
    leaf.if_true = static_cast<uint32_t>(i);
    const uint32_t node = by_node[i].first;
    for (; i < by_node.size() && by_node[i].first == node; ++i) {
      const uint32_t entry = by_node[i].second;
      forest.weights.push_back({targets[entry], weights[entry]});
    }
    leaf.if_false = static_cast<uint32_t>(i);
  }
  return Status::Ok();
}

}  // namespace

bool Forest::Decide(const TreeNode& node, double v) const {
  if (node.missing_is_true && std::isnan(v)) return true;
  switch (node.mode) {
    case NodeMode::kLeq:
      return v <= node.value;
    case NodeMode::kLt:
      return v < node.value;
    case NodeMode::kGte:
      return v >= node.value;
    case NodeMode::kGt:
      return v > node.value;
    case NodeMode::kEq:
      return v == node.value;
    case NodeMode::kNeq:
      return v != node.value;
    case NodeMode::kMember:
      return std::find(members.begin() + node.members_begin, members.begin() + node.members_end,
                       v) != members.begin() + node.members_end;
    case NodeMode::kLeaf:
      break;
  }
  return false;
}

Result<Forest> ParseForest(const graph::Attributes& attrs, const std::string& weights_prefix,
                           int64_t targets) {
  Forest forest;
  forest.targets = targets >= 0 ? targets : attrs.Int("n_targets", 1);
  if (forest.targets < 1 || forest.targets > (int64_t{1} << 24)) {
    return Error(Code::kInvalidArgument, "{} targets or classes", forest.targets);
  }
  WB_ASSIGN_OR_RETURN(forest.aggregate, ParseAggregate(attrs.String("aggregate_function", "SUM")));
  WB_ASSIGN_OR_RETURN(forest.post, ParsePostTransform(attrs.String("post_transform", "NONE")));
  WB_ASSIGN_OR_RETURN(forest.base_values, FloatsOrTensor(attrs, "base_values"));
  NodeIndex index;
  WB_RETURN_IF_ERROR(ParseNodes(attrs, forest, index));
  WB_RETURN_IF_ERROR(ParseWeights(attrs, weights_prefix, forest, index));
  WB_RETURN_IF_ERROR(CheckTrees(forest));
  return forest;
}

namespace {

// The lists of TreeEnsemble-5, where inner nodes and leaves are numbered apart.
struct Lists5 {
  std::vector<int64_t> roots, features, if_true, if_false, true_leafs, false_leafs, missing;
  std::vector<double> modes, splits, members, weights;
  std::vector<int64_t> targets;
};

Result<std::vector<double>> TensorList(const graph::Attributes& attrs, std::string_view name) {
  const Tensor* tensor = attrs.Get<Tensor>(name);
  if (tensor == nullptr) return std::vector<double>();
  if (tensor->dtype() != DType::kU8) return FloatsOfTensor(*tensor);
  std::vector<double> out;
  for (const uint8_t code : tensor->span<const uint8_t>()) out.push_back(code);
  return out;
}

Result<Lists5> ReadLists5(const graph::Attributes& attrs) {
  Lists5 l;
  l.roots = attrs.Ints("tree_roots");
  l.features = attrs.Ints("nodes_featureids");
  l.if_true = attrs.Ints("nodes_truenodeids");
  l.if_false = attrs.Ints("nodes_falsenodeids");
  l.true_leafs = attrs.Ints("nodes_trueleafs");
  l.false_leafs = attrs.Ints("nodes_falseleafs");
  l.missing = attrs.Ints("nodes_missing_value_tracks_true");
  l.targets = attrs.Ints("leaf_targetids");
  WB_ASSIGN_OR_RETURN(l.modes, TensorList(attrs, "nodes_modes"));
  WB_ASSIGN_OR_RETURN(l.splits, TensorList(attrs, "nodes_splits"));
  WB_ASSIGN_OR_RETURN(l.members, TensorList(attrs, "membership_values"));
  WB_ASSIGN_OR_RETURN(l.weights, TensorList(attrs, "leaf_weights"));
  const size_t count = l.features.size();
  WB_RETURN_IF_ERROR(CheckLength(l.if_true.size(), count, "nodes_truenodeids", false));
  WB_RETURN_IF_ERROR(CheckLength(l.if_false.size(), count, "nodes_falsenodeids", false));
  WB_RETURN_IF_ERROR(CheckLength(l.true_leafs.size(), count, "nodes_trueleafs", false));
  WB_RETURN_IF_ERROR(CheckLength(l.false_leafs.size(), count, "nodes_falseleafs", false));
  WB_RETURN_IF_ERROR(CheckLength(l.missing.size(), count, "nodes_missing_value_tracks_true", true));
  WB_RETURN_IF_ERROR(CheckLength(l.modes.size(), count, "nodes_modes", false));
  WB_RETURN_IF_ERROR(CheckLength(l.splits.size(), count, "nodes_splits", false));
  WB_RETURN_IF_ERROR(CheckLength(l.targets.size(), l.weights.size(), "leaf_targetids", false));
  if (count > kMaxNodes / 2 || l.weights.size() > kMaxNodes / 2) {
    return Error(Code::kInvalidArgument, "{} nodes are too many", count);
  }
  return l;
}

// A fresh leaf node for each edge into leaf `leaf`: edges may share leaves, trees may not.
Result<uint32_t> AddLeaf(Forest& forest, int64_t leaf) {
  if (leaf < 0 || leaf >= static_cast<int64_t>(forest.weights.size())) {
    return Error(Code::kInvalidArgument, "there is no leaf {}", leaf);
  }
  TreeNode node;
  node.if_true = static_cast<uint32_t>(leaf);
  node.if_false = node.if_true + 1;
  forest.nodes.push_back(node);
  return static_cast<uint32_t>(forest.nodes.size() - 1);
}

Result<uint32_t> Edge(Forest& forest, size_t inner, int64_t to, bool leaf) {
  if (leaf) return AddLeaf(forest, to);
  if (to >= 0 && to < static_cast<int64_t>(inner)) return static_cast<uint32_t>(to);
  return Error(Code::kInvalidArgument, "there is no node {}", to);
}

}  // namespace

Result<Forest> ParseForest5(const graph::Attributes& attrs) {
  WB_ASSIGN_OR_RETURN(const Lists5 l, ReadLists5(attrs));
  Forest forest;
  forest.targets = attrs.Int("n_targets", 1);
  const int64_t aggregate = attrs.Int("aggregate_function", 1);
  if (forest.targets < 1 || forest.targets > (int64_t{1} << 24) || aggregate < 0 || aggregate > 3) {
    return Error(Code::kInvalidArgument, "{} targets, aggregate_function {}", forest.targets,
                 aggregate);
  }
  forest.aggregate = static_cast<Aggregate>(aggregate);
  WB_ASSIGN_OR_RETURN(forest.post, PostTransformOf(attrs.Int("post_transform")));
  for (size_t i = 0; i < l.weights.size(); ++i) {
    if (l.targets[i] < 0 || l.targets[i] >= forest.targets) {
      return Error(Code::kInvalidArgument, "leaf_targetids contains {}, there are {}", l.targets[i],
                   forest.targets);
    }
    forest.weights.push_back({l.targets[i], l.weights[i]});
  }
  const size_t inner = l.features.size();
  forest.nodes.resize(inner);
  forest.members = l.members;
  size_t member = 0;  // sets follow each other, each ended by a NaN
  for (size_t i = 0; i < inner; ++i) {
    WB_ASSIGN_OR_RETURN(const uint32_t if_true,
                        Edge(forest, inner, l.if_true[i], l.true_leafs[i] != 0));
    // Both edges into one leaf say that the tree is this leaf alone.
    WB_ASSIGN_OR_RETURN(const uint32_t if_false,
                        Edge(forest, inner, l.if_false[i], l.false_leafs[i] != 0));
    TreeNode& node = forest.nodes[i];
    if (!(l.modes[i] >= 0 && l.modes[i] <= 6)) {
      return Error(Code::kInvalidArgument, "nodes_modes contains {}", l.modes[i]);
    }
    node.mode = static_cast<NodeMode>(l.modes[i]);
    node.feature = l.features[i];
    node.value = l.splits[i];
    node.missing_is_true = !l.missing.empty() && l.missing[i] != 0;
    node.if_true = if_true;
    node.if_false = if_false;
    if (node.mode != NodeMode::kMember) continue;
    node.members_begin = static_cast<uint32_t>(member);
    while (member < l.members.size() && !std::isnan(l.members[member])) ++member;
    node.members_end = static_cast<uint32_t>(member);
    if (member < l.members.size()) ++member;
  }
  for (const int64_t root : l.roots) {
    WB_ASSIGN_OR_RETURN(const uint32_t index, Edge(forest, inner, root, false), "tree_roots");
    forest.roots.push_back(index);
  }
  WB_RETURN_IF_ERROR(CheckTrees(forest));
  return forest;
}

}  // namespace waybill::kernel::reference
