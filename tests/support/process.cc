#include "tests/support/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace waybill::test {

namespace {

// The number of KiB behind `name` in a file of /proc, in bytes.
size_t BytesOf(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    return std::strtoull(line.c_str() + name.size(), nullptr, 10) * 1024;
  }
  throw std::runtime_error("no " + name + " in " + path);
}

}  // namespace

size_t AnonymousBytes() { return BytesOf("/proc/self/smaps_rollup", "Anonymous:"); }
size_t ResidentBytes() { return BytesOf("/proc/self/smaps_rollup", "Rss:"); }

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

size_t PeakResidentBytes() {
  if (!std::filesystem::exists("/proc/self/clear_refs")) return 0;
  return BytesOf("/proc/self/status", "VmHWM:");
}

size_t ThreadCount() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

double CpuSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

ChildResult InChild(const std::function<int()>& body, unsigned limit_seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const bool failed_before = ::testing::Test::HasFailure();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    alarm(limit_seconds);
    int code = 255;
    try {
      code = body();
      if (code == 0 && !failed_before && ::testing::Test::HasFailure()) code = 254;
    } catch (...) {
    }
    std::fflush(nullptr);
    _exit(code);
  }
  close(ends[1]);
  ChildResult result;
  char bytes[4096];
  for (ssize_t count; (count = read(ends[0], bytes, sizeof bytes)) > 0;) {
    result.output.append(bytes, static_cast<size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result;
}

}  // namespace waybill::test
