// Models whose weights are ConstantOfShape nodes (all elements equal) would give the same result
// with a wrong convolution. This puts seeded random weights in their place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill::test {

// The model with each ConstantOfShape over a constant shape replaced by a random initializer of its
// name: vectors in [0.5, 1.5] (they are scales and variances too), other tensors uniform with the
// spread that keeps activations in range. Models without such nodes come back unchanged.
std::string WithRandomWeights(std::string_view model, uint64_t seed);

}  // namespace waybill::test
