// The implementations of this family, for its table. Each is defined in the file of its operator.
#pragma once

#include "kernel/api/kernel.h"

namespace waybill::kernel::reference {

// A list with the one reference implementation.
using OneImpl = const KernelImpl[1];

extern OneImpl kShape, kSize, kReshape, kFlatten, kIdentity, kSqueeze, kUnsqueeze;
extern OneImpl kTranspose, kConcat, kSplit, kSlice, kPad, kExpand, kTile;
extern OneImpl kGather, kGatherElements, kGatherND;
extern OneImpl kScatterElements, kScatterND, kTensorScatter;
extern OneImpl kOneHot, kEyeLike, kConstantOfShape;
extern OneImpl kTopK, kCompress, kNonZero, kUnique;
extern OneImpl kReverseSequence, kTrilu, kCenterCropPad;
extern OneImpl kSequenceEmpty, kSequenceConstruct, kSequenceAt, kSequenceInsert, kSequenceErase;
extern OneImpl kSequenceLength, kSplitToSequence, kConcatFromSequence;
extern OneImpl kOptional, kOptionalGetElement, kOptionalHasElement;
extern OneImpl kStringConcat, kStringSplit, kStringNormalizer, kTfIdfVectorizer;

}  // namespace waybill::kernel::reference
