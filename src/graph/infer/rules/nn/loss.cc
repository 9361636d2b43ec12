#include "graph/infer/rules/nn/rules.h"

namespace waybill::graph::infer {

namespace {

// Checks scores [N, C, d...], labels [N, d...] and weights [C]; sets the loss.
Status InferLoss(InferContext& ctx) {
  const SymShape &scores = ctx.input_shape(0), &labels = ctx.input_shape(1),
                 &weights = ctx.input_shape(2);
  const auto mismatch = [&] {
    return Error(Code::kInvalidArgument, "scores, labels and weights have shapes {}, {}, {}",
                 scores, labels, weights);
  };
  if (scores.has_rank() && scores.rank() < 2) return mismatch();
  if (scores.has_rank() && labels.has_rank()) {
    if (labels.rank() + 1 != scores.rank()) return mismatch();
    for (size_t i = 0; i < labels.rank(); ++i) {
      const Dim& d = scores[i == 0 ? 0 : i + 1];
      if (d.known() && labels[i].known() && d.value() != labels[i].value()) return mismatch();
    }
  }
  if (weights.has_rank() && weights.rank() != 1) return mismatch();
  if (weights.has_rank() && scores.has_rank() && weights[0].known() && scores[1].known() &&
      weights[0].value() != scores[1].value()) {
    return mismatch();
  }
  if (ctx.attrs().String("reduction", "mean") != "none") {
    ctx.SetShape(0, SymShape(std::vector<Dim>{}));
    return Status::Ok();
  }
  if (scores.has_rank()) {
    std::vector<Dim> dims = scores.dims();
    dims.erase(dims.begin() + 1);
    ctx.SetShape(0, SymShape(std::move(dims)));
  } else {
    ctx.SetShape(0, labels);
  }
  return Status::Ok();
}

}  // namespace

Status InferNegativeLogLikelihoodLoss(InferContext& ctx) { return InferLoss(ctx); }

Status InferSoftmaxCrossEntropyLoss(InferContext& ctx) {
  WB_RETURN_IF_ERROR(InferLoss(ctx));
  ctx.SetShape(1, ctx.input_shape(0));
  return Status::Ok();
}

}  // namespace waybill::graph::infer
