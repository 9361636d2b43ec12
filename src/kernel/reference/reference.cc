#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

std::vector<KernelTable> AllTables() {
  return {MathKernels(), NnKernels(),      TensorKernels(),  QuantKernels(),
          MlKernels(),   ContribKernels(), InternalKernels()};
}

}  // namespace waybill::kernel::reference
