// How far the outputs of two libraries are apart.
#pragma once

#include <string>

#include "bench/e2e/session.h"

namespace waybill::bench {

struct Difference {
  double largest = 0;   // |a - b|
  double relative = 0;  // `largest` over the largest |b| of its output
  std::string problem;  // types, shapes or strings that differ; empty: none
};

// Over all outputs of the last runs, down through sequences and maps. Throws BenchError.
Difference CompareOutputs(const BenchSession& a, const BenchSession& b);

}  // namespace waybill::bench
