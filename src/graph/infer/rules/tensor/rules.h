// The inference rules of this family, for its table.
#pragma once

#include "graph/infer/context.h"

namespace waybill::graph::infer {

Status InferShape(InferContext& ctx);
Status InferSize(InferContext& ctx);
Status InferReshape(InferContext& ctx);
Status InferFlatten(InferContext& ctx);
Status InferIdentity(InferContext& ctx);
Status InferSqueeze(InferContext& ctx);
Status InferUnsqueeze(InferContext& ctx);
Status InferTranspose(InferContext& ctx);
Status InferConcat(InferContext& ctx);
Status InferSplit(InferContext& ctx);
Status InferSlice(InferContext& ctx);
Status InferPad(InferContext& ctx);
Status InferExpand(InferContext& ctx);
Status InferTile(InferContext& ctx);
Status InferGather(InferContext& ctx);
Status InferGatherElements(InferContext& ctx);
Status InferGatherND(InferContext& ctx);
Status InferScatter(InferContext& ctx);
Status InferScatterND(InferContext& ctx);
Status InferTensorScatter(InferContext& ctx);
Status InferCompress(InferContext& ctx);
Status InferOneHot(InferContext& ctx);
Status InferEyeLike(InferContext& ctx);
Status InferConstantOfShape(InferContext& ctx);
Status InferNonZero(InferContext& ctx);
Status InferUnique(InferContext& ctx);
Status InferTopK(InferContext& ctx);
Status InferReverseSequence(InferContext& ctx);
Status InferTrilu(InferContext& ctx);
Status InferCenterCropPad(InferContext& ctx);

Status InferSequenceEmpty(InferContext& ctx);
Status InferSequenceConstruct(InferContext& ctx);
Status InferSequenceAt(InferContext& ctx);
Status InferSequenceInsert(InferContext& ctx);
Status InferSequenceErase(InferContext& ctx);
Status InferSequenceLength(InferContext& ctx);
Status InferSplitToSequence(InferContext& ctx);
Status InferConcatFromSequence(InferContext& ctx);
Status InferOptional(InferContext& ctx);
Status InferOptionalGetElement(InferContext& ctx);
Status InferOptionalHasElement(InferContext& ctx);

Status InferStringConcat(InferContext& ctx);
Status InferStringSplit(InferContext& ctx);
Status InferStringNormalizer(InferContext& ctx);
Status InferRegexFullMatch(InferContext& ctx);
Status InferTfIdfVectorizer(InferContext& ctx);

}  // namespace waybill::graph::infer
