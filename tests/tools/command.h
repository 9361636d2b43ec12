// Starts the waybill command as a user does.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/support/temp_dir.h"

namespace waybill::tools_test {

struct Outcome {
  int code = -1;
  std::string out, err;
};

// Runs `waybill ARGUMENTS` by the shell.
inline Outcome Waybill(const std::string& arguments) {
  const test::TempDir dir;
  const std::string errors = dir / "stderr";
  Outcome outcome;
  FILE* pipe =
      popen((std::string(WAYBILL_COMMAND) + " " + arguments + " 2>" + errors).c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> part;
  for (size_t n; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) {
    outcome.out.append(part.data(), n);
  }
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  outcome.err = test::ReadWholeFile(errors);
  return outcome;
}

}  // namespace waybill::tools_test
