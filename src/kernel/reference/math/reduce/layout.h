// Which elements each output of a reduction takes in: the input's dimensions sorted into kept and
// reduced ones, neighbours of one kind merged.
#pragma once

#include <cstdint>
#include <span>

#include "base/status/result.h"
#include "kernel/reference/support/strided.h"
#include "tensor/shape/shape.h"

namespace waybill::kernel::reference {

struct ReduceLayout {
  Shape kept, kept_strides;
  Shape reduced, reduced_strides;
  int64_t count = 1;  // elements per output

  // No axes: all are reduced. Errors: kInvalidArgument for an axis out of range.
  static Result<ReduceLayout> Of(const Shape& shape, std::span<const int64_t> axes);
  // Every element on its own.
  static ReduceLayout Nothing(const Shape& shape);
};

// The elements of one output.
template <typename T>
struct ReduceElements {
  const T* base;
  const ReduceLayout& layout;

  int64_t count() const { return layout.count; }
  // Calls fn with every element in row-major order.
  template <typename Fn>
  void ForEach(Fn&& fn) const {
    ForEachStrided<1>(layout.reduced, {layout.reduced_strides},
                      [&](int64_t offset) { fn(base[offset]); });
  }
};

}  // namespace waybill::kernel::reference
