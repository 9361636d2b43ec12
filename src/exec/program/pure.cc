#include "exec/program/pure.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace waybill::exec {

bool IsPure(const graph::Node& node) {
  static constexpr std::string_view kDraws[] = {
      "Bernoulli",        "Dropout",       "Multinomial",       "RandomNormal",
      "RandomNormalLike", "RandomUniform", "RandomUniformLike",
  };
  if (std::find(std::begin(kDraws), std::end(kDraws), node.op_type) == std::end(kDraws)) {
    return true;
  }
  // Before opset 12 Dropout has no training mode; later its third input may switch it on.
  return node.Is("Dropout") && !node.HasInput(2);
}

bool ReadsShapeOnly(const graph::Node& node) { return node.Is("Shape") || node.Is("Size"); }

}  // namespace waybill::exec
