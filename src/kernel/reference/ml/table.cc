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
    {kMl, "Binarizer", 1, kAny, kBinarizer},
    {kMl, "Scaler", 1, kAny, kScaler},
    {kMl, "Imputer", 1, kAny, kImputer},
    {kMl, "Normalizer", 1, kAny, kNormalizer},
    {kMl, "LabelEncoder", 1, kAny, kLabelEncoder},
    {kMl, "CategoryMapper", 1, kAny, kCategoryMapper},
    {kMl, "ArrayFeatureExtractor", 1, kAny, kArrayFeatureExtractor},
    {kMl, "FeatureVectorizer", 1, kAny, kFeatureVectorizer},
    {kMl, "OneHotEncoder", 1, kAny, kOneHotEncoder},
    {kMl, "LinearRegressor", 1, kAny, kLinearRegressor},
    {kMl, "LinearClassifier", 1, kAny, kLinearClassifier},
    {kMl, "SVMRegressor", 1, kAny, kSvmRegressor},
    {kMl, "DictVectorizer", 1, kAny, kDictVectorizer},
    {kMl, "CastMap", 1, kAny, kCastMap},
};

}  // namespace

KernelTable MlKernels() { return kTable; }

}  // namespace waybill::kernel::reference
