#include "kernel/reference/internal/kernels.h"
#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

namespace {

constexpr OpKernels kTable[] = {
    {graph::kInternalDomain, "Elementwise", 1, 1, kElementwise},
    {graph::kInternalDomain, "FusedConv", 1, 1, kFusedConv},
};

}  // namespace

KernelTable InternalKernels() { return kTable; }

}  // namespace waybill::kernel::reference
