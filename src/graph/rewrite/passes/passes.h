// The passes. Each walks over one graph (not into bodies) and applies patches of one kind.
#pragma once

#include "base/status/status.h"
#include "graph/rewrite/editor.h"

namespace waybill::graph::rewrite {

// Errors: kOutOfMemory; everything else that does not fit is left as it is.
using Pass = Status (*)(Editor& editor);

// Identity, Dropout at inference, Cast to the type it has: their readers read their input.
Status RemoveIdentities(Editor& editor);
// Nodes whose inputs are constants, and integer contents that inference knows.
Status FoldConstants(Editor& editor);
// BatchNormalization with constant parameters into the Conv before it.
Status FoldBatchNorms(Editor& editor);
// An activation into the Conv before it: the internal operator Conv.
Status FuseActivations(Editor& editor);

// Constants of an enclosing graph become constants in the bodies that capture them.
void PassConstantsToBodies(Graph& graph);

}  // namespace waybill::graph::rewrite
