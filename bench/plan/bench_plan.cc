// bench_plan: places the buffers of problem files and compares the slabs with their lower bounds.
//
//   bench_plan [--json] [--max-ratio R] FILE_OR_FOLDER...
//
// Files are CSV as in the MiniMalloc suite; of folders every *.csv in them that names the columns
// lower, upper and size. Exit code 1: an instance is above R x bound or was placed wrongly;
// 2: the arguments or a file can not be read.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "memory/plan/csv.h"
#include "memory/plan/lifetime.h"

namespace {

namespace fs = std::filesystem;
using waybill::Format;
using waybill::Result;
using waybill::plan::Lifetime;

struct Arguments {
  bool json = false;
  double max_ratio = 0;  // 0: no limit
  std::vector<fs::path> files;
};

struct Row {
  std::string name;
  size_t buffers = 0;
  size_t bound = 0;
  size_t no_reuse = 0;
  size_t slab = 0;
  double ratio = 1;
  double micros = 0;
};

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void AddPath(const fs::path& path, std::vector<fs::path>& files) {
  if (!fs::is_directory(path)) {
    files.push_back(path);
    return;
  }
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() != ".csv") continue;
    const std::string text = ReadAll(entry.path());
    if (text.substr(0, text.find('\n')).find("lower,upper") != std::string::npos) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json") {
      arguments.json = true;
    } else if (argument == "--max-ratio" && i + 1 < argc) {
      arguments.max_ratio = std::atof(argv[++i]);
    } else if (argument.starts_with("--")) {
      return false;
    } else {
      AddPath(argument, arguments.files);
    }
  }
  return !arguments.files.empty();
}

Result<Row> Measure(const fs::path& path) {
  if (!fs::exists(path)) {
    return waybill::Error(waybill::Code::kNoSuchFile, "there is no file {}", path.string());
  }
  WB_ASSIGN_OR_RETURN(const std::vector<Lifetime> lives, waybill::plan::ReadCsv(ReadAll(path)));
  Row row;
  row.name = path.filename().string();
  row.buffers = lives.size();
  WB_ASSIGN_OR_RETURN(row.bound, waybill::plan::LowerBound(lives));
  WB_ASSIGN_OR_RETURN(const auto loose, waybill::plan::PlaceWithoutReuse(lives));
  row.no_reuse = loose.slab_bytes;
  row.micros = 1e30;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    WB_ASSIGN_OR_RETURN(const auto placement, waybill::plan::PlaceGreedy(lives));
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    row.micros = std::min(row.micros, time.count());
    row.slab = placement.slab_bytes;
    WB_RETURN_IF_ERROR(waybill::plan::Verify(lives, placement));
  }
  if (row.bound > 0) row.ratio = static_cast<double>(row.slab) / static_cast<double>(row.bound);
  return row;
}

std::string JsonRow(const Row& row) {
  return Format(
      "{\"name\": \"{}\", \"buffers\": {}, \"bound\": {}, \"no_reuse\": {}, \"slab\": {}, "
      "\"ratio\": {}, \"micros\": {}}",
      row.name, row.buffers, row.bound, row.no_reuse, row.slab, row.ratio, row.micros);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: bench_plan [--json] [--max-ratio R] FILE_OR_FOLDER...\n");
    return 2;
  }
  int exit_code = 0;
  bool first = true;
  std::printf(arguments.json ? "[\n" : "%-32s %8s %12s %12s %12s %8s %10s\n", "instance", "buffers",
              "bound", "no reuse", "slab", "ratio", "us");
  for (const fs::path& file : arguments.files) {
    const Result<Row> measured = Measure(file);
    if (!measured.ok()) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), measured.status().ToString().c_str());
      return measured.status().code() == waybill::Code::kInternal ? 1 : 2;
    }
    const Row& row = *measured;
    if (arguments.json) {
      std::printf("%s  %s", first ? "" : ",\n", JsonRow(row).c_str());
    } else {
      std::printf("%-32s %8zu %12zu %12zu %12zu %8.4f %10.1f\n", row.name.c_str(), row.buffers,
                  row.bound, row.no_reuse, row.slab, row.ratio, row.micros);
    }
    first = false;
    if (arguments.max_ratio > 0 && row.ratio > arguments.max_ratio) exit_code = 1;
  }
  if (arguments.json) std::printf("\n]\n");
  return exit_code;
}
