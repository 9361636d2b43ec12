// Small valid models that together use every message and field that the reader knows.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace waybill::fuzz {

// File names and contents.
std::vector<std::pair<std::string, std::string>> SeedModels();

}  // namespace waybill::fuzz
