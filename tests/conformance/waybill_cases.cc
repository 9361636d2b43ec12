// waybill_cases [--filter TEXT]... [--fails] [--rtol X] [--atol X] FOLDER...: runs cases with the
// reference kernels and prints one line each. A folder is a case (model.onnx and test_data_set_*)
// or holds cases.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/interpreter/cases.h"

namespace {

using waybill::Code;
using waybill::Status;

struct Arguments {
  std::vector<std::string> folders, filters;
  bool only_fails = false;
  waybill::test::Tolerance tolerance;
};

Arguments Parse(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--filter" && i + 1 < argc) {
      out.filters.emplace_back(argv[++i]);
    } else if (arg == "--fails") {
      out.only_fails = true;
    } else if (arg == "--rtol" && i + 1 < argc) {
      out.tolerance.rtol = std::atof(argv[++i]);
    } else if (arg == "--atol" && i + 1 < argc) {
      out.tolerance.atol = std::atof(argv[++i]);
    } else {
      out.folders.push_back(arg);
    }
  }
  return out;
}

bool Wanted(const Arguments& args, const std::string& name) {
  if (args.filters.empty()) return true;
  for (const std::string& filter : args.filters) {
    if (name.find(filter) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments args = Parse(argc, argv);
  if (args.folders.empty()) {
    std::fprintf(stderr,
                 "usage: waybill_cases [--filter TEXT]... [--fails] [--rtol X] [--atol X] "
                 "FOLDER...\n");
    return 2;
  }
  int passed = 0, failed = 0, without_kernel = 0;
  for (const std::string& folder : args.folders) {
    for (const std::string& path : waybill::test::FindCases(folder)) {
      const std::string name = std::filesystem::path(path).filename().string();
      if (!Wanted(args, name)) continue;
      const Status status = waybill::test::RunCase(path, args.tolerance);
      const char* word = "PASS";
      if (status.ok()) {
        ++passed;
      } else if (status.code() == Code::kNotImplemented) {
        ++without_kernel;
        word = "NONE";
      } else {
        ++failed;
        word = "FAIL";
      }
      if (status.ok() && args.only_fails) continue;
      std::printf("%s %s%s%s\n", word, name.c_str(), status.ok() ? "" : ": ",
                  status.ok() ? "" : status.ToString().c_str());
      std::fflush(stdout);
    }
  }
  std::printf("%d passed, %d failed, %d not implemented\n", passed, failed, without_kernel);
  return failed == 0 ? 0 : 1;
}
