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
// DequantizeLinear, an operator and QuantizeLinear become the operator on bytes.
Status FuseQuantized(Editor& editor);
// A layer normalisation that is written out becomes LayerNormalization.
Status FuseLayerNorms(Editor& editor);
// A batch normalisation by the statistics of its own input becomes InstanceNormalization.
Status FuseInstanceNorms(Editor& editor);
// Einsum that is a matrix product becomes MatMul or FusedMatMul.
Status RewriteEinsums(Editor& editor);
// Slices of every second row and column side by side become a transposition of blocks.
Status RewriteBlockSlices(Editor& editor);
// MatMul and Gemm read large weights as they are before their Transpose.
Status TakeTransposedWeights(Editor& editor);
// OneHot before a product with constant weights becomes the internal OneHotMatMul.
Status RewriteOneHots(Editor& editor);
// Gemm with constant weights becomes the internal MatMul.
Status RewriteGemms(Editor& editor);
// BatchNormalization at inference, and Add, Sub, Mul, Div with constants, go into the weights and
// the bias of the Conv, ConvTranspose or MatMul before them.
Status FoldScaleAndBias(Editor& editor);
// What is left of BatchNormalization becomes Elementwise.
Status SplitBatchNorms(Editor& editor);
// Elementwise nodes become the epilogue of the node before them, or one Elementwise node.
Status FuseElementwise(Editor& editor);

// Quantized convolutions and what is between them keep their channels last.
Status QuantizedChannelsLast(Editor& editor);
// Convolutions and what follows them keep their channels last.
Status ChooseLayout(Editor& editor);
// Transpose, Reshape and Transpose become one Transpose and one Reshape.
Status MergeTransposes(Editor& editor);

// Constants of an enclosing graph become constants in the bodies that capture them.
void PassConstantsToBodies(Graph& graph);

}  // namespace waybill::graph::rewrite
