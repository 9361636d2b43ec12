#include <cmath>
#include <limits>
#include <optional>

#include "kernel/reference/nn/kernels.h"
#include "kernel/reference/support/float_access.h"

namespace waybill::kernel::reference {

namespace {

enum class Reduction { kNone, kSum, kMean };

struct LossParams {
  Reduction reduction = Reduction::kMean;
  std::optional<int64_t> ignore;
  bool softmax = false;  // scores are not log probabilities yet
};

Result<LossParams> ParseLoss(const graph::NodeRef& node) {
  LossParams p;
  const std::string reduction = node.attrs().String("reduction", "mean");
  if (reduction == "none") {
    p.reduction = Reduction::kNone;
  } else if (reduction == "sum") {
    p.reduction = Reduction::kSum;
  } else if (reduction != "mean") {
    return Error(Code::kInvalidArgument, "reduction is '{}'", reduction);
  }
  if (const int64_t* ignore = node.attrs().Get<int64_t>("ignore_index")) p.ignore = *ignore;
  p.softmax = node.node().op_type == "SoftmaxCrossEntropyLoss";
  return p;
}

int64_t Label(const TensorView& labels, int64_t i) {
  return labels.dtype == DType::kI32 ? labels.as<const int32_t>()[i]
                                     : labels.as<const int64_t>()[i];
}

// log of the sum of exponentials of the scores of one place.
double LogSum(const TensorView& scores, int64_t first, int64_t classes, int64_t stride) {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t c = 0; c < classes; ++c) top = std::max(top, ReadFloat(scores, first + c * stride));
  for (int64_t c = 0; c < classes; ++c)
    sum += std::exp(ReadFloat(scores, first + c * stride) - top);
  return top + std::log(sum);
}

Status RunLoss(const LossParams& p, RunContext& ctx) {
  const TensorView &scores = ctx.input(0), &labels = ctx.input(1);
  const TensorView* const weights = ctx.has_input(2) ? &ctx.input(2) : nullptr;
  const TensorView* const log_prob = ctx.wants_output(1) ? &ctx.output(1) : nullptr;
  const Shape& shape = scores.shape;
  const int64_t classes = shape[1], inner = shape.ElemsBetween(2, shape.rank());
  double total = 0, total_weight = 0;
  for (int64_t i = 0; i < shape[0] * inner; ++i) {
    const int64_t first = i / inner * classes * inner + i % inner;
    const double log_sum = p.softmax ? LogSum(scores, first, classes, inner) : 0;
    for (int64_t c = 0; log_prob != nullptr && c < classes; ++c) {
      WriteFloat(*log_prob, first + c * inner, ReadFloat(scores, first + c * inner) - log_sum);
    }
    const int64_t label = Label(labels, i);
    double loss = 0;
    if (!p.ignore || label != *p.ignore) {
      if (label < 0 || label >= classes) {
        return Error(Code::kInvalidArgument, "label {} is out of range for {} classes", label,
                     classes);
      }
      const double weight = weights == nullptr ? 1 : ReadFloat(*weights, label);
      loss = -weight * (ReadFloat(scores, first + label * inner) - log_sum);
      total_weight += weight;
    }
    total += loss;
    if (p.reduction == Reduction::kNone && ctx.wants_output(0)) WriteFloat(ctx.output(0), i, loss);
  }
  if (p.reduction == Reduction::kNone || !ctx.wants_output(0)) return Status::Ok();
  WriteFloat(ctx.output(0), 0, p.reduction == Reduction::kSum ? total : total / total_weight);
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kNegativeLogLikelihoodLoss[1] = {
    FunctionImpl<LossParams, ParseLoss, RunLoss>("negative_log_likelihood_loss.reference")};
constinit const KernelImpl kSoftmaxCrossEntropyLoss[1] = {
    FunctionImpl<LossParams, ParseLoss, RunLoss>("softmax_cross_entropy_loss.reference")};

}  // namespace waybill::kernel::reference
