#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable NnKernels() { return {}; }

}  // namespace waybill::kernel::reference
