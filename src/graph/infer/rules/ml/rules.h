// Inference rules of the ai.onnx.ml family.
#pragma once

#include "graph/infer/context.h"

namespace waybill::graph::infer {

// Rows of an [N, C] input; a vector is one row.
Dim RowCount(const SymShape& x);

// trees.cc
Status InferClassifier(InferContext& ctx);  // of trees, and of others with fixed class labels
Status InferTreeRegressor(InferContext& ctx);
Status InferZipMap(InferContext& ctx);

// features.cc
Status InferSameShapeAsFloat(InferContext& ctx);
Status InferLabelEncoder(InferContext& ctx);  // and CategoryMapper
Status InferArrayFeatureExtractor(InferContext& ctx);
Status InferFeatureVectorizer(InferContext& ctx);
Status InferOneHotEncoder(InferContext& ctx);
Status InferLinearRegressor(InferContext& ctx);
Status InferSvmRegressor(InferContext& ctx);
Status InferDictVectorizer(InferContext& ctx);
Status InferCastMap(InferContext& ctx);

}  // namespace waybill::graph::infer
