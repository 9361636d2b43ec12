// Nodes that scale and shift by channel with constants: BatchNormalization at inference, and
// Add, Sub, Mul and Div with a constant.
#pragma once

#include <optional>
#include <vector>

#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

// y = x * factor + shift, by channel.
struct Affine {
  std::vector<double> factor, shift;
  bool scales = false;   // some factor is not 1
  bool uniform = false;  // one factor for all channels

  // This one and then `next`.
  void Append(const Affine& next);
};

// What `node` does to `input`, which has `rank` axes and `channels` channels on axis
// `channel_axis`; nothing when it is something else, or would change the shape.
// Errors: kOutOfMemory.
Result<std::optional<Affine>> ReadAffine(Editor& editor, const Node& node, ValueId input,
                                         size_t rank, size_t channel_axis, size_t channels);

// The elements of a float or double constant of `count` elements as doubles; one element, and
// every splat, counts for all. Nothing when the value is no such constant. Errors: kOutOfMemory.
Result<std::optional<std::vector<double>>> ReadNumbers(Editor& editor, ValueId id, size_t count);

}  // namespace waybill::graph::rewrite
