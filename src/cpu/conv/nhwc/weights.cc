#include "cpu/conv/nhwc/weights.h"

#include "base/math/checked.h"

namespace waybill::cpu {

FilterLayout::FilterLayout(const RunTileTable& table, const FilterSizes& sizes)
    : sizes_(sizes),
      lanes_(table.lanes),
      vectors_(CeilDiv(sizes.out_channels, table.lanes)),
      panels_(CeilDiv(vectors_, table.max_vectors)),
      padded_(vectors_ * table.lanes) {}

size_t FilterLayout::PanelColumn(size_t panel) const {
  const size_t low = vectors_ / panels_, wide = vectors_ % panels_;
  return (panel * low + std::min(panel, wide)) * lanes_;
}

size_t FilterLayout::PanelWidth(size_t panel) const {
  return (vectors_ / panels_ + (panel < vectors_ % panels_ ? 1 : 0)) * lanes_;
}

size_t FilterLayout::PanelColumns(size_t panel) const {
  return std::min(PanelWidth(panel), sizes_.out_channels - PanelColumn(panel));
}

void PackConvFilters(const FilterLayout& layout, const void* w, bool splat, float* out) {
  const FilterSizes& sizes = layout.sizes();
  if (splat) {
    PackFilters(
        layout, w, [](size_t, size_t, size_t, size_t) { return size_t{0}; }, out);
    return;
  }
  PackFilters(
      layout, w,
      [&sizes](size_t g, size_t n, size_t tap, size_t c) {
        return ((g * sizes.out_channels + n) * sizes.in_channels + c) * sizes.taps + tap;
      },
      out);
}

}  // namespace waybill::cpu
