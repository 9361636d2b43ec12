// Measures one model with two libraries, turn by turn.
#pragma once

#include <array>
#include <string>

#include "bench/e2e/difference.h"
#include "bench/e2e/inputs.h"
#include "bench/e2e/library.h"
#include "bench/e2e/memory.h"

namespace waybill::bench {

struct MeasureOptions {
  std::array<int, 2> threads = {1, 1};  // intra-op, of each library
  double min_seconds = 1;               // of runs, for each library
  size_t runs = 0;                      // at most that many for each library; 0: as many as fit
  size_t loads = 3;
  bool memory = true;
};

// Microseconds; minima of all that was measured.
struct Figures {
  // CPU time is that of the thread when both libraries use one, else the mean of the process.
  double run_cpu = 0, run_wall = 0;
  double first_cpu = 0, first_wall = 0;  // the first run of the first session
  double load_cpu = 0, load_wall = 0;    // CPU of the process
  size_t runs = 0;
  MemoryGrowth memory;  // load and one run
};

struct ModelResult {
  std::string name;
  std::array<Figures, 2> figures;
  Difference difference;
  std::string error;  // why there are no figures
};

// Never throws: what goes wrong is in `error`.
ModelResult MeasureModel(const std::array<const Library*, 2>& libraries, const ModelFolder& model,
                         const MeasureOptions& options);

// Memory must be measured before the libraries are loaded: the child loads one of them itself.
MemoryGrowth MeasureModelMemory(const std::string& library_path, const ModelFolder& model,
                                int threads);

}  // namespace waybill::bench
