// What TreeEnsembleClassifier and TreeEnsembleRegressor say besides their trees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/reference/ml/trees/forest.h"

namespace waybill::kernel::reference {

struct Classifier {
  Forest forest;
  std::vector<int64_t> int_labels;
  std::vector<std::string> string_labels;
  // Two classes of which only one has weights: the other's score follows from it.
  bool one_sided = false;
  bool all_positive = false;  // no leaf has a negative weight
};

// Errors: kInvalidArgument for labels of no or two types, wrong base values, and those of
// ParseForest.
Result<Classifier> ParseClassifier(const graph::NodeRef& node);
Result<Forest> ParseRegressor(const graph::NodeRef& node);

// The index of the class of one row from Forest::Score's results; `scores` become the row's output.
int64_t ChooseClass(const Classifier& p, double* scores, const bool* seen);
// The same for a regressor and for TreeEnsemble: base values and transformation.
void FinishScores(const Forest& forest, double* scores);

}  // namespace waybill::kernel::reference
