// How the weights of a convolution lie for the tile kernel.
#pragma once

#include <cstddef>

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

// Where the elements of a filter bank lie in memory, in floats; all 0 for a splat.
struct FilterStrides {
  size_t out_channel = 0, in_channel = 0, tap = 0;  // the first over all groups
};

// `w` may have any alignment. `out` has layout.floats() floats, 64-byte aligned.
void PackFilters(const FilterLayout& layout, const void* w, const FilterStrides& strides,
                 float* out);

}  // namespace waybill::cpu
