// Editor applies patches to one graph and keeps what passes need to know of it up to date.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/rewrite/patch.h"
#include "graph/rewrite/rewrite.h"

namespace waybill::graph::rewrite {

// What all graphs of one rewrite share.
struct RewriteState {
  const RewriteOptions& options;
  RewriteReport& report;
  size_t applied = 0;
  // DequantizeLinear of constants is not folded: fusions of quantized operators want to see it.
  bool keep_dequantized = false;
  // Transpose of large weights is not folded: the nodes that pack them read them as they are.
  bool keep_transposed = false;
  // Nodes whose results found no memory and are not constants yet.
  struct Short {
    const Graph* graph = nullptr;
    NodeId node = kNoNode;
    std::string text;
  };
  std::vector<Short> short_of_memory;
};

class Editor {
 public:
  // `where` is put before node names in records. All are borrowed.
  Editor(Graph& graph, RewriteState& state, std::string where);

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const RewriteOptions& options() const { return state_.options; }
  RewriteReport& report() { return state_.report; }
  bool keep_dequantized() const { return state_.keep_dequantized; }
  bool keep_transposed() const { return state_.keep_transposed; }

  // Live nodes in order, without those that patches inserted since the Editor was made.
  const std::vector<NodeId>& order() const { return order_; }
  // Uses by live nodes, captures of their subgraphs among them; outputs of the graph not counted.
  size_t uses(ValueId value) const { return uses_[value]; }
  bool is_output(ValueId value) const { return is_output_[value]; }
  // The only reader of a value that is no output; kNoNode otherwise.
  NodeId SingleReader(ValueId value) const;
  // Live nodes that read the value, themselves or in their bodies.
  std::vector<NodeId> Readers(ValueId value) const;
  // Whether all readers are among `nodes` and the value is no output.
  bool ReadOnlyBy(ValueId value, const std::unordered_set<NodeId>& nodes) const;
  // True for values that a node computes (neither inputs nor captures nor constants).
  bool IsComputed(ValueId value) const;
  // The value's constant; null when it is none.
  const Constant* ConstantOf(ValueId value) const;

  // The elements of a constant of int64 or int32 elements that is no splat; nothing otherwise.
  std::optional<std::vector<int64_t>> IntsOf(ValueId value) const;
  // A constant int64 vector. Errors: kOutOfMemory.
  Result<ValueId> AddInts(std::string name, const std::vector<int64_t>& numbers);

  // A value for the outputs of inserted nodes; its type is inferred when they are.
  ValueId AddValue(std::string name);
  // A constant value that patches may read.
  ValueId AddConstant(std::string name, Constant constant);

  // Makes the change. False when it was refused, because it would change a type or shape, or
  // because no more patches may be applied; then the graph is as before.
  bool Apply(Patch patch);

  // Notes that a patch about the node was not made for want of memory; once for each node. A patch
  // that makes constants of what the node computes takes that back, as does its going unread.
  void NoteShortOfMemory(const Patch& patch, const Status& status);

  // Writes the new order of nodes into the graph. To be called at the end of every pass.
  void Finish();

  // Removes computed nodes whose results nobody reads, and drops constants that nobody reads.
  // Returns how many nodes went. No patch: nothing that runs is changed.
  size_t RemoveDead();

 private:
  ValueId Add(Value value);
  bool CheckTypes(const Patch& patch, std::string& why) const;
  bool Insert(Patch& patch, std::string& why);
  void Replace(ValueId value, ValueId by);
  void Rename(ValueId value, ValueId by);
  void SetConstant(ValueId value, Constant constant);
  void Remove(NodeId id);
  void ForgetShortOfMemory(NodeId id);
  void CountUses(const Node& node, NodeId id, int by);
  void Record(const Patch& patch, bool refused, std::string_view why);
  // Whether a live node reads the value, itself or in its bodies.
  bool Reads(NodeId id, ValueId value) const;

  Graph& graph_;
  RewriteState& state_;
  std::string where_;
  std::vector<NodeId> order_;
  std::unordered_map<NodeId, std::vector<NodeId>> inserted_;  // by the node they stand before
  std::vector<std::vector<NodeId>> readers_;  // may name nodes that are dead or read it no more
  std::vector<size_t> uses_;
  std::vector<bool> is_output_;
};

// Calls fn(GraphPtr&) for each subgraph of the node.
template <typename N, typename Fn>
void ForEachBody(N& node, Fn fn) {
  for (auto& attribute : node.attrs.all()) {
    if (auto* body = std::get_if<GraphPtr>(&attribute.value)) fn(*body);
    if (auto* bodies = std::get_if<std::vector<GraphPtr>>(&attribute.value)) {
      for (auto& item : *bodies) fn(item);
    }
  }
}

}  // namespace waybill::graph::rewrite
