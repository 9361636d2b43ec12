#include "graph/infer/rules/internal/rules.h"
#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

// The broadcast of all operands.
Status InferElementwise(InferContext& ctx) {
  ctx.SetTensor(0, DType::kF32, SymShape());
  return BroadcastAll(ctx);
}

// A [..., K] times B [K, N], or [N, K] when that is stored transposed.
Status InferFusedMatMul(InferContext& ctx) {
  ctx.SetTensor(0, DType::kF32, SymShape());
  SymShape b = ctx.input_shape(1);
  if (b.has_rank() && b.rank() != 2) {
    return Error(Code::kInvalidArgument, "the right-hand side of shape {} is no matrix", b);
  }
  if (b.has_rank() && ctx.attrs().Int("transB") != 0) b = SymShape(std::vector<Dim>{b[1], b[0]});
  WB_ASSIGN_OR_RETURN(SymShape out, MatMulShape(ctx.input_shape(0), b));
  ctx.SetShape(0, std::move(out));
  return Status::Ok();
}

// The shape of the indices and the columns of the weights.
Status InferOneHotMatMul(InferContext& ctx) {
  ctx.SetTensor(0, DType::kF32, SymShape());
  const SymShape& indices = ctx.input_shape(0);
  const SymShape& weights = ctx.input_shape(1);
  if (weights.has_rank() && weights.rank() != 2) {
    return Error(Code::kInvalidArgument, "weights of shape {} are no matrix", weights);
  }
  if (!indices.has_rank()) return Status::Ok();
  std::vector<Dim> dims;
  for (size_t i = 0; i < indices.rank(); ++i) dims.push_back(indices[i]);
  dims.push_back(weights.has_rank() ? weights[1] : Dim());
  ctx.SetShape(0, SymShape(std::move(dims)));
  return Status::Ok();
}

// The shape of the input; scale and bias have an element for each place of the axis.
Status InferInternalLayerNorm(InferContext& ctx) {
  const SymShape& x = ctx.input_shape(0);
  ctx.SetTensor(0, DType::kF32, x);
  if (!x.has_rank()) return Status::Ok();
  WB_ASSIGN_OR_RETURN(const size_t axis, Axis(ctx.attrs().Int("axis"), x.rank()));
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (!ctx.has_input(i)) continue;
    const auto elems = ctx.input_shape(i).Elems();
    if (!elems || !x[axis].known() || *elems == x[axis].value()) continue;
    return Error(Code::kInvalidArgument, "input {} of shape {} is not one for each of {} places", i,
                 ctx.input_shape(i), x[axis].value());
  }
  return Status::Ok();
}

constexpr InferRule kRules[] = {
    {kInternalDomain, "AveragePool", InferInternalPool},
    {kInternalDomain, "Conv", InferInternalConv},
    {kInternalDomain, "ConvTranspose", InferInternalConvTranspose},
    {kInternalDomain, "Elementwise", InferElementwise},
    {kInternalDomain, "LRN", InferInternalLrn},
    {kInternalDomain, "LayerNormalization", InferInternalLayerNorm},
    {kInternalDomain, "MatMul", InferFusedMatMul},
    {kInternalDomain, "MaxPool", InferInternalPool},
    {kInternalDomain, "OneHotMatMul", InferOneHotMatMul},
    {kInternalDomain, "QLinearAdd", InferQLinearAdd},
    {kInternalDomain, "QLinearConv", InferInternalQLinearConv},
    {kInternalDomain, "QLinearGemm", InferQLinearGemm},
    {kInternalDomain, "QLinearGlobalAveragePool", InferQLinearGlobalAveragePool},
};

}  // namespace

std::span<const InferRule> InternalRules() { return kRules; }

}  // namespace waybill::graph::infer
