// Many callers of one session in a closed loop, for some seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace waybill::bench {

struct StormLoad {
  std::string library, model;  // paths
  int64_t side = 0;            // of the square image that is fed
  size_t callers = 0;
  size_t at_once = 0;  // places of the callers' own semaphore; 0: they have none
  double seconds = 0;  // at least; longer where each caller would run less than a few times
};

struct StormFigures {
  double runs_per_second = 0;
  double p50_ms = 0, p99_ms = 0;
  double growth_mib = 0;   // the most anonymous memory, beside that after load and one run
  double others_cpus = 0;  // CPUs that other processes used meanwhile
};

// Loads the library into this process, which should be a fresh one, and a session with default
// options. Runs that end before each caller has ended one do not count, nor do those that have not
// ended when the time is over. Latency is that of the caller, its wait for a place included. All
// callers feed the same image; outputs are made by the library and released at once. Throws
// BenchError.
StormFigures MeasureStorm(const StormLoad& load);

}  // namespace waybill::bench
