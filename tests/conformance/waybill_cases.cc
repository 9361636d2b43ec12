// Runs cases with the reference kernels and prints one line each. A folder is a case (model.onnx
// and test_data_set_*) or holds cases.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/interpreter/cases.h"

namespace {

constexpr char kUsage[] =
    "usage: waybill_cases [options] FOLDER...\n"
    "  --filter TEXT  only cases whose name contains it; may be repeated\n"
    "  --fails        print only cases that do not pass\n"
    "  --level N      rewrite the model first: 0 (default), 1, 2 or 99\n"
    "  --load         only load and rewrite, and tell what came of it\n"
    "  --rtol X, --atol X\n";

using waybill::Code;
using waybill::Status;

struct Arguments {
  std::vector<std::string> folders, filters;
  bool only_fails = false;
  waybill::test::CaseOptions options;
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
      out.options.tolerance.rtol = std::atof(argv[++i]);
    } else if (arg == "--atol" && i + 1 < argc) {
      out.options.tolerance.atol = std::atof(argv[++i]);
    } else if (arg == "--level" && i + 1 < argc) {
      out.options.level = static_cast<waybill::graph::RewriteLevel>(std::atoi(argv[++i]));
    } else if (arg == "--load") {
      out.options.load_only = true;
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
    std::fputs(kUsage, stderr);
    return 2;
  }
  int passed = 0, failed = 0, without_kernel = 0;
  for (const std::string& folder : args.folders) {
    for (const std::string& path : waybill::test::FindCases(folder)) {
      const std::string name = std::filesystem::path(path).filename().string();
      if (!Wanted(args, name)) continue;
      std::string summary;
      const Status status = waybill::test::RunCase(path, args.options, &summary);
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
      const std::string text =
          status.ok() ? (args.options.load_only ? summary : "") : status.ToString();
      std::printf("%s %s%s%s\n", word, name.c_str(), text.empty() ? "" : ": ", text.c_str());
      std::fflush(stdout);
    }
  }
  std::printf("%d passed, %d failed, %d not implemented\n", passed, failed, without_kernel);
  return failed == 0 ? 0 : 1;
}
