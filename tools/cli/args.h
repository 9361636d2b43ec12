// What the command line says, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waybill::tools {

// --level, --threads, --config, --dim.
struct SessionArgs {
  int level = 3;
  int threads = 0;
  std::vector<std::string> config;  // KEY=VALUE
  std::vector<std::string> dims;    // NAME=N
};

// --input, --shape, --seed.
struct InputArgs {
  std::vector<std::string> files;   // NAME=FILE, FILE.npz, NAME=FILE.npz, or a folder
  std::vector<std::string> shapes;  // INPUT=AxB
  uint64_t seed = 0;
};

struct RunArgs {
  std::string model, save;
  SessionArgs session;
  InputArgs inputs;
  std::vector<std::string> outputs;
  size_t print = 8;
  bool json = false;
};

struct InspectArgs {
  std::string model;
  SessionArgs session;
  InputArgs inputs;
  bool kernels = false, patches = false, plan = false, json = false;
};

struct BenchArgs {
  std::string model;
  SessionArgs session;
  InputArgs inputs;
  size_t runs = 0, warmup = 2;
  double seconds = 2;
  bool json = false, ops = false;
  size_t top = 40;
  size_t (*allocations)() = nullptr;  // heap allocations so far; null: they are not reported
};

struct MemoryArgs {
  std::string model;
  SessionArgs session;
  InputArgs inputs;
  size_t runs = 10;
  bool csv = false, trace = false, json = false;
};

struct VerifyArgs {
  std::vector<std::string> cases;
  SessionArgs session;
  std::optional<double> rtol, atol;
  bool top1 = false, json = false, quiet = false;
  size_t runs = 1;
  int compare_threads = -1;
};

}  // namespace waybill::tools
