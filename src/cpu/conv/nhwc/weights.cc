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

namespace {

// Columns [n, n + kCount) of a panel, from filters that lie behind each other, each
// [in_channels][taps].
template <size_t kCount>
void PackColumns(const FilterSizes& sizes, const std::byte* filters, size_t n, size_t width,
                 float* panel) {
  const size_t filter_bytes = sizes.depth() * sizeof(float);
  const std::byte* from = filters;
  for (size_t c = 0; c < sizes.in_channels; ++c) {
    float* to = panel + c * width + n;
    for (size_t tap = 0; tap < sizes.taps; ++tap, to += sizes.in_channels * width) {
      for (size_t i = 0; i < kCount; ++i) {
        std::memcpy(to + i, from + i * filter_bytes, sizeof(float));
      }
      from += sizeof(float);
    }
  }
}

// Columns [n, end) of a panel that has `columns` of them; the last brings the zeros behind it.
void PackPanel(const FilterSizes& sizes, const std::byte* filters, size_t n, size_t end,
               size_t columns, size_t width, float* panel) {
  const size_t filter_bytes = sizes.depth() * sizeof(float);
  for (; n + 8 <= end; n += 8, filters += 8 * filter_bytes) {
    PackColumns<8>(sizes, filters, n, width, panel);
  }
  for (; n < end; ++n, filters += filter_bytes) PackColumns<1>(sizes, filters, n, width, panel);
  if (end != columns || columns == width) return;
  for (size_t row = 0; row < sizes.depth(); ++row) {
    std::fill(panel + row * width + columns, panel + (row + 1) * width, 0.0f);
  }
}

}  // namespace

void PackConvFilters(const FilterLayout& layout, const void* w, bool splat, float* out) {
  if (splat) {
    PackFilters(
        layout, w, [](size_t, size_t, size_t, size_t) { return size_t{0}; }, out);
    return;
  }
  const FilterSizes& sizes = layout.sizes();
  PackConvFilterPart(layout, w, 0, sizes.groups * sizes.out_channels, out);
}

void PackConvFilterPart(const FilterLayout& layout, const void* w, size_t first, size_t count,
                        float* out) {
  const FilterSizes& sizes = layout.sizes();
  const auto* bytes = static_cast<const std::byte*>(w);
  const size_t last = first + count;
  for (size_t g = 0; g < sizes.groups; ++g) {
    for (size_t p = 0; p < layout.panels(); ++p) {
      const size_t channel = g * sizes.out_channels + layout.PanelColumn(p);
      const size_t columns = layout.PanelColumns(p);
      const size_t begin = std::max(channel, first), end = std::min(channel + columns, last);
      if (begin >= end) continue;
      PackPanel(sizes, bytes + sizeof(float) * (begin - first) * sizes.depth(), begin - channel,
                end - channel, columns, layout.PanelWidth(p), out + layout.Offset(g, p));
    }
  }
}

}  // namespace waybill::cpu
