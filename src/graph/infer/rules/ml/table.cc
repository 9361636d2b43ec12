#include "graph/infer/context.h"
#include "graph/infer/rules/ml/rules.h"

namespace waybill::graph::infer {

namespace {

constexpr std::string_view kMl = "ai.onnx.ml";

constexpr InferRule kRules[] = {
    {kMl, "TreeEnsembleClassifier", InferClassifier},
    {kMl, "TreeEnsembleRegressor", InferTreeRegressor},
    {kMl, "TreeEnsemble", InferTreeRegressor},
    {kMl, "ZipMap", InferZipMap},
    {kMl, "Binarizer", SameShapeAsFirst},
    {kMl, "Scaler", InferSameShapeAsFloat},
    {kMl, "Imputer", SameShapeAsFirst},
    {kMl, "Normalizer", InferSameShapeAsFloat},
    {kMl, "LabelEncoder", InferLabelEncoder},
    {kMl, "CategoryMapper", InferLabelEncoder},
    {kMl, "ArrayFeatureExtractor", InferArrayFeatureExtractor},
    {kMl, "FeatureVectorizer", InferFeatureVectorizer},
    {kMl, "OneHotEncoder", InferOneHotEncoder},
    {kMl, "LinearRegressor", InferLinearRegressor},
    {kMl, "LinearClassifier", InferClassifier},
    {kMl, "SVMRegressor", InferSvmRegressor},
    {kMl, "DictVectorizer", InferDictVectorizer},
    {kMl, "CastMap", InferCastMap},
};

}  // namespace

std::span<const InferRule> MlRules() { return kRules; }

}  // namespace waybill::graph::infer
