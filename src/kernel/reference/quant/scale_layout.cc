#include "kernel/reference/quant/scale_layout.h"

#include "base/math/checked.h"
#include "kernel/reference/support/axis_split.h"

namespace waybill::kernel::reference {

namespace {

Status Misfit(const Shape& data, const Shape& scale, int64_t axis, int64_t block_size) {
  return Error(Code::kInvalidArgument,
               "scales of shape {} do not fit data of shape {} (axis {}, block size {})", scale,
               data, axis, block_size);
}

}  // namespace

Result<ScaleLayout> ScaleLayout::Of(const Shape& data, const Shape& scale, int64_t axis,
                                    int64_t block_size) {
  ScaleLayout layout;
  if (block_size < 0) {
    return Error(Code::kInvalidArgument, "block_size is {}", block_size);
  }
  if (block_size == 0 && scale.elems() == 1 && scale.rank() <= 1) {
    layout.inner = data.elems();
    return layout;
  }
  const auto index = NormalizeAxis(axis, data.rank());
  if (!index) {
    return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", axis, data.rank());
  }
  const AxisSplit split = AxisSplit::At(data, *index);
  layout.outer = split.outer;
  layout.axis = split.axis;
  layout.inner = split.inner;
  if (block_size == 0) {
    if (scale.rank() != 1 || scale[0] != data[*index]) return Misfit(data, scale, axis, 0);
    layout.block = 1;
    layout.blocks = split.axis;
    return layout;
  }
  if (scale.rank() != data.rank()) return Misfit(data, scale, axis, block_size);
  for (size_t i = 0; i < data.rank(); ++i) {
    const int64_t fits = i == *index ? CeilDiv(data[i], block_size) : data[i];
    if (scale[i] != fits) return Misfit(data, scale, axis, block_size);
  }
  layout.block = block_size;
  layout.blocks = scale[*index];
  layout.per_inner = true;
  return layout;
}

}  // namespace waybill::kernel::reference
