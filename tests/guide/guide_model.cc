// Writes the model of docs/guide/memory.md: six tensors of 1 MiB in a chain, three of them alive at
// a time.
#include <cstdio>

#include "tests/api/models.h"
#include "tests/support/temp_dir.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: guide_model FILE\n");
    return 2;
  }
  waybill::test::WriteFile(argv[1], waybill::api_test::GatherChainModel());
  return 0;
}
