#include "kernel/reference/contrib/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waybill::kernel::reference {

double FusedActivation::operator()(double x) const {
  switch (kind) {
    case Kind::kNone:
      return x;
    case Kind::kRelu:
      return x < 0 ? 0 : x;
    case Kind::kTanh:
      return std::tanh(x);
    case Kind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Kind::kLeakyRelu:
      return x < 0 ? a * x : x;
    case Kind::kClip:
      return x < a ? a : x > b ? b : x;
    case Kind::kHardSigmoid: {
      const double y = a * x + b;
      return y < 0 ? 0 : y > 1 ? 1 : y;
    }
  }
  return x;
}

Result<FusedActivation> ParseFusedActivation(const std::string& name,
                                             const std::vector<float>& params) {
  using Kind = FusedActivation::Kind;
  constexpr double kMax = static_cast<double>(std::numeric_limits<float>::max());
  struct Known {
    const char* name;
    Kind kind;
    double a, b;
  };
  constexpr Known kKnown[] = {
      {"", Kind::kNone, 0, 0},
      {"Relu", Kind::kRelu, 0, 0},
      {"Tanh", Kind::kTanh, 0, 0},
      {"Sigmoid", Kind::kSigmoid, 0, 0},
      {"LeakyRelu", Kind::kLeakyRelu, 0.01f, 0},
      {"Clip", Kind::kClip, -kMax, kMax},
      {"HardSigmoid", Kind::kHardSigmoid, 0.2f, 0.5},
  };
  for (const Known& known : kKnown) {
    if (name != known.name) continue;
    FusedActivation out{known.kind, known.a, known.b};
    if (!params.empty()) out.a = static_cast<double>(params[0]);
    if (params.size() > 1) out.b = static_cast<double>(params[1]);
    return out;
  }
  return Error(Code::kNotImplemented, "activation '{}' in a fused operator", name);
}

}  // namespace waybill::kernel::reference
