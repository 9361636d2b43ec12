// Constant 8-bit weights in the form that the product kernel reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cpu/quant/product.h"

namespace waybill::cpu {

// Sizes of packed weights: for each group, panels of up to `nr` columns; in each panel the
// segments, in each segment pairs along k.
class WeightLayout {
 public:
  WeightLayout() = default;
  // Nothing when the packed form does not fit in memory.
  static std::optional<WeightLayout> Make(const ProductTable& table, size_t groups, size_t columns,
                                          size_t segments, size_t length);

  size_t groups() const { return groups_; }
  size_t columns() const { return columns_; }  // of a group
  size_t segments() const { return segments_; }
  size_t length() const { return length_; }  // elements of a segment
  size_t pairs() const { return (length_ + 1) / 2; }
  size_t padded_columns() const { return padded_columns_; }
  size_t panels() const { return (columns_ + nr_ - 1) / nr_; }
  size_t nr() const { return nr_; }
  size_t PanelColumns(size_t panel) const {
    const size_t rest = columns_ - panel * nr_;
    return rest < nr_ ? rest : nr_;
  }
  // Pairs of weights of one group, and of all.
  size_t group_elems() const { return group_elems_; }
  size_t elems() const { return groups_ * group_elems_; }
  size_t PanelOffset(size_t group, size_t panel) const {
    return group * group_elems_ + panel * nr_ * segments_ * pairs();
  }

  // Writes one group. weight(column, segment, k) is the weight with its zero point taken off.
  template <typename Fn>
  void PackGroup(size_t group, Fn&& weight, int32_t* packed) const;

 private:
  size_t groups_ = 1, columns_ = 0, segments_ = 1, length_ = 0;
  size_t lanes_ = 1, nr_ = 1, padded_columns_ = 0, group_elems_ = 0;
};

template <typename Fn>
void WeightLayout::PackGroup(size_t group, Fn&& weight, int32_t* packed) const {
  for (size_t panel = 0; panel < panels(); ++panel) {
    int32_t* out = packed + PanelOffset(group, panel);
    const size_t first = panel * nr_;
    const size_t width = padded_columns_ - first < nr_ ? padded_columns_ - first : nr_;
    for (size_t s = 0; s < segments_; ++s) {
      for (size_t pair = 0; pair < pairs(); ++pair) {
        for (size_t j = 0; j < width; ++j) {
          uint32_t halves[2] = {0, 0};
          for (size_t i = 0; i < 2; ++i) {
            const size_t k = 2 * pair + i;
            if (first + j >= columns_ || k >= length_) continue;
            halves[i] = static_cast<uint16_t>(int16_t{weight(first + j, s, k)});
          }
          *out++ = static_cast<int32_t>(halves[0] | halves[1] << 16);
        }
      }
    }
  }
}

}  // namespace waybill::cpu
