#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable MlKernels() { return {}; }

}  // namespace waybill::kernel::reference
