// How the weights of a convolution lie for the tile kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cpu/conv/nhwc/tile.h"

namespace waybill::cpu {

// Sizes of a filter bank [groups * out_channels][in_channels][taps]; channels are those of a group.
struct FilterSizes {
  size_t groups = 1;
  size_t in_channels = 1;
  size_t out_channels = 1;
  size_t taps = 1;

  size_t depth() const { return in_channels * taps; }
};

// Panels of nearly equal width over the output channels of each group; a panel holds depth() rows,
// taps outside, input channels inside.
class FilterLayout {
 public:
  FilterLayout() = default;
  FilterLayout(const RunTileTable& table, const FilterSizes& sizes);

  const FilterSizes& sizes() const { return sizes_; }
  size_t panels() const { return panels_; }  // of one group
  // Its first output channel within the group, how many, and how many with the padding to vectors.
  size_t PanelColumn(size_t panel) const;
  size_t PanelColumns(size_t panel) const;
  size_t PanelWidth(size_t panel) const;
  // Where a panel begins, in floats.
  size_t Offset(size_t group, size_t panel) const {
    return (group * padded_ + PanelColumn(panel)) * sizes_.depth();
  }
  // Floats of all panels; the caller has checked that they fit in memory.
  size_t floats() const { return sizes_.groups * padded_ * sizes_.depth(); }

 private:
  FilterSizes sizes_;
  size_t lanes_ = 1;
  size_t vectors_ = 0;
  size_t panels_ = 0;
  size_t padded_ = 0;
};

// Packs the element that the tile kernel wants at (group, output channel of the group, tap, input
// channel of the group) from float number at(...) of `w`, which may have any alignment. `out` has
// layout.floats() floats, 64-byte aligned.
template <typename At>
void PackFilters(const FilterLayout& layout, const void* w, const At& at, float* out) {
  const FilterSizes& sizes = layout.sizes();
  const auto* bytes = static_cast<const std::byte*>(w);
  for (size_t g = 0; g < sizes.groups; ++g) {
    for (size_t p = 0; p < layout.panels(); ++p) {
      const size_t columns = layout.PanelColumns(p), width = layout.PanelWidth(p);
      const size_t column = layout.PanelColumn(p);
      float* panel = out + layout.Offset(g, p);
      for (size_t c = 0; c < sizes.in_channels; ++c) {
        for (size_t tap = 0; tap < sizes.taps; ++tap) {
          float* to = panel + (tap * sizes.in_channels + c) * width;
          for (size_t n = 0; n < columns; ++n) {
            std::memcpy(to + n, bytes + sizeof(float) * at(g, column + n, tap, c), sizeof(float));
          }
          std::fill(to + columns, to + width, 0.0f);
        }
      }
    }
  }
}

// The weights of Conv: [groups * out_channels][in_channels][taps], or one element for all.
void PackConvFilters(const FilterLayout& layout, const void* w, bool splat, float* out);
// What of the packed form the filters [first, first + count) make, which are all that `w` has;
// filters are counted over all groups.
void PackConvFilterPart(const FilterLayout& layout, const void* w, size_t first, size_t count,
                        float* out);

}  // namespace waybill::cpu
