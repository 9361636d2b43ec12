#include <algorithm>
#include <cmath>

#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/post_transform.h"
#include "kernel/reference/ml/rows.h"
#include "kernel/reference/support/planned_kernel.h"

namespace waybill::kernel::reference {

namespace {

struct LinearParams {
  std::vector<float> coefficients, intercepts;
  int64_t outputs = 1;  // rows of the coefficients
  PostTransform post = PostTransform::kNone;
  std::vector<int64_t> int_labels;
  std::vector<std::string> string_labels;
  // Two labels but one row of coefficients: the second label's score.
  bool one_sided = false;
};

Status ParseCommon(const graph::NodeRef& node, LinearParams& p) {
  p.coefficients = node.attrs().Floats("coefficients");
  p.intercepts = node.attrs().Floats("intercepts");
  WB_ASSIGN_OR_RETURN(p.post, ParsePostTransform(node.attrs().String("post_transform", "NONE")));
  return Status::Ok();
}

Result<LinearParams> ParseLinearRegressor(const graph::NodeRef& node) {
  LinearParams p;
  WB_RETURN_IF_ERROR(ParseCommon(node, p));
  p.outputs = node.attrs().Int("targets", 1);
  if (p.outputs < 1 ||
      (!p.intercepts.empty() && static_cast<int64_t>(p.intercepts.size()) != p.outputs)) {
    return Error(Code::kInvalidArgument, "{} intercepts for {} targets", p.intercepts.size(),
                 p.outputs);
  }
  return p;
}

// multi_class says how the coefficients were trained, one label against the rest or all at once.
// Either way a label's score is its row's product, and post_transform says what becomes of it, so
// nothing here depends on multi_class.
Result<LinearParams> ParseLinearClassifier(const graph::NodeRef& node) {
  LinearParams p;
  WB_RETURN_IF_ERROR(ParseCommon(node, p));
  p.int_labels = node.attrs().Ints("classlabels_ints");
  p.string_labels = node.attrs().Strings("classlabels_strings");
  const auto labels = static_cast<int64_t>(p.int_labels.size() + p.string_labels.size());
  if (p.int_labels.empty() == p.string_labels.empty()) {
    return Error(Code::kInvalidArgument, "labels must be integers or strings");
  }
  p.outputs = p.intercepts.empty() ? labels : static_cast<int64_t>(p.intercepts.size());
  p.one_sided = labels == 2 && p.outputs == 1;
  if (p.outputs != labels && !p.one_sided) {
    return Error(Code::kInvalidArgument, "{} intercepts for {} labels", p.intercepts.size(),
                 labels);
  }
  return p;
}

Status PlanLinear(const LinearParams& p, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  ctx.BookScratch(static_cast<size_t>(p.outputs + 1) * sizeof(double));
  return Status::Ok();
}

Status CheckColumns(const LinearParams& p, const RowsOf& x) {
  const auto given = static_cast<int64_t>(p.coefficients.size());
  if (given % p.outputs == 0 && given / p.outputs == x.columns) return Status::Ok();
  return Error(Code::kInvalidArgument, "{} coefficients for {} columns and {} outputs", given,
               x.columns, p.outputs);
}

void Products(const LinearParams& p, const TensorView& x, int64_t row, int64_t columns,
              double* scores) {
  for (int64_t k = 0; k < p.outputs; ++k) {
    double sum =
        p.intercepts.empty() ? 0.0 : static_cast<double>(p.intercepts[static_cast<size_t>(k)]);
    for (int64_t i = 0; i < columns; ++i) {
      sum += ReadNumber(x, row * columns + i) *
             static_cast<double>(p.coefficients[static_cast<size_t>(k * columns + i)]);
    }
    scores[k] = sum;
  }
}

Status RunLinearRegressor(const LinearParams& p, RunContext& ctx) {
  const TensorView& x = ctx.input(0);
  const RowsOf shape(x.shape);
  WB_RETURN_IF_ERROR(CheckColumns(p, shape));
  double* const scores = ctx.scratch<double>(0);
  for (int64_t row = 0; row < shape.rows; ++row) {
    Products(p, x, row, shape.columns, scores);
    Apply(p.post, {scores, static_cast<size_t>(p.outputs)});
    for (int64_t k = 0; k < p.outputs; ++k) {
      ctx.output(0).as<float>()[row * p.outputs + k] = static_cast<float>(scores[k]);
    }
  }
  return Status::Ok();
}

// Index of the best label; turns the raw scores into those of all labels.
size_t Choose(const LinearParams& p, double* scores) {
  if (!p.one_sided) {
    const auto best = static_cast<size_t>(std::max_element(scores, scores + p.outputs) - scores);
    Apply(p.post, {scores, static_cast<size_t>(p.outputs)});
    return best;
  }
  const double score = scores[0];
  if (p.post == PostTransform::kLogistic) {
    scores[1] = Logistic(score);
    scores[0] = Logistic(-score);
  } else {
    scores[1] = p.post == PostTransform::kProbit ? Probit(score) : score;
    scores[0] = 1 - scores[1];
  }
  return score > 0 ? 1 : 0;
}

Status RunLinearClassifier(const LinearParams& p, RunContext& ctx) {
  const TensorView& x = ctx.input(0);
  const RowsOf shape(x.shape);
  WB_RETURN_IF_ERROR(CheckColumns(p, shape));
  double* const scores = ctx.scratch<double>(0);
  const int64_t labels = p.one_sided ? 2 : p.outputs;
  for (int64_t row = 0; row < shape.rows; ++row) {
    Products(p, x, row, shape.columns, scores);
    const size_t best = Choose(p, scores);
    if (ctx.wants_output(0) && p.string_labels.empty()) {
      ctx.output(0).as<int64_t>()[row] = p.int_labels[best];
    } else if (ctx.wants_output(0)) {
      ctx.output(0).as<std::string>()[row] = p.string_labels[best];
    }
    for (int64_t k = 0; ctx.wants_output(1) && k < labels; ++k) {
      ctx.output(1).as<float>()[row * labels + k] = static_cast<float>(scores[k]);
    }
  }
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kLinearRegressor[1] = {
    PlannedImpl<LinearParams, ParseLinearRegressor, PlanLinear, RunLinearRegressor>(
        "linear_regressor.reference")};
constinit const KernelImpl kLinearClassifier[1] = {
    PlannedImpl<LinearParams, ParseLinearClassifier, PlanLinear, RunLinearClassifier>(
        "linear_classifier.reference")};

}  // namespace waybill::kernel::reference
