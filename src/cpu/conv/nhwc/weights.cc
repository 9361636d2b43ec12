#include "cpu/conv/nhwc/weights.h"

#include <algorithm>
#include <cstring>

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

void PackFilters(const FilterLayout& layout, const void* w, const FilterStrides& strides,
                 float* out) {
  const FilterSizes& sizes = layout.sizes();
  const auto* bytes = static_cast<const std::byte*>(w);
  for (size_t g = 0; g < sizes.groups; ++g) {
    for (size_t p = 0; p < layout.panels(); ++p) {
      const size_t columns = layout.PanelColumns(p), width = layout.PanelWidth(p);
      const size_t channel = g * sizes.out_channels + layout.PanelColumn(p);
      float* panel = out + layout.Offset(g, p);
      for (size_t c = 0; c < sizes.in_channels; ++c) {
        for (size_t tap = 0; tap < sizes.taps; ++tap) {
          const std::byte* from =
              bytes + sizeof(float) * (channel * strides.out_channel + c * strides.in_channel +
                                       tap * strides.tap);
          float* to = panel + (tap * sizes.in_channels + c) * width;
          for (size_t n = 0; n < columns; ++n, from += sizeof(float) * strides.out_channel) {
            std::memcpy(to + n, from, sizeof(float));
          }
          std::fill(to + columns, to + width, 0.0f);
        }
      }
    }
  }
}

}  // namespace waybill::cpu
