#include <vector>

#include "cpu/kernels/lists.h"
#include "cpu/kernels/quant/lists.h"

namespace waybill::cpu {

std::span<const kernel::OpKernels> ByteKernels() {
  static const std::vector<kernel::OpKernels> table = [] {
    std::vector<kernel::OpKernels> all;
    for (const auto part : {ByteConvKernels(), ByteMatMulKernels(), QuantizeKernels(),
                            QLinearAddKernels(), QLinearPoolKernels()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace waybill::cpu
