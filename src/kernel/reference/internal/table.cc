#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable InternalKernels() { return {}; }

}  // namespace waybill::kernel::reference
