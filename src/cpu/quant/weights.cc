#include "cpu/quant/weights.h"

#include "base/math/checked.h"

namespace waybill::cpu {

std::optional<WeightLayout> WeightLayout::Make(const ProductTable& table, size_t groups,
                                               size_t columns, size_t segments, size_t length) {
  WeightLayout layout;
  layout.groups_ = groups;
  layout.columns_ = columns;
  layout.segments_ = segments;
  layout.length_ = length;
  layout.lanes_ = table.lanes;
  layout.nr_ = table.nr;
  const auto padded = CheckedAlignUp(columns, table.lanes);
  const auto depth = CheckedMul(layout.pairs(), segments);
  const auto elems = padded && depth ? CheckedMul(*padded, *depth) : std::nullopt;
  const auto aligned = elems ? CheckedAlignUp(*elems, size_t{16}) : std::nullopt;
  const auto all = aligned ? CheckedMul(*aligned, groups) : std::nullopt;
  if (!all || !CheckedMul(*all, sizeof(int32_t))) return std::nullopt;
  layout.padded_columns_ = *padded;
  layout.group_elems_ = *aligned;
  return layout;
}

}  // namespace waybill::cpu
