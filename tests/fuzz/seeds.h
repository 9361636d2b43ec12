// Small valid models that together use every message and field that the reader knows.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace waybill::fuzz {

// File names and contents.
std::vector<std::pair<std::string, std::string>> SeedModels();

// The same for the messages that hold values: a SequenceProto with all others inside, a
// TensorProto.
std::vector<std::pair<std::string, std::string>> SeedValues();

}  // namespace waybill::fuzz
