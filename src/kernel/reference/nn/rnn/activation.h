// Activation functions of recurrent operators, by name and with their alpha and beta.
#pragma once

#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::kernel::reference {

struct RnnActivation {
  enum class Kind {
    kRelu,
    kTanh,
    kSigmoid,
    kAffine,
    kLeakyRelu,
    kThresholdedRelu,
    kScaledTanh,
    kHardSigmoid,
    kElu,
    kSoftsign,
    kSoftplus
  };
  Kind kind = Kind::kTanh;
  double alpha = 0, beta = 0;

  double operator()(double x) const;
};

// The activations of a node, `per_direction` for each of `directions`; `defaults` where the
// attribute is absent. Names are compared without case.
// Errors: kInvalidArgument for an unknown name or a wrong count.
Result<std::vector<RnnActivation>> ParseRnnActivations(const graph::Attributes& attrs,
                                                       size_t directions,
                                                       std::vector<std::string> defaults);

}  // namespace waybill::kernel::reference
