#include "kernel/reference/internal/kernels.h"
#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

namespace {

constexpr OpKernels kTable[] = {
    {graph::kInternalDomain, "AveragePool", 1, 1, kInternalAveragePool},
    {graph::kInternalDomain, "Conv", 1, 1, kInternalConv},
    {graph::kInternalDomain, "ConvTranspose", 1, 1, kInternalConvTranspose},
    {graph::kInternalDomain, "Elementwise", 1, 1, kElementwise},
    {graph::kInternalDomain, "LRN", 1, 1, kInternalLrn},
    {graph::kInternalDomain, "LayerNormalization", 1, 1, kInternalLayerNorm},
    {graph::kInternalDomain, "MatMul", 1, 1, kInternalMatMul},
    {graph::kInternalDomain, "MaxPool", 1, 1, kInternalMaxPool},
    {graph::kInternalDomain, "OneHotMatMul", 1, 1, kOneHotMatMul},
    {graph::kInternalDomain, "QLinearAdd", 1, 1, kQLinearAdd},
    {graph::kInternalDomain, "QLinearGemm", 1, 1, kQLinearGemm},
    {graph::kInternalDomain, "QLinearGlobalAveragePool", 1, 1, kQLinearGlobalAveragePool},
};

}  // namespace

KernelTable InternalKernels() { return kTable; }

}  // namespace waybill::kernel::reference
