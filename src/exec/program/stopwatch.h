// Adds the time between its making and its end to a total.
#pragma once

#include <chrono>
#include <cstdint>

namespace waybill::exec {

class Stopwatch {
 public:
  explicit Stopwatch(int64_t& total_ns) : total_ns_(total_ns) {}
  ~Stopwatch() { total_ns_ += (std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  int64_t& total_ns_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace waybill::exec
