// libFuzzer: the bytes choose a valid model, which must give the same with and without
// optimisation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/graph_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto env = waybill::session::Env::Create({});
  if (!env.ok()) std::abort();
  waybill::fuzz::Choices choices(size, {data, size});
  std::string model;
  const std::string problem = waybill::fuzz::CheckGenerated(*env, choices, 16, model);
  if (!problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    std::abort();
  }
  return 0;
}
