// Random valid models: chains and diamonds of common operators over small float tensors, with
// constants, shape arithmetic, identities and dead ends, as exporters leave them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/choices.h"

namespace waybill::fuzz {

struct GeneratedModel {
  struct Input {
    std::string name;
    std::vector<int64_t> shape;
  };
  std::string bytes;
  std::vector<Input> inputs;         // all float
  std::vector<std::string> outputs;  // all float
};

// A model of at most `max_nodes` drawn operators. Every tensor has at most a few thousand elements.
GeneratedModel GenerateModel(Choices& choices, size_t max_nodes);

}  // namespace waybill::fuzz
