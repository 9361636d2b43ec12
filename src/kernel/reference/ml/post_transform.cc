#include "kernel/reference/ml/post_transform.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waybill::kernel::reference {

namespace {

void Softmax(std::span<double> scores, bool keep_zeros) {
  if (scores.empty()) return;
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& s : scores) {
    if (keep_zeros && std::fabs(s) <= 1e-7) {
      s = s * std::exp(-top);
      continue;
    }
    s = std::exp(s - top);
    sum += s;
  }
  if (sum == 0) return;
  for (double& s : scores) s /= sum;
}

}  // namespace

Result<PostTransform> ParsePostTransform(std::string_view name) {
  if (name == "NONE" || name.empty()) return PostTransform::kNone;
  if (name == "SOFTMAX") return PostTransform::kSoftmax;
  if (name == "LOGISTIC") return PostTransform::kLogistic;
  if (name == "SOFTMAX_ZERO") return PostTransform::kSoftmaxZero;
  if (name == "PROBIT") return PostTransform::kProbit;
  return Error(Code::kInvalidArgument, "post_transform is '{}'", name);
}

Result<PostTransform> PostTransformOf(int64_t number) {
  if (number < 0 || number > 4) {
    return Error(Code::kInvalidArgument, "post_transform is {}", number);
  }
  return static_cast<PostTransform>(number);
}

double Logistic(double x) {
  // The same value for both signs: no overflow, and the two classes add up to one.
  const double e = 1 / (1 + std::exp(-std::fabs(x)));
  return x < 0 ? 1 - e : e;
}

double Probit(double x) {
  if (!(x >= 0 && x <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x == 1) return std::numeric_limits<double>::infinity();
  // Bisection on the distribution function, which is monotone: [-40, 40] covers all doubles.
  double low = -40, high = 40;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double mid = low + (high - low) / 2;
    if (mid == low || mid == high) break;
    (0.5 * std::erfc(-mid / std::sqrt(2.0)) < x ? low : high) = mid;
  }
  return low + (high - low) / 2;
}

void Apply(PostTransform transform, std::span<double> scores) {
  switch (transform) {
    case PostTransform::kNone:
      return;
    case PostTransform::kSoftmax:
      return Softmax(scores, false);
    case PostTransform::kSoftmaxZero:
      return Softmax(scores, true);
    case PostTransform::kLogistic:
      for (double& s : scores) s = Logistic(s);
      return;
    case PostTransform::kProbit:
      for (double& s : scores) s = Probit(s);
      return;
  }
}

}  // namespace waybill::kernel::reference
