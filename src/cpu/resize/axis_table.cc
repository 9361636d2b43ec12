#include "cpu/resize/axis_table.h"

#include <algorithm>

namespace waybill::cpu {

using kernel::reference::Tap;
using kernel::reference::TapAxis;
using kernel::reference::TapParams;

AxisTable::Range AxisTable::Reads(size_t first, size_t last) const {
  const auto begin = index.begin() + static_cast<ptrdiff_t>(first * taps);
  const auto end = index.begin() + static_cast<ptrdiff_t>(last * taps);
  const auto [low, high] = std::minmax_element(begin, end);
  return {*low, size_t{*high} + 1};
}

AxisTable MakeAxisTable(const TapParams& params, const TapAxis& axis) {
  AxisTable table;
  table.in = static_cast<size_t>(axis.in);
  table.out = static_cast<size_t>(axis.out);
  table.taps = static_cast<size_t>(TapCount(params, axis));
  table.index.resize(table.out * table.taps);
  table.weight.resize(table.out * table.taps);
  table.identity = table.in == table.out;
  std::vector<Tap> taps(table.taps);
  for (size_t o = 0; o < table.out; ++o) {
    FillTaps(params, axis, static_cast<int64_t>(o), taps.data());
    for (size_t t = 0; t < table.taps; ++t) {
      const size_t at = o * table.taps + t;
      table.weight[at] = static_cast<float>(taps[t].weight);
      // An element without weight is not read: another one stands in.
      const bool counts = table.weight[at] != 0;
      table.index[at] = static_cast<uint32_t>(counts ? taps[t].index : taps[table.taps / 2].index);
      if (counts && (taps[t].weight != 1 || static_cast<size_t>(taps[t].index) != o)) {
        table.identity = false;
      }
    }
  }
  return table;
}

}  // namespace waybill::cpu
