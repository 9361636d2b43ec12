// Reading of tree attributes that come as a list of floats or as a tensor of floats or doubles.
#pragma once

#include <string_view>
#include <vector>

#include "base/status/result.h"
#include "graph/ir/graph.h"

namespace waybill::kernel::reference {

// Elements of a float16, float or double tensor. Errors: kInvalidArgument for other types.
Result<std::vector<double>> FloatsOfTensor(const Tensor& tensor);

// `name` as floats, or `name`_as_tensor. Empty when neither is there.
Result<std::vector<double>> FloatsOrTensor(const graph::Attributes& attrs, std::string_view name);

}  // namespace waybill::kernel::reference
