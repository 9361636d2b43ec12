#include "bench/e2e/memory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace waybill::bench {

namespace {

// A line of /proc/self/status, in bytes.
size_t ReadStatus(const char* pattern) {
  FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  size_t kib = 0;
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::sscanf(line, pattern, &kib) == 1) break;
  }
  std::fclose(file);
  return kib * 1024;
}

// Makes the kernel forget the peak so far.
void ResetPeak() {
  if (FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

MemoryGrowth Grow(const std::function<void()>& work) {
  ResetPeak();
  const size_t before = ReadStatus("VmRSS: %zu");
  work();
  const size_t after = ReadStatus("VmRSS: %zu"), peak = ReadStatus("VmHWM: %zu");
  return {after > before ? after - before : 0, peak > before ? peak - before : 0};
}

}  // namespace

MemoryGrowth MeasureMemory(const std::function<void()>& prepare,
                           const std::function<void()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    MemoryGrowth growth;
    try {
      prepare();
      growth = Grow(work);
    } catch (const std::exception&) {  // the parent meets the same error and reports it
    }
    const bool written = write(ends[1], &growth, sizeof(growth)) == sizeof(growth);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  MemoryGrowth growth;
  const bool whole = read(ends[0], &growth, sizeof(growth)) == sizeof(growth);
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return whole ? growth : MemoryGrowth{};
}

}  // namespace waybill::bench
