#include "kernel/reference/math/reduce/layout.h"

namespace waybill::kernel::reference {

namespace {

ReduceLayout FromMask(const Shape& shape, const Shape& is_reduced) {
  ReduceLayout layout;
  const Shape strides = RowMajorStrides(shape);
  for (size_t i = 0; i < shape.rank(); ++i) {
    const bool reduce = is_reduced[i] != 0;
    Shape& dims = reduce ? layout.reduced : layout.kept;
    Shape& steps = reduce ? layout.reduced_strides : layout.kept_strides;
    if (i > 0 && is_reduced[i - 1] == is_reduced[i]) {
      dims[dims.rank() - 1] *= shape[i];
      steps[steps.rank() - 1] = strides[i];
    } else {
      dims.PushBack(shape[i]);
      steps.PushBack(strides[i]);
    }
  }
  layout.count = layout.reduced.elems();
  return layout;
}

}  // namespace

Result<ReduceLayout> ReduceLayout::Of(const Shape& shape, std::span<const int64_t> axes) {
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

ReduceLayout ReduceLayout::Nothing(const Shape& shape) {
  return FromMask(shape, Shape::Filled(shape.rank(), 0));
}

}  // namespace waybill::kernel::reference
