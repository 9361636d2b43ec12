// The activation that fused operators apply to their result.
#pragma once

#include <string>
#include <vector>

#include "base/status/result.h"

namespace waybill::kernel::reference {

struct FusedActivation {
  enum class Kind { kNone, kRelu, kTanh, kSigmoid, kLeakyRelu, kClip, kHardSigmoid };
  Kind kind = Kind::kNone;
  double a = 0, b = 0;  // alpha and beta, or minimum and maximum

  double operator()(double x) const;
};

// `params` by position; defaults where they are missing.
// Errors: kNotImplemented for an activation that is not among the kinds.
Result<FusedActivation> ParseFusedActivation(const std::string& name,
                                             const std::vector<float>& params);

}  // namespace waybill::kernel::reference
