// Implementation lists of the ai.onnx.ml family; table.cc names the operators.
#pragma once

#include "kernel/api/function_kernel.h"

namespace waybill::kernel::reference {

// trees/
extern const KernelImpl kTreeEnsembleClassifier[1];
extern const KernelImpl kTreeEnsembleRegressor[1];
extern const KernelImpl kTreeEnsemble[1];
// zip_map.cc
extern const KernelImpl kZipMap[1];

}  // namespace waybill::kernel::reference
