// waybill: run, look into, measure and verify ONNX models.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/cli/allocation_count.h"
#include "tools/cli/command_line.h"

int main(int argc, char** argv) {
  const int code = waybill::tools::CommandLine(argc, argv, waybill::tools::AllocationCount);
  // What was printed may still be in the stream's buffer; a full disk shows only now.
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "waybill: the output could not be written%s%s\n", errno != 0 ? ": " : "",
                 errno != 0 ? std::strerror(errno) : "");
    return code == 0 ? 1 : code;
  }
  return code;
}
