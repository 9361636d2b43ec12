// How a program ends when an exception reaches its main.
#pragma once

#include <cstdio>
#include <exception>

namespace waybill::bench {

// What `run` returns, or `failed` when it throws: then the words of the exception are on stderr.
template <typename Run>
int Guarded(const char* program, int failed, const Run& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return failed;
  }
}

}  // namespace waybill::bench
