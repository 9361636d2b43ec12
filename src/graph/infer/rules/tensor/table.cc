#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {

constexpr InferRule kRules[] = {
    {"", "Shape", InferShape},
    {"", "Size", InferSize},
    {"", "Reshape", InferReshape},
    {"", "Flatten", InferFlatten},
    {"", "Identity", InferIdentity},
    {"", "Squeeze", InferSqueeze},
    {"", "Unsqueeze", InferUnsqueeze},
    {"", "Transpose", InferTranspose},
    {"", "Concat", InferConcat},
    {"", "Split", InferSplit},
    {"", "Slice", InferSlice},
    {"", "Pad", InferPad},
    {"", "Expand", InferExpand},
    {"", "Tile", InferTile},
    {"", "Gather", InferGather},
    {"", "GatherElements", InferGatherElements},
    {"", "GatherND", InferGatherND},
    {"", "Scatter", InferScatter},
    {"", "ScatterElements", InferScatter},
    {"", "ScatterND", InferScatterND},
    {"", "TensorScatter", InferTensorScatter},
    {"", "Compress", InferCompress},
    {"", "OneHot", InferOneHot},
    {"", "EyeLike", InferEyeLike},
    {"", "ConstantOfShape", InferConstantOfShape},
    {"", "NonZero", InferNonZero},
    {"", "Unique", InferUnique},
    {"", "TopK", InferTopK},
    {"", "ReverseSequence", InferReverseSequence},
    {"", "Trilu", InferTrilu},
    {"", "CenterCropPad", InferCenterCropPad},
    {"", "SequenceEmpty", InferSequenceEmpty},
    {"", "SequenceConstruct", InferSequenceConstruct},
    {"", "SequenceAt", InferSequenceAt},
    {"", "SequenceInsert", InferSequenceInsert},
    {"", "SequenceErase", InferSequenceErase},
    {"", "SequenceLength", InferSequenceLength},
    {"", "SplitToSequence", InferSplitToSequence},
    {"", "ConcatFromSequence", InferConcatFromSequence},
    {"", "Optional", InferOptional},
    {"", "OptionalGetElement", InferOptionalGetElement},
    {"", "OptionalHasElement", InferOptionalHasElement},
    {"", "StringConcat", InferStringConcat},
    {"", "StringSplit", InferStringSplit},
    {"", "StringNormalizer", InferStringNormalizer},
    {"", "RegexFullMatch", InferRegexFullMatch},
    {"", "TfIdfVectorizer", InferTfIdfVectorizer},
};

}  // namespace

std::span<const InferRule> TensorRules() { return kRules; }

}  // namespace waybill::graph::infer
