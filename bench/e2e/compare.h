// What changed between two files that bench_e2e wrote.
#pragma once

#include <string>

namespace waybill::bench {

// Prints each model's ratio A/B in both files, those that got slower first, and geometric means
// over the models of both; before them, which models are in one alone and what else is not alike.
// Throws BenchError for a file that can not be read, and when no model is in both.
void CompareFiles(const std::string& before, const std::string& after);

}  // namespace waybill::bench
