#include "kernel/reference/nn/rnn/activation.h"

#include <algorithm>
#include <cmath>

namespace waybill::kernel::reference {

namespace {

struct Known {
  std::string_view name;  // lower case
  RnnActivation::Kind kind;
  bool takes_alpha, takes_beta;
  double alpha, beta;  // defaults
};

using Kind = RnnActivation::Kind;

constexpr Known kKnown[] = {
    {"relu", Kind::kRelu, false, false, 0, 0},
    {"tanh", Kind::kTanh, false, false, 0, 0},
    {"sigmoid", Kind::kSigmoid, false, false, 0, 0},
    {"affine", Kind::kAffine, true, true, 1, 0},
    {"leakyrelu", Kind::kLeakyRelu, true, false, 0.01f, 0},
    {"thresholdedrelu", Kind::kThresholdedRelu, true, false, 1, 0},
    {"scaledtanh", Kind::kScaledTanh, true, true, 1, 1},
    {"hardsigmoid", Kind::kHardSigmoid, true, true, 0.2f, 0.5},
    {"elu", Kind::kElu, true, false, 1, 0},
    {"softsign", Kind::kSoftsign, false, false, 0, 0},
    {"softplus", Kind::kSoftplus, false, false, 0, 0},
};

const Known* FindKnown(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const Known& known : kKnown) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

// Takes the next given value. A list with an entry for every activation is positional, a shorter
// one serves the activations that have such a parameter in turn.
double Take(const std::vector<float>& given, size_t position, size_t count, bool takes,
            double fallback, size_t* used) {
  if (!takes) return fallback;
  if (given.size() == count) return static_cast<double>(given[position]);
  if (*used < given.size()) return static_cast<double>(given[(*used)++]);
  return fallback;
}

}  // namespace

double RnnActivation::operator()(double x) const {
  switch (kind) {
    case Kind::kRelu:
      return x < 0 ? 0 : x;
    case Kind::kTanh:
      return std::tanh(x);
    case Kind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Kind::kAffine:
      return alpha * x + beta;
    case Kind::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case Kind::kThresholdedRelu:
      return x < alpha ? 0 : x;
    case Kind::kScaledTanh:
      return alpha * std::tanh(beta * x);
    case Kind::kHardSigmoid: {
      const double y = alpha * x + beta;
      return y < 0 ? 0 : y > 1 ? 1 : y;
    }
    case Kind::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case Kind::kSoftsign:
      return x / (1 + std::fabs(x));
    case Kind::kSoftplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  }
  return x;
}

Result<std::vector<RnnActivation>> ParseRnnActivations(const graph::Attributes& attrs,
                                                       size_t directions,
                                                       std::vector<std::string> defaults) {
  std::vector<std::string> names = attrs.Strings("activations");
  const size_t per_direction = defaults.size(), count = per_direction * directions;
  if (names.empty()) names = std::move(defaults);
  // One direction's worth of names serves both.
  if (names.size() == per_direction && directions == 2) {
    const std::vector<std::string> backward = names;
    names.insert(names.end(), backward.begin(), backward.end());
  }
  // RNN's schema default has two entries for any direction.
  if (names.size() > count) names.resize(count);
  if (names.size() != count) {
    return Error(Code::kInvalidArgument, "{} activations are given, {} are needed", names.size(),
                 count);
  }
  const std::vector<float> alphas = attrs.Floats("activation_alpha");
  const std::vector<float> betas = attrs.Floats("activation_beta");
  std::vector<RnnActivation> out;
  size_t used_alphas = 0, used_betas = 0;
  for (size_t i = 0; i < count; ++i) {
    const Known* known = FindKnown(names[i]);
    if (known == nullptr) {
      return Error(Code::kInvalidArgument, "activation '{}' is unknown", names[i]);
    }
    RnnActivation a;
    a.kind = known->kind;
    a.alpha = Take(alphas, i, count, known->takes_alpha, known->alpha, &used_alphas);
    a.beta = Take(betas, i, count, known->takes_beta, known->beta, &used_betas);
    out.push_back(a);
  }
  return out;
}

}  // namespace waybill::kernel::reference
