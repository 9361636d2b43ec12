#include "kernel/reference/contrib/kernels.h"
#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr int kAny = 1 << 30;

const OpKernels kTable[] = {
    {kMicrosoft, "FusedMatMul", 1, kAny, kFusedMatMul},
    {kMicrosoft, "MultiHeadAttention", 1, kAny, kMsMultiHeadAttention},
    {kMicrosoft, "RotaryEmbedding", 1, kAny, kMsRotaryEmbedding},
    {kMicrosoft, "SkipLayerNormalization", 1, kAny, kSkipLayerNorm},
    {kMicrosoft, "SkipSimplifiedLayerNormalization", 1, kAny, kSkipSimplifiedLayerNorm},
    {kMicrosoft, "Gelu", 1, kAny, kMsGelu},
    {kMicrosoft, "BiasGelu", 1, kAny, kMsGelu},
    {kMicrosoft, "FastGelu", 1, kAny, kMsFastGelu},
    {kMicrosoft, "QuickGelu", 1, kAny, kMsQuickGelu},
    {kMicrosoft, "FusedConv", 1, kAny, kMsFusedConv},
    {kMicrosoft, "MatMulIntegerToFloat", 1, kAny, kMatMulIntegerToFloat},
    {kMicrosoft, "DynamicQuantizeMatMul", 1, kAny, kDynamicQuantizeMatMul},
};

}  // namespace

KernelTable ContribKernels() { return kTable; }

}  // namespace waybill::kernel::reference
