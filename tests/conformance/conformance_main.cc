// The ONNX conformance cases: each through the interpreter (with inference checked at every node)
// and through sessions at levels none and all.
//   waybill_conformance [--expected FILE] [--min-passed N] [--filter TEXT] [--verbose] FOLDER...
//
// FILE names the cases that do not pass yet, one pattern (`*` stands for anything) and its reason a
// line; it must be exact: an unlisted failure fails the program, and so does a listed case that
// passes. A FOLDER that does not exist is passed over, so that optional data can be named; without
// any, the exit code is 77 (skipped).
#include <fnmatch.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/session_case.h"
#include "tests/support/interpreter/cases.h"

namespace {

using waybill::Code;
using waybill::Status;
namespace test = waybill::test;

constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE in CMakeLists.txt

struct Arguments {
  std::vector<std::string> folders;
  std::string expected, filter;
  int min_passed = 1;
  bool verbose = false;
};

struct Expectation {
  std::string pattern, reason;
  int used = 0;
};

struct Counts {
  int passed = 0, expected = 0, no_kernel = 0, failed = 0;
};

bool Parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const bool has_value = i + 1 < argc;
    if (arg == "--expected" && has_value) {
      out.expected = argv[++i];
    } else if (arg == "--filter" && has_value) {
      out.filter = argv[++i];
    } else if (arg == "--min-passed" && has_value) {
      out.min_passed = std::atoi(argv[++i]);
    } else if (arg == "--verbose") {
      out.verbose = true;
    } else if (arg.rfind("--", 0) == 0) {
      return false;
    } else {
      out.folders.push_back(arg);
    }
  }
  return !out.folders.empty();
}

std::vector<Expectation> ReadExpected(const std::string& path) {
  std::vector<Expectation> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find(' ');
    out.push_back(
        {line.substr(0, space), space == std::string::npos ? "" : line.substr(space + 1)});
  }
  return out;
}

Status RunAllWays(const std::shared_ptr<waybill::session::Env>& env, const std::string& path) {
  const test::Tolerance tolerance;
  Status status = test::RunCase(path, {.tolerance = tolerance});
  if (!status.ok()) return std::move(status).With("interpreter");
  using waybill::session::OptLevel;
  for (const OptLevel level : {OptLevel::kNone, OptLevel::kAll}) {
    status = test::RunCaseInSession(env, path, level, tolerance);
    if (!status.ok()) {
      return std::move(status).With("session at level {}", static_cast<int>(level));
    }
  }
  return Status::Ok();
}

void Report(const char* word, const std::string& name, const std::string& text) {
  std::printf("%s %s: %s\n", word, name.c_str(), text.c_str());
}

void Judge(const std::string& name, const Status& status, bool verbose,
           std::vector<Expectation>& expected, Counts& counts) {
  Expectation* listed = nullptr;
  for (Expectation& e : expected) {
    if (fnmatch(e.pattern.c_str(), name.c_str(), 0) == 0) listed = &e;
  }
  if (listed != nullptr) ++listed->used;
  if (status.ok() && listed == nullptr) {
    ++counts.passed;
  } else if (status.ok() && listed->reason.rfind("varies", 0) == 0) {
    ++counts.passed;
  } else if (status.ok()) {
    ++counts.failed;
    Report("UNEXPECTED PASS", name, "take it off the list (" + listed->reason + ")");
  } else if (listed == nullptr) {
    ++counts.failed;
    Report("FAILED", name, status.ToString());
  } else {
    ++(status.code() == Code::kNotImplemented ? counts.no_kernel : counts.expected);
    if (verbose) Report("LISTED", name, listed->reason + ": " + status.ToString());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments args;
  if (!Parse(argc, argv, args)) {
    std::fprintf(stderr,
                 "usage: waybill_conformance [--expected FILE] [--min-passed N] [--filter TEXT] "
                 "[--verbose] FOLDER...\n");
    return 2;
  }
  auto expected = ReadExpected(args.expected);
  const auto env = waybill::session::Env::Create({.severity = waybill::session::Severity::kError});
  if (!env.ok()) return 2;
  Counts counts;
  bool found = false;
  for (const std::string& folder : args.folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    found = true;
    for (const std::string& path : test::FindCases(folder)) {
      const std::string name = std::filesystem::path(path).filename().string();
      if (name.find(args.filter) == std::string::npos) continue;
      Judge(name, RunAllWays(*env, path), args.verbose, expected, counts);
    }
  }
  if (!found) {
    std::printf("none of the folders exists: skipped\n");
    return kSkipped;
  }
  std::printf("%d as listed with a reason, %d listed without a kernel\n", counts.expected,
              counts.no_kernel);
  std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed,
              counts.expected + counts.no_kernel);
  return counts.failed == 0 && counts.passed >= args.min_passed ? 0 : 1;
}
