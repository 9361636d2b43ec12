#include "cpu/kernels/table.h"

#include <vector>

#include "cpu/kernels/lists.h"

namespace waybill::cpu {

kernel::KernelTable Kernels() {
  static const std::vector<kernel::OpKernels> table = [] {
    std::vector<kernel::OpKernels> all;
    for (const auto part :
         {BinaryKernels(), UnaryKernels(), MatMulKernels(), GemmKernels(), ConvKernels(),
          ByteKernels()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace waybill::cpu
