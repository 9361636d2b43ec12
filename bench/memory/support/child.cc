#include "bench/memory/support/child.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <stdexcept>

namespace waybill::bench {
namespace {

void WriteAll(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n <= 0) _exit(1);
    done += static_cast<size_t>(n);
  }
}

std::string ReadAll(int file) {
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(file, part, sizeof part)) > 0;) {
    text.append(part, static_cast<size_t>(n));
  }
  return text;
}

// Those that take, give or wait for memory; all others are counted together.
std::string CallName(uint64_t number) {
  switch (number) {
    case SYS_mmap:
      return "mmap";
    case SYS_munmap:
      return "munmap";
    case SYS_mremap:
      return "mremap";
    case SYS_madvise:
      return "madvise";
    case SYS_brk:
      return "brk";
    case SYS_futex:
      return "futex";
    default:
      return "other";
  }
}

}  // namespace

std::string InChild(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    try {
      WriteAll(ends[1], "+" + work());
    } catch (const std::exception& error) {
      WriteAll(ends[1], std::string("-") + error.what());
    }
    _exit(0);
  }
  close(ends[1]);
  const std::string text = ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    throw std::runtime_error("died of signal " + std::to_string(WTERMSIG(status)));
  }
  if (text.empty()) throw std::runtime_error("ended without a result");
  if (text[0] == '-') throw std::runtime_error(text.substr(1));
  return text.substr(1);
}

std::optional<std::map<std::string, size_t>> CountSystemCalls(const std::function<void()>& prepare,
                                                              const std::function<void()>& work) {
  constexpr int kNotTraced = 77;
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    try {
      prepare();
      if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kNotTraced);
      raise(SIGSTOP);
      work();
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  std::map<std::string, size_t> counts;
  bool traced = false;
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, __WALL) != child) return std::nullopt;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      const bool good = traced && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      return good ? std::optional(counts) : std::nullopt;
    }
    long signal_no = 0;
    if (!traced) {
      traced = ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD) == 0;
    } else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      __ptrace_syscall_info info = {};
      if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) > 0 &&
          info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        ++counts[CallName(info.entry.nr)];
      }
    } else {
      signal_no = WSTOPSIG(status);
    }
    if (ptrace(PTRACE_SYSCALL, child, nullptr, signal_no) != 0) return std::nullopt;
  }
}

}  // namespace waybill::bench
