// One resized axis, worked out when a run is planned: which elements of the input make each element
// of the output, and with what weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/reference/nn/resize/taps.h"

namespace waybill::cpu {

struct AxisTable {
  size_t in = 1, out = 1;
  size_t taps = 1;              // for each output element
  std::vector<uint32_t> index;  // [out][taps], elements of the input
  std::vector<float> weight;    // [out][taps]
  bool identity = true;         // the axis stays as it is

  // The range of input elements that output elements [first, last) read; first < last.
  struct Range {
    size_t begin, end;
  };
  Range Reads(size_t first, size_t last) const;
};

// The axis must not be empty and must not reach outside (no crop).
AxisTable MakeAxisTable(const kernel::reference::TapParams& params,
                        const kernel::reference::TapAxis& axis);

}  // namespace waybill::cpu
