// The equation of Einsum, read once for inference and kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status/result.h"

namespace waybill::graph::infer {

// Labels of one operand's dimensions after the ellipsis is spelled out: letters by their code,
// ellipsis dimensions from kEllipsisLabel on, the same label for the same broadcast dimension.
using EinsumLabels = std::vector<int>;
inline constexpr int kEllipsisLabel = 256;

struct EinsumEquation {
  std::vector<std::string> inputs;  // letters, '.' for the ellipsis
  std::string output;

  // Errors: kInvalidArgument naming what is wrong with the text.
  static Result<EinsumEquation> Parse(std::string_view text);
};

struct EinsumBinding {
  std::vector<EinsumLabels> inputs;
  EinsumLabels output;
};

// Errors: kInvalidArgument when the number of operands or a rank does not fit.
Result<EinsumBinding> BindEinsum(const EinsumEquation& equation, const std::vector<size_t>& ranks);

}  // namespace waybill::graph::infer
