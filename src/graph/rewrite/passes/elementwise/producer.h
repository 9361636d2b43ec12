// Convolutions and matrix products that can end in an expression.
#pragma once

#include <vector>

#include "graph/rewrite/editor.h"
#include "graph/rewrite/passes/elementwise/group.h"

namespace waybill::graph::rewrite {

// Conv, ConvTranspose or MatMul on f32 that has no epilogue yet.
bool IsEpilogueProducer(const Editor& editor, NodeId id);

// The operands certainly broadcast to the producer's output, and each is one of the kinds that
// epilogues read: the same shape, or one number per channel (column), or one number. `inputs`
// holds the producer's output too; `result` is what the group makes.
bool TakesEpilogue(const Editor& editor, NodeId producer, const std::vector<ValueId>& inputs,
                   ValueId result);

// The producer as the internal operator that ends in the expression, of which operand 0 is the
// producer's output.
Node WithEpilogue(const Node& producer, const GroupExpression& fused);

// The internal operator that computes the same as the producer.
Node AsInternal(const Node& producer);

}  // namespace waybill::graph::rewrite
