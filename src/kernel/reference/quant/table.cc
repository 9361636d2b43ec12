#include <vector>

#include "kernel/reference/quant/tables.h"
#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable QuantKernels() {
  static const std::vector<OpKernels> table = [] {
    std::vector<OpKernels> all;
    for (const KernelTable part :
         {DequantizeKernels(), DynamicQuantizeKernels(), IntegerConvKernels(),
          IntegerMatMulKernels(), QuantizeKernels()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace waybill::kernel::reference
