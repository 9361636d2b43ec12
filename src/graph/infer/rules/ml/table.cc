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
};

}  // namespace

std::span<const InferRule> MlRules() { return kRules; }

}  // namespace waybill::graph::infer
