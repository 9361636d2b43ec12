// Constant 8-bit weights of a product, kept as bytes: half the memory of WeightLayout, and two
// products for each step of the CPU, which adds neighbours in 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waybill::cpu {

// Panels of up to `nr` columns. A panel is a list of steps: four weights of each column, and where
// their four inputs begin in a row. Where the 16-bit sum of two products could overflow, what is
// too much of a weight goes to another step with the same inputs, so sums are exact.
class BytePanels {
 public:
  // `weights` is [n][k], zero points taken off. Plans the steps; nothing is packed yet.
  static BytePanels Plan(size_t k, size_t n, size_t lanes, size_t nr, const int8_t* weights);

  size_t k() const { return k_; }
  size_t n() const { return n_; }
  size_t nr() const { return nr_; }
  size_t panels() const { return first_step_.size() - 1; }
  size_t PanelColumns(size_t panel) const {
    const size_t rest = n_ - panel * nr_;
    return rest < nr_ ? rest : nr_;
  }
  size_t steps(size_t panel) const { return first_step_[panel + 1] - first_step_[panel]; }
  const uint32_t* offsets(size_t panel) const { return offsets_.data() + first_step_[panel]; }
  // Steps beyond one for each four inputs, as a share of those.
  double ExtraSteps() const;
  // Elements of the packed form: four weights each.
  size_t elems() const { return elems_; }
  size_t Offset(size_t panel) const { return first_elem_[panel]; }
  // sums()[column] of all weights, for the zero point of the inputs.
  const std::vector<int32_t>& sums() const { return sums_; }

  // `packed` has elems() elements, 64-byte aligned.
  void Pack(const int8_t* weights, int32_t* packed) const;

 private:
  size_t PaddedWidth(size_t panel) const {
    return (PanelColumns(panel) + lanes_ - 1) / lanes_ * lanes_;
  }

  size_t k_ = 0, n_ = 0, lanes_ = 1, nr_ = 1, elems_ = 0;
  std::vector<uint32_t> offsets_;
  std::vector<size_t> first_step_ = {0}, first_elem_;
  std::vector<int32_t> sums_;
};

}  // namespace waybill::cpu
