// bench_plan: places the buffers of problem files and compares the slabs with their lower bounds.
//
//   bench_plan [--json] [--max-ratio R] [--search SECONDS] [--capacity BYTES] FILE_OR_FOLDER...
//   bench_plan --random COUNT
//
// Files are CSV as in the MiniMalloc suite; of folders every *.csv in them that names the columns
// lower, upper and size. Plans are made as for a session. With --search there are that many seconds
// for each, to get down to the capacity or, without one, to the bound. --random places and verifies
// COUNT problems of random graphs. Exit code 1: an instance is above R x bound or above the
// capacity, or was placed wrongly; 2: the arguments or a file can not be read.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "memory/plan/csv.h"
#include "memory/plan/place.h"
#include "memory/plan/testing/random_problem.h"

namespace {

namespace fs = std::filesystem;
using waybill::Format;
using waybill::Result;
using waybill::plan::Lifetime;
using waybill::plan::SearchLimits;
using Clock = std::chrono::steady_clock;

struct Arguments {
  bool json = false;
  double max_ratio = 0;       // 0: no limit
  double search_seconds = 0;  // 0: what a session takes
  size_t capacity = 0;        // 0: none
  uint64_t random_count = 0;
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
  std::string_view stage;
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
    } else if (argument == "--search" && i + 1 < argc) {
      arguments.search_seconds = std::atof(argv[++i]);
    } else if (argument == "--capacity" && i + 1 < argc) {
      arguments.capacity = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--random" && i + 1 < argc) {
      arguments.random_count = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument.starts_with("--")) {
      return false;
    } else {
      AddPath(argument, arguments.files);
    }
  }
  return arguments.files.empty() == (arguments.random_count > 0);
}

SearchLimits LimitsFrom(const Arguments& arguments) {
  SearchLimits limits;
  limits.enough_bytes = arguments.capacity;
  if (arguments.search_seconds > 0) {
    limits.work = UINT64_MAX;
    limits.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(arguments.search_seconds));
    if (arguments.capacity == 0) limits.enough_bytes = 1;
  }
  return limits;
}

Result<Row> Measure(const fs::path& path, const Arguments& arguments) {
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
  const int repeats = arguments.search_seconds > 0 ? 1 : 5;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = Clock::now();
    WB_ASSIGN_OR_RETURN(const auto placement,
                        waybill::plan::PlaceBest(lives, LimitsFrom(arguments)));
    const std::chrono::duration<double, std::micro> time = Clock::now() - start;
    row.micros = std::min(row.micros, time.count());
    row.slab = placement.slab_bytes;
    row.stage = waybill::plan::StageName(placement.stage);
    WB_RETURN_IF_ERROR(waybill::plan::Verify(lives, placement));
  }
  if (row.bound > 0) row.ratio = static_cast<double>(row.slab) / static_cast<double>(row.bound);
  return row;
}

std::string JsonRow(const Row& row) {
  return Format(
      "{\"name\": \"{}\", \"buffers\": {}, \"bound\": {}, \"no_reuse\": {}, \"slab\": {}, "
      "\"ratio\": {}, \"micros\": {}, \"stage\": \"{}\"}",
      row.name, row.buffers, row.bound, row.no_reuse, row.slab, row.ratio, row.micros, row.stage);
}

// The first problem that is placed wrongly ends it.
waybill::Status PlaceRandom(uint64_t count) {
  constexpr uint32_t kSteps = 30;
  SearchLimits limits;
  limits.work = 20000;
  uint64_t buffers = 0;
  uint64_t at_bound = 0;
  uint64_t stages[3] = {};
  double worst = 1;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const std::vector<Lifetime> lives = waybill::plan::RandomGraphProblem(seed, kSteps);
    WB_ASSIGN_OR_RETURN(const auto best, waybill::plan::PlaceBest(lives, limits), "seed {}", seed);
    WB_RETURN_IF_ERROR(waybill::plan::Verify(lives, best), "seed {}", seed);
    if (best.slab_bytes < best.bound_bytes) {
      return waybill::Error(waybill::Code::kInternal, "seed {}: {} bytes are below the bound of {}",
                            seed, best.slab_bytes, best.bound_bytes);
    }
    buffers += lives.size();
    at_bound += best.slab_bytes == best.bound_bytes;
    ++stages[static_cast<int>(best.stage)];
    if (best.bound_bytes > 0) {
      worst = std::max(
          worst, static_cast<double>(best.slab_bytes) / static_cast<double>(best.bound_bytes));
    }
  }
  std::printf("%llu problems of %.1f buffers each: no overlap, none below its bound\n",
              static_cast<unsigned long long>(count),
              static_cast<double>(buffers) / static_cast<double>(count));
  std::printf(
      "at the bound %.4f, worst ratio %.4f; portfolio %llu, local moves %llu, search %llu\n",
      static_cast<double>(at_bound) / static_cast<double>(count), worst,
      static_cast<unsigned long long>(stages[0]), static_cast<unsigned long long>(stages[1]),
      static_cast<unsigned long long>(stages[2]));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: bench_plan [--json] [--max-ratio R] [--search SECONDS] "
                 "[--capacity BYTES] FILE_OR_FOLDER...\n       bench_plan --random COUNT\n");
    return 2;
  }
  if (arguments.random_count > 0) {
    const waybill::Status status = PlaceRandom(arguments.random_count);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return status.ok() ? 0 : 1;
  }
  int exit_code = 0;
  bool first = true;
  std::printf(arguments.json ? "[\n" : "%-24s %8s %12s %12s %12s %8s %12s  %s\n", "instance",
              "buffers", "bound", "no reuse", "slab", "ratio", "us", "stage");
  for (const fs::path& file : arguments.files) {
    const Result<Row> measured = Measure(file, arguments);
    if (!measured.ok()) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), measured.status().ToString().c_str());
      return measured.status().code() == waybill::Code::kInternal ? 1 : 2;
    }
    const Row& row = *measured;
    if (arguments.json) {
      std::printf("%s  %s", first ? "" : ",\n", JsonRow(row).c_str());
    } else {
      std::printf("%-24s %8zu %12zu %12zu %12zu %8.4f %12.1f  %s\n", row.name.c_str(), row.buffers,
                  row.bound, row.no_reuse, row.slab, row.ratio, row.micros, row.stage.data());
    }
    first = false;
    if (arguments.max_ratio > 0 && row.ratio > arguments.max_ratio) exit_code = 1;
    if (arguments.capacity > 0 && row.slab > arguments.capacity) exit_code = 1;
  }
  if (arguments.json) std::printf("\n]\n");
  return exit_code;
}
