// The score transformations that ai.onnx.ml classifiers and regressors share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status/result.h"

namespace waybill::kernel::reference {

enum class PostTransform : uint8_t { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };

// Errors: kInvalidArgument for an unknown name or number.
Result<PostTransform> ParsePostTransform(std::string_view name);
Result<PostTransform> PostTransformOf(int64_t number);

// Transforms the scores of one row in place.
void Apply(PostTransform transform, std::span<double> scores);

double Logistic(double x);
double Probit(double x);  // the normal quantile; infinite at 0 and 1, NaN outside

}  // namespace waybill::kernel::reference
