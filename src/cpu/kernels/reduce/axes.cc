#include "cpu/kernels/reduce/axes.h"

#include <utility>

namespace waybill::cpu {
namespace {

struct Group {
  ReduceAxis axis;
  bool reduced = false;
};

ReduceAxes FromMask(const Shape& shape, const Shape& is_reduced) {
  std::vector<Group> groups;  // slowest first
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    const bool reduced = is_reduced[i] != 0;
    const auto dim = static_cast<size_t>(shape[i]);
    const auto stride = static_cast<size_t>(shape.Stride(i));
    if (!groups.empty() && groups.back().reduced == reduced) {
      groups.back().axis.dim *= dim;
      groups.back().axis.stride = stride;
    } else {
      groups.push_back({{dim, stride}, reduced});
    }
  }
  ReduceAxes out;
  if (!groups.empty()) {
    out.inner = groups.back().axis.dim;
    out.inner_is_reduced = groups.back().reduced;
    groups.pop_back();
  }
  if (!out.inner_is_reduced && !groups.empty()) {
    out.rows = groups.back().axis;
    groups.pop_back();
  }
  for (const Group& group : groups) {
    (group.reduced ? out.reduced : out.kept).push_back(group.axis);
    (group.reduced ? out.reduced_count : out.kept_count) *= group.axis.dim;
  }
  return out;
}

}  // namespace

Result<ReduceAxes> MakeReduceAxes(const Shape& shape, std::span<const int64_t> axes) {
  Shape mask = Shape::Filled(shape.rank(), axes.empty() ? 1 : 0);
  for (const int64_t axis : axes) {
    const auto index = NormalizeAxis(axis, shape.rank());
    if (!index) {
      return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", axis,
                   shape.rank());
    }
    mask[*index] = 1;
  }
  return FromMask(shape, mask);
}

ReduceAxes NothingReduced(const Shape& shape) {
  return FromMask(shape, Shape::Filled(shape.rank(), 0));
}

size_t OffsetOf(std::span<const ReduceAxis> axes, size_t index) {
  size_t offset = 0;
  for (size_t i = axes.size(); i > 0; --i) {
    offset += index % axes[i - 1].dim * axes[i - 1].stride;
    index /= axes[i - 1].dim;
  }
  return offset;
}

}  // namespace waybill::cpu
