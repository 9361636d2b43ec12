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
// columns.cc
extern const KernelImpl kBinarizer[1];
extern const KernelImpl kScaler[1];
extern const KernelImpl kImputer[1];
extern const KernelImpl kNormalizer[1];
// label_encoder.cc
extern const KernelImpl kLabelEncoder[1];
extern const KernelImpl kCategoryMapper[1];
// features.cc
extern const KernelImpl kArrayFeatureExtractor[1];
extern const KernelImpl kFeatureVectorizer[1];
extern const KernelImpl kOneHotEncoder[1];
// linear.cc
extern const KernelImpl kLinearRegressor[1];
extern const KernelImpl kLinearClassifier[1];
// svm_regressor.cc
extern const KernelImpl kSvmRegressor[1];
// maps.cc
extern const KernelImpl kDictVectorizer[1];
extern const KernelImpl kCastMap[1];

}  // namespace waybill::kernel::reference
