#include "cpu/kernels/broadcast.h"

namespace waybill::cpu {
namespace {

// Stride of `shape` along the axis that is `from_last` axes before the end; 0 where it repeats.
size_t StrideFromLast(const Shape& shape, size_t from_last) {
  if (from_last >= shape.rank()) return 0;
  const size_t axis = shape.rank() - 1 - from_last;
  return shape[axis] == 1 ? 0 : static_cast<size_t>(shape.Stride(axis));
}

}  // namespace

BroadcastLoops MakeBroadcastLoops(const Shape& a, const Shape& b, const Shape& out) {
  std::vector<BroadcastAxis> axes;  // innermost first
  for (size_t i = 0; i < out.rank(); ++i) {
    const auto dim = static_cast<size_t>(out[out.rank() - 1 - i]);
    if (dim == 1) continue;
    const BroadcastAxis axis{dim, StrideFromLast(a, i), StrideFromLast(b, i)};
    if (!axes.empty()) {
      BroadcastAxis& last = axes.back();
      if (axis.a_stride == last.a_stride * last.dim && axis.b_stride == last.b_stride * last.dim) {
        last.dim *= dim;
        continue;
      }
    }
    axes.push_back(axis);
  }
  BroadcastLoops loops;
  loops.inner = axes.empty() ? BroadcastAxis{1, 1, 1} : axes.front();
  for (size_t i = axes.size(); i > 1; --i) {
    loops.outer.push_back(axes[i - 1]);
    loops.outer_count *= axes[i - 1].dim;
  }
  return loops;
}

BroadcastOffsets OffsetsAt(const BroadcastLoops& loops, size_t index) {
  BroadcastOffsets offsets;
  for (size_t i = loops.outer.size(); i > 0; --i) {
    const BroadcastAxis& axis = loops.outer[i - 1];
    const size_t position = index % axis.dim;
    index /= axis.dim;
    offsets.a += position * axis.a_stride;
    offsets.b += position * axis.b_stride;
  }
  return offsets;
}

}  // namespace waybill::cpu
