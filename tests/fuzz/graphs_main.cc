// Random valid models, loaded and run with and without optimisation. The first that fails is
// written to a file and named with its seed.
//   waybill_graphs [--count N] [--seed S] [--nodes N] [--out FILE]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/fuzz/graph_check.h"

int main(int argc, char** argv) {
  uint64_t count = 500, seed = 1, nodes = 24;
  std::string out = "failed.onnx";
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) return 2;
    if (option == "--count")
      count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--seed")
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--nodes")
      nodes = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--out")
      out = argv[i + 1];
    else
      return 2;
  }
  auto env = waybill::session::Env::Create({});
  if (!env.ok()) return 2;
  for (uint64_t i = 0; i < count; ++i) {
    waybill::fuzz::Choices choices(seed + i);
    std::string model;
    const std::string problem = waybill::fuzz::CheckGenerated(*env, choices, nodes, model);
    if (problem.empty()) continue;
    std::ofstream(out, std::ios::binary) << model;
    std::printf("seed %llu: %s (model in %s)\n", static_cast<unsigned long long>(seed + i),
                problem.c_str(), out.c_str());
    return 1;
  }
  std::printf("%llu generated models: equal with and without optimisation\n",
              static_cast<unsigned long long>(count));
  return 0;
}
