#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable TensorKernels() { return {}; }

}  // namespace waybill::kernel::reference
