// waybill_seeds FOLDER: writes the seed models there.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/seeds.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: waybill_seeds FOLDER\n"), 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  for (const auto& [name, contents] : waybill::fuzz::SeedModels()) {
    std::ofstream out(folder / name, std::ios::binary);
    out << contents;
    if (!out.flush()) return std::fprintf(stderr, "cannot write %s\n", name.c_str()), 1;
  }
  return 0;
}
