#include <algorithm>
#include <set>

#include "base/math/checked.h"
#include "kernel/reference/ml/kernels.h"
#include "kernel/reference/ml/rows.h"
#include "kernel/reference/ml/trees/forest.h"
#include "kernel/reference/support/float_access.h"
#include "kernel/reference/support/for_each.h"
#include "kernel/reference/support/planned_kernel.h"

namespace waybill::kernel::reference {

namespace {

struct ClassifierParams {
  Forest forest;
  std::vector<int64_t> int_labels;
  std::vector<std::string> string_labels;
  // Two classes of which only one has weights: the other's score follows from it.
  bool one_sided = false;
  bool all_positive = false;  // no leaf has a negative weight
};

Result<ClassifierParams> ParseClassifier(const graph::NodeRef& node) {
  ClassifierParams p;
  p.int_labels = node.attrs().Ints("classlabels_int64s");
  p.string_labels = node.attrs().Strings("classlabels_strings");
  if (p.int_labels.empty() == p.string_labels.empty()) {
    return Error(Code::kInvalidArgument, "labels must be integers or strings");
  }
  const auto classes = static_cast<int64_t>(p.int_labels.size() + p.string_labels.size());
  WB_ASSIGN_OR_RETURN(p.forest, ParseForest(node.attrs(), "class", classes));
  std::set<int64_t> named;
  p.all_positive = true;
  for (const LeafWeight& w : p.forest.weights) {
    named.insert(w.target);
    if (w.weight < 0) p.all_positive = false;
  }
  p.one_sided = classes == 2 && named.size() == 1;
  const size_t bases = p.forest.base_values.size();
  if (bases != 0 && bases != static_cast<size_t>(classes) && !(bases == 1 && classes == 2)) {
    return Error(Code::kInvalidArgument, "{} base_values for {} classes", bases, classes);
  }
  return p;
}

Result<Forest> ParseRegressor(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(Forest forest, ParseForest(node.attrs(), "target", -1));
  if (!forest.base_values.empty() &&
      forest.base_values.size() != static_cast<size_t>(forest.targets)) {
    return Error(Code::kInvalidArgument, "{} base_values for {} targets", forest.base_values.size(),
                 forest.targets);
  }
  return forest;
}

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

Status PlanClassifier(const ClassifierParams& p, PlanContext& ctx) {
  return PlanForest(p.forest, ctx);
}

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
    for (int64_t t = 0; t < forest.targets && !forest.base_values.empty(); ++t) {
      scores[t] += forest.base_values[static_cast<size_t>(t)];
    }
    Apply(forest.post, {scores, static_cast<size_t>(forest.targets)});
    for (int64_t t = 0; t < forest.targets; ++t) WriteFloat(y, row * forest.targets + t, scores[t]);
  });
}

// Chooses among two classes by the score of one; writes both scores.
int64_t OneSided(const ClassifierParams& p, double* scores, const bool* seen) {
  double score = seen[1] ? scores[1] : scores[0];
  const std::vector<double>& base = p.forest.base_values;
  if (!base.empty()) score += base.back();
  const bool logistic = p.forest.post == PostTransform::kLogistic;
  const bool positive = score > (p.all_positive ? 0.5 : 0.0);
  if (logistic) {
    scores[1] = Logistic(score);
    scores[0] = Logistic(-score);
  } else if (p.forest.post == PostTransform::kProbit) {
    scores[1] = Probit(score);
    scores[0] = 1 - scores[1];
  } else {
    scores[1] = score;
    scores[0] = p.all_positive ? 1 - score : -score;
  }
  return positive ? 1 : 0;
}

int64_t Choose(const ClassifierParams& p, double* scores, const bool* seen) {
  if (p.one_sided) return OneSided(p, scores, seen);
  const std::vector<double>& base = p.forest.base_values;
  const int64_t classes = p.forest.targets;
  for (int64_t t = 0; t < classes && base.size() == static_cast<size_t>(classes); ++t) {
    scores[t] += base[static_cast<size_t>(t)];
  }
  if (base.size() == 1 && classes == 2) scores[0] += base[0];
  const int64_t best = std::max_element(scores, scores + classes) - scores;
  Apply(p.forest.post, {scores, static_cast<size_t>(classes)});
  return best;
}

Status RunClassifier(const ClassifierParams& p, RunContext& ctx) {
  const int64_t classes = p.forest.targets;
  return ScoreRows(p.forest, ctx, [&](int64_t row, double* scores, const bool* seen) {
    const int64_t best = Choose(p, scores, seen);
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
    PlannedImpl<ClassifierParams, ParseClassifier, PlanClassifier, RunClassifier>(
        "tree_ensemble_classifier.reference")};
constinit const KernelImpl kTreeEnsembleRegressor[1] = {
    PlannedImpl<Forest, ParseRegressor, PlanForest, RunForest>(
        "tree_ensemble_regressor.reference")};
constinit const KernelImpl kTreeEnsemble[1] = {
    PlannedImpl<Forest, ParseEnsemble5, PlanForest, RunForest>("tree_ensemble.reference")};

}  // namespace waybill::kernel::reference
