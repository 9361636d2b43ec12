#include "kernel/reference/ml/trees/classifier.h"

#include <algorithm>
#include <set>

namespace waybill::kernel::reference {

Result<Classifier> ParseClassifier(const graph::NodeRef& node) {
  Classifier p;
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

namespace {

// Chooses among two classes by the score of one; writes both scores.
int64_t OneSided(const Classifier& p, double* scores, const bool* seen) {
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

}  // namespace

int64_t ChooseClass(const Classifier& p, double* scores, const bool* seen) {
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

void FinishScores(const Forest& forest, double* scores) {
  for (int64_t t = 0; t < forest.targets && !forest.base_values.empty(); ++t) {
    scores[t] += forest.base_values[static_cast<size_t>(t)];
  }
  Apply(forest.post, {scores, static_cast<size_t>(forest.targets)});
}

}  // namespace waybill::kernel::reference
