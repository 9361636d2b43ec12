#include "bench/memory/sessions_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace waybill::bench {
namespace {

// What a process says of its session.
struct Report {
  double load_seconds = 0, run_seconds = 0;  // the run: the least of a few
  size_t before = 0, after = 0;              // anonymous bytes, without and with the session
  uint64_t output = 0;                       // hash of what a run gave
};

// A process with one session, which it holds until the destructor.
class Holder {
 public:
  Holder(const std::string& library, const Model& model, const std::string& packed_folder) {
    int report[2], go[2];
    if (pipe(report) != 0 || pipe(go) != 0) throw std::runtime_error("no pipe");
    std::fflush(stdout);
    child_ = fork();
    if (child_ == 0) {
      close(report[0]);
      close(go[1]);
      _exit(Hold(library, model, packed_folder, report[1], go[0]));
    }
    close(report[1]);
    close(go[0]);
    go_ = go[1];
    const ssize_t got = read(report[0], &report_, sizeof(report_));
    close(report[0]);
    if (got != sizeof(report_)) failed_ = true;
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    // A byte: closing is not enough, since processes made later have this pipe, too.
    if (write(go_, "x", 1) != 1) kill(child_, SIGKILL);
    close(go_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }

  const Report& report() const {
    if (failed_) throw std::runtime_error("a process with a session failed");
    return report_;
  }
  pid_t pid() const { return child_; }

 private:
  static int Hold(const std::string& path, const Model& model, const std::string& packed_folder,
                  int report_to, int wait_for) {
    try {
      const Library library("library", path);
      const std::string bytes = model.from_memory ? ReadFile(model.path) : std::string();
      Report report;
      report.before = Anonymous();
      const Session session = Create(library, model, bytes, packed_folder);
      report.after = Anonymous();
      report.load_seconds = session.seconds;
      for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        report.output = Run(library, session.handle);
        const std::chrono::duration<double> run = std::chrono::steady_clock::now() - start;
        if (i == 0 || run.count() < report.run_seconds) report.run_seconds = run.count();
      }
      if (write(report_to, &report, sizeof(report)) != sizeof(report)) return 1;
      char none = 0;
      if (read(wait_for, &none, 1) != 1) return 1;
      library.api().ReleaseSession(session.handle);
      return 0;
    } catch (const std::exception& error) {
      std::printf("  failed: %s\n", error.what());
      std::fflush(stdout);
      return 1;
    }
  }

  pid_t child_ = -1;
  int go_ = -1;
  Report report_;
  bool failed_ = false;
};

// Bytes of a process's mappings of files of packed weights, as the kernel counts them.
struct Pages {
  size_t resident = 0, proportional = 0, shared = 0, anonymous = 0;
};

Pages PackedPages(pid_t pid) {
  Pages out;
  std::ifstream smaps("/proc/" + std::to_string(pid) + "/smaps");
  bool packed = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::string key;
    size_t kilobytes = 0;
    words >> key;
    if (key.empty() || key.back() != ':') {  // the head of a mapping, which ends with its file
      packed = line.ends_with(".packed");
      continue;
    }
    if (!packed || !(words >> kilobytes)) continue;
    const size_t bytes = kilobytes * 1024;
    if (key == "Rss:") out.resident += bytes;
    if (key == "Pss:") out.proportional += bytes;
    if (key == "Shared_Clean:" || key == "Shared_Dirty:") out.shared += bytes;
    if (key == "Anonymous:") out.anonymous += bytes;
  }
  return out;
}

double MiB(size_t bytes) { return static_cast<double>(bytes) / kMiB; }

size_t FileBytes(const std::string& folder) {
  size_t bytes = 0, files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    bytes += entry.file_size();
    ++files;
  }
  if (files != 1) throw std::runtime_error(std::to_string(files) + " files of packed weights");
  return bytes;
}

}  // namespace

void MeasureProcesses(const std::string& library, const Model& model, int count,
                      const std::string& packed_folder, Checks& checks) {
  std::vector<std::unique_ptr<Holder>> holders;
  holders.push_back(std::make_unique<Holder>(library, model, ""));
  for (int i = 0; i < count; ++i) {
    holders.push_back(std::make_unique<Holder>(library, model, packed_folder));
    holders.back()->report();
  }
  const double file = MiB(FileBytes(packed_folder));
  std::printf("  %-58s %10.2f MiB\n", "file of packed weights", file);
  for (size_t i = 0; i < holders.size(); ++i) {
    const Report& report = holders[i]->report();
    const Pages pages = PackedPages(holders[i]->pid());
    const char* kind = i == 0 ? "no file" : i == 1 ? "writes it" : "maps it";
    std::printf(
        "  process %zu, %-9s: load %7.1f ms, run %7.2f ms, anonymous +%.2f MiB; packed pages: %.2f "
        "MiB, "
        "of them shared %.2f, anonymous %.2f, its part %.2f\n",
        i, kind, report.load_seconds * 1e3, report.run_seconds * 1e3,
        Above(report.after, report.before), MiB(pages.resident), MiB(pages.shared),
        MiB(pages.anonymous), MiB(pages.proportional));
    if (report.output != holders[0]->report().output) {
      throw std::runtime_error("a process with a file computes other bits");
    }
    if (i == 0) continue;
    checks.AtLeast("its packed pages that others map too", MiB(pages.shared), 0.95 * file, "MiB");
    checks.AtMost("its packed pages that are its own", MiB(pages.anonymous), 0, "MiB");
    if (i == 1) continue;
    checks.AtMost("anonymous memory", Above(report.after, report.before), 2, "MiB");
  }
}

}  // namespace waybill::bench
