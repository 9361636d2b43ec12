// The layout pass: from the first convolution on, image-like values [N, C, spatial...] are kept as
// [N, spatial..., C] ("channels last"), as far as the operators behind it can follow. Each node
// that follows is one patch: it reads and makes channels-last twins of its values, and a Transpose
// makes the old value from the new one for whoever still reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

// perm of Transpose, both ways.
std::vector<int64_t> ToChannelsLast(size_t rank);
std::vector<int64_t> ToChannelsFirst(size_t rank);
// Where an axis of [N, C, spatial...] is in [N, spatial..., C].
int64_t AxisInChannelsLast(int64_t axis, size_t rank);

class LayoutPass {
 public:
  explicit LayoutPass(Editor& editor) : editor_(editor) {}
  Status Run();

  // One node on its way to channels last.
  struct Draft {
    Draft(Patch p, Node n) : patch(std::move(p)), node(std::move(n)) {}
    Patch patch;
    Node node;  // with channels-last inputs
  };

  Editor& editor() { return editor_; }
  const Graph& graph() const { return editor_.graph(); }
  // Unknown rank: 0.
  size_t RankOf(ValueId value) const;
  bool HasTwin(ValueId value) const { return twins_.count(value) != 0; }

  // The channels-last form of a value: its twin, a permuted constant, the source of a Transpose
  // that undoes it, or a Transpose added to the patch. Errors: kOutOfMemory.
  Result<ValueId> Twin(ValueId value, Patch& patch);
  // The same for an operand that broadcasts to `rank` axes; constants of lower rank are widened.
  // Nothing when it can not be permuted.
  Result<std::optional<ValueId>> TwinOperand(ValueId value, size_t rank, Patch& patch);

  Draft Begin(NodeId id, std::string_view why) const;
  // Applies the patch with a twin for each output of the node, whose outputs are the old values.
  void Finish(Draft draft, NodeId id);
  // The same for a node whose result is the same in both layouts.
  void FinishAsIs(Draft draft, NodeId id);

 private:
  void AddTranspose(Patch& patch, ValueId from, ValueId to, std::vector<int64_t> perm) const;

  Editor& editor_;
  std::unordered_map<ValueId, ValueId> twins_;
};

// Rules by kind of operator. True: the node is of that kind (whether or not it followed).
Result<bool> FollowWindow(LayoutPass& pass, NodeId id);       // Conv, ConvTranspose, pools
Result<bool> FollowElementwise(LayoutPass& pass, NodeId id);  // whatever broadcasts
Result<bool> FollowAxes(LayoutPass& pass, NodeId id);         // Concat, Split, Softmax, Reduce, ...
Result<bool> FollowGeometry(LayoutPass& pass, NodeId id);     // Resize, Pad, Slice, Transpose
Result<bool> FollowShuffle(LayoutPass& pass, NodeId id);      // Reshape, Transpose, Reshape

}  // namespace waybill::graph::rewrite
