#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/reference.h"

namespace waybill::kernel::reference {

namespace {

constexpr std::string_view kMl = "ai.onnx.ml";
constexpr int kAny = 1 << 30;

const OpKernels kTable[] = {
    {kMl, "TreeEnsembleClassifier", 1, kAny, kTreeEnsembleClassifier},
    {kMl, "TreeEnsembleRegressor", 1, kAny, kTreeEnsembleRegressor},
    {kMl, "TreeEnsemble", 5, kAny, kTreeEnsemble},
    {kMl, "ZipMap", 1, kAny, kZipMap},
};

}  // namespace

KernelTable MlKernels() { return kTable; }

}  // namespace waybill::kernel::reference
