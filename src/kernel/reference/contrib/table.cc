#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable ContribKernels() { return {}; }

}  // namespace waybill::kernel::reference
