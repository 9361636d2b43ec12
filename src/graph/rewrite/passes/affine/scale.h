// Weights times factors of their output channels.
#pragma once

#include <cstddef>

#include "graph/rewrite/passes/affine/affine.h"

namespace waybill::graph::rewrite {

// Weights of f32 or f64 times factor[i / inner % count] for element i, rounded once; a splat stays
// one where it can. `streamed`: who reads them takes rows, and large ones are scaled row by row
// when they are packed. Errors: kOutOfMemory.
Result<Constant> ScaleWeights(Editor& editor, const Constant& weights, const Affine& affine,
                              size_t inner, bool streamed);

}  // namespace waybill::graph::rewrite
