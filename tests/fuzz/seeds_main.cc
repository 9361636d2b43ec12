// waybill_seeds FOLDER: writes the seeds there, in models/ and values/.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/seeds.h"

namespace {

bool WriteAll(const std::filesystem::path& folder,
              const std::vector<std::pair<std::string, std::string>>& files) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, contents] : files) {
    std::ofstream out(folder / name, std::ios::binary);
    out << contents;
    if (!out.flush()) return std::fprintf(stderr, "cannot write %s\n", name.c_str()), false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: waybill_seeds FOLDER\n"), 2;
  const std::filesystem::path folder = argv[1];
  return WriteAll(folder / "models", waybill::fuzz::SeedModels()) &&
                 WriteAll(folder / "values", waybill::fuzz::SeedValues())
             ? 0
             : 1;
}
