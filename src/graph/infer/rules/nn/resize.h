// Which input of which version gives a Resize its sizes, and the sizes that follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::graph::infer {

enum class AspectPolicy : uint8_t { kStretch, kNotLarger, kNotSmaller };

struct ResizeAttrs {
  std::vector<int64_t> axes;  // as given; empty: all, in order
  AspectPolicy policy = AspectPolicy::kStretch;
  std::optional<std::vector<float>> scales;  // attributes of Upsample-1 and -7
  // Node inputs that may hold these; 0 where the version has none.
  size_t roi_input = 0, scales_input = 0, sizes_input = 0;
};

// For Resize and Upsample of any version.
Result<ResizeAttrs> ParseResize(const Node& node);

// One axis: the size that comes out, and output / input as the coordinate formulas want it.
struct ResizeAxis {
  int64_t out = 0;
  double scale = 1;
};

// The axes of a tensor of shape `in`, all of them, from scales or sizes (one of which is empty).
// `out` has in.rank() entries. Errors: kInvalidArgument for counts that do not fit and scales or
// sizes out of range.
Status ResizeAxes(const ResizeAttrs& attrs, const Shape& in, std::span<const float> scales,
                  std::span<const int64_t> sizes, std::span<ResizeAxis> out);

// floor(in * scale) as all runtimes compute it, in single precision.
// Errors: kInvalidArgument for a scale that is not positive or a size past 2^31.
Result<int64_t> ScaledSize(int64_t in, float scale);

}  // namespace waybill::graph::infer
