// waybill_mutate [--count N] [--seed S] [--only I] [--target NAME] [--max-mib M] FILE|FOLDER...
//
// Gives each of N damaged copies of the files to a target, in this process. Ends with a message
// that tells how to repeat it when one crashes, takes more than a second of CPU time, or makes one
// allocation of more than M MiB (64). Exit code 0: all were handled.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/allocation_limit.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace waybill::fuzz {
namespace {

struct NamedTarget {
  const char* name;
  Target run;
};
constexpr NamedTarget kTargets[] = {
    {"read", ReadTarget}, {"value", ValueTarget}, {"load", LoadTarget}};

struct Options {
  uint64_t count = 10'000;
  uint64_t seed = 1;
  int64_t only = -1;
  size_t max_mib = 64;
  Target target = ReadTarget;
  std::vector<std::string> paths;
};

// How to repeat what runs now; written by hand because it is read in signal handlers.
char g_current[512] = "no input yet\n";

void TellCurrent() {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, g_current, std::strlen(g_current));
}

void OnSignal(int number) {
  if (number == SIGALRM) {
    constexpr char kHang[] = "hang: one input takes more than a minute\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kHang, sizeof(kHang) - 1);
  }
  TellCurrent();
  signal(number, SIG_DFL);
  raise(number);
}

bool ParseOption(const std::string& name, const char* value, Options& out) {
  if (name == "--count")
    out.count = std::strtoull(value, nullptr, 10);
  else if (name == "--seed")
    out.seed = std::strtoull(value, nullptr, 10);
  else if (name == "--only")
    out.only = std::strtoll(value, nullptr, 10);
  else if (name == "--max-mib")
    out.max_mib = std::strtoull(value, nullptr, 10);
  else if (name == "--target") {
    for (const NamedTarget& target : kTargets) {
      if (target.name == std::string_view(value)) {
        out.target = target.run;
        return true;
      }
    }
    return false;
  } else {
    return false;
  }
  return true;
}

bool Parse(int argc, char** argv, Options& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) {
      out.paths.push_back(argument);
    } else if (i + 1 == argc || !ParseOption(argument, argv[++i], out)) {
      return false;
    }
  }
  for (const std::string& path : out.paths) {
    if (std::filesystem::exists(path)) continue;
    std::fprintf(stderr, "there is no '%s'\n", path.c_str());
    return false;
  }
  return !out.paths.empty();
}

// The files themselves and those inside of folders, in the order of their names.
std::vector<std::string> Expand(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      out.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) out.push_back(entry.path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string ReadWhole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// Of this process: a busy machine must not make an input look slow.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int Run(const Options& options) {
  const std::vector<std::string> paths = Expand(options.paths);
  std::vector<std::string> files;
  for (const std::string& path : paths) files.push_back(ReadWhole(path));
  if (files.empty()) return std::fprintf(stderr, "no files\n"), 2;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
    signal(number, OnSignal);
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(TellCurrent);
  SetAllocationLimit(options.max_mib << 20);
  double slowest = 0;
  for (uint64_t i = 0; i < options.count; ++i) {
    if (options.only >= 0 && i != static_cast<uint64_t>(options.only)) continue;
    const size_t which = i % files.size();
    std::snprintf(g_current, sizeof(g_current), "repeat with: --seed %llu --only %llu (of %s)\n",
                  static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(i),
                  paths[which].c_str());
    const std::string input = Mutate(files, which, options.seed * 0x2545f4914f6cdd1du + i);
    // A block of its own, so that a sanitizer sees reads past its end.
    const std::vector<std::byte> block(
        reinterpret_cast<const std::byte*>(input.data()),
        reinterpret_cast<const std::byte*>(input.data() + input.size()));
    alarm(60);
    const double start = CpuSeconds();
    options.target(block);
    const double took = CpuSeconds() - start;
    slowest = std::max(slowest, took);
    if (took > 1) {
      std::fprintf(stderr, "one input took %.2f s of CPU time\n", took);
      TellCurrent();
      return 1;
    }
  }
  alarm(0);
  std::printf("%llu damaged copies of %zu files handled, the slowest in %.1f ms\n",
              static_cast<unsigned long long>(options.count), files.size(), slowest * 1e3);
  return 0;
}

}  // namespace
}  // namespace waybill::fuzz

int main(int argc, char** argv) {
  waybill::fuzz::Options options;
  if (!waybill::fuzz::Parse(argc, argv, options)) {
    std::fprintf(
        stderr,
        "usage: waybill_mutate [--count N] [--seed S] [--only I] [--target read|value|load] "
        "[--max-mib M] FILE|FOLDER...\n");
    return 2;
  }
  return waybill::fuzz::Run(options);
}
