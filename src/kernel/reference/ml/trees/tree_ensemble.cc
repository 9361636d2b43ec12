#include <algorithm>

#include "base/math/checked.h"
#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/rows.h"
#include "kernel/reference/ml/trees/classifier.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"

namespace waybill::kernel::reference {

namespace {

Result<Forest> ParseEnsemble5(const graph::NodeRef& node) { return ParseForest5(node.attrs()); }

// Scores and marks of one row for each thread.
Status PlanForest(const Forest& forest, PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const size_t width = std::max<size_t>(1, ctx.width());
  const auto targets = static_cast<size_t>(forest.targets);
  ctx.BookScratch(targets * sizeof(double) * width);
  ctx.BookScratch(targets * width);
  return Status::Ok();
}

Status PlanClassifier(const Classifier& p, PlanContext& ctx) { return PlanForest(p.forest, ctx); }

// Scores every row and hands it to finish(row, scores, seen).
template <typename Finish>
Status ScoreRows(const Forest& forest, RunContext& ctx, const Finish& finish) {
  const TensorView& x = ctx.input(0);
  const RowsOf shape(x.shape);
  if (shape.rows != 0 && shape.columns < forest.features) {
    return Error(Code::kInvalidArgument, "X has {} columns, the trees look at column {}",
                 shape.columns, forest.features - 1);
  }
  ForEachPiece(ctx, static_cast<size_t>(shape.rows), [&](size_t piece, size_t worker) {
    const auto row = static_cast<int64_t>(piece);
    const size_t at = worker * static_cast<size_t>(forest.targets);
    double* const scores = ctx.scratch<double>(0) + at;
    bool* const seen = ctx.scratch<bool>(1) + at;
    forest.Score([&](int64_t i) { return ReadNumber(x, row * shape.columns + i); }, scores, seen);
    finish(row, scores, seen);
  });
  return Status::Ok();
}

Status RunForest(const Forest& forest, RunContext& ctx) {
  const TensorView& y = ctx.output(0);
  return ScoreRows(forest, ctx, [&](int64_t row, double* scores, const bool*) {
    FinishScores(forest, scores);
    for (int64_t t = 0; t < forest.targets; ++t) WriteFloat(y, row * forest.targets + t, scores[t]);
  });
}

Status RunClassifier(const Classifier& p, RunContext& ctx) {
  const int64_t classes = p.forest.targets;
  return ScoreRows(p.forest, ctx, [&](int64_t row, double* scores, const bool* seen) {
    const int64_t best = ChooseClass(p, scores, seen);
    if (ctx.wants_output(0) && p.string_labels.empty()) {
      ctx.output(0).as<int64_t>()[row] = p.int_labels[static_cast<size_t>(best)];
    } else if (ctx.wants_output(0)) {
      ctx.output(0).as<std::string>()[row] = p.string_labels[static_cast<size_t>(best)];
    }
    if (!ctx.wants_output(1)) return;
    float* const out = ctx.output(1).as<float>() + row * classes;
    for (int64_t t = 0; t < classes; ++t) out[t] = static_cast<float>(scores[t]);
  });
}

}  // namespace

constinit const KernelImpl kTreeEnsembleClassifier[1] = {
    PlannedImpl<Classifier, ParseClassifier, PlanClassifier, RunClassifier>(
        "tree_ensemble_classifier.reference")};
constinit const KernelImpl kTreeEnsembleRegressor[1] = {
    PlannedImpl<Forest, ParseRegressor, PlanForest, RunForest>(
        "tree_ensemble_regressor.reference")};
constinit const KernelImpl kTreeEnsemble[1] = {
    PlannedImpl<Forest, ParseEnsemble5, PlanForest, RunForest>("tree_ensemble.reference")};

}  // namespace waybill::kernel::reference
