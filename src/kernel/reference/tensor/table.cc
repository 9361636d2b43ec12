#include "kernel/reference/reference.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

KernelTable TensorKernels() {
  static constexpr int kLast = 1 << 30;
  static const OpKernels kTable[] = {
      {"", "Shape", 1, kLast, kShape},
      {"", "Size", 1, kLast, kSize},
      {"", "Reshape", 1, kLast, kReshape},
      {"", "Flatten", 1, kLast, kFlatten},
      {"", "Identity", 1, kLast, kIdentity},
      {"", "Squeeze", 1, kLast, kSqueeze},
      {"", "Unsqueeze", 1, kLast, kUnsqueeze},
      {"", "Transpose", 1, kLast, kTranspose},
      {"", "Concat", 1, kLast, kConcat},
      {"", "Split", 1, kLast, kSplit},
      {"", "Slice", 1, kLast, kSlice},
      {"", "Pad", 1, kLast, kPad},
      {"", "Expand", 1, kLast, kExpand},
      {"", "Tile", 1, kLast, kTile},
      {"", "Gather", 1, kLast, kGather},
      {"", "GatherElements", 1, kLast, kGatherElements},
      {"", "GatherND", 1, kLast, kGatherND},
      {"", "OneHot", 1, kLast, kOneHot},
      {"", "EyeLike", 1, kLast, kEyeLike},
      {"", "ConstantOfShape", 1, kLast, kConstantOfShape},
      {"", "Scatter", 1, kLast, kScatterElements},
      {"", "ScatterElements", 1, kLast, kScatterElements},
      {"", "ScatterND", 1, kLast, kScatterND},
      {"", "TensorScatter", 1, kLast, kTensorScatter},
      {"", "TopK", 1, kLast, kTopK},
      {"", "Compress", 1, kLast, kCompress},
      {"", "NonZero", 1, kLast, kNonZero},
      {"", "Unique", 1, kLast, kUnique},
      {"", "ReverseSequence", 1, kLast, kReverseSequence},
      {"", "Trilu", 1, kLast, kTrilu},
      {"", "CenterCropPad", 1, kLast, kCenterCropPad},
      {"", "SequenceEmpty", 1, kLast, kSequenceEmpty},
      {"", "SequenceConstruct", 1, kLast, kSequenceConstruct},
      {"", "SequenceAt", 1, kLast, kSequenceAt},
      {"", "SequenceInsert", 1, kLast, kSequenceInsert},
      {"", "SequenceErase", 1, kLast, kSequenceErase},
      {"", "SequenceLength", 1, kLast, kSequenceLength},
      {"", "SplitToSequence", 1, kLast, kSplitToSequence},
      {"", "ConcatFromSequence", 1, kLast, kConcatFromSequence},
      {"", "Optional", 1, kLast, kOptional},
      {"", "OptionalGetElement", 1, kLast, kOptionalGetElement},
      {"", "OptionalHasElement", 1, kLast, kOptionalHasElement},
      {"", "StringConcat", 1, kLast, kStringConcat},
      {"", "StringSplit", 1, kLast, kStringSplit},
      {"", "StringNormalizer", 1, kLast, kStringNormalizer},
      {"", "TfIdfVectorizer", 1, kLast, kTfIdfVectorizer},
  };
  return kTable;
}

}  // namespace waybill::kernel::reference
