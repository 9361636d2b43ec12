#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

KernelTable MathKernels() { return {}; }

}  // namespace waybill::kernel::reference
