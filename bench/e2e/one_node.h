// What a run costs beside its work: a model of one Add on one element, and a process at rest.
#pragma once

#include "bench/e2e/library.h"

namespace waybill::bench {

struct OneNodeFigures {
  double run_us = 0;           // thread CPU time of a run with fresh outputs
  double run_in_place_us = 0;  // of a run into outputs that are there
  double load_us = 0;          // process CPU time
  double idle_cpu_ms = 0;      // of the process in `idle_seconds` after a run with all threads
  double idle_seconds = 0;
};

// Throws BenchError.
OneNodeFigures MeasureOneNode(const Library& library, double idle_seconds);

}  // namespace waybill::bench
