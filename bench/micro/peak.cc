#include "bench/micro/peak.h"

#include <algorithm>

#include "bench/e2e/clocks.h"
#include "cpu/simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/micro/peak.cc"
#include "cpu/simd/highway.h"

#ifndef WAYBILL_BENCH_PEAK_TABLE
#define WAYBILL_BENCH_PEAK_TABLE
namespace waybill::cpu {
struct PeakTable {
  size_t (*fma)(size_t rounds, float* sink);  // returns operations
  void (*read)(const float* data, size_t count, float* sink);
  void (*copy)(const float* from, float* to, size_t count);
};
}  // namespace waybill::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Enough independent chains for two units of five cycles' latency. No two begin alike: compilers
// make one of equal chains, and the operations counted would not all be done.
size_t Fma(size_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 0.999f), y = hn::Set(d, 0.001f);
  auto a0 = hn::Iota(d, 0.0f), a1 = hn::Iota(d, 1.0f), a2 = hn::Iota(d, 2.0f);
  auto a3 = hn::Iota(d, 3.0f), a4 = hn::Iota(d, 4.0f), a5 = hn::Iota(d, 5.0f);
  auto a6 = hn::Iota(d, 6.0f), a7 = hn::Iota(d, 7.0f), a8 = hn::Iota(d, 8.0f);
  auto a9 = hn::Iota(d, 9.0f);
  for (size_t i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, x, y);
    a1 = hn::MulAdd(a1, x, y);
    a2 = hn::MulAdd(a2, x, y);
    a3 = hn::MulAdd(a3, x, y);
    a4 = hn::MulAdd(a4, x, y);
    a5 = hn::MulAdd(a5, x, y);
    a6 = hn::MulAdd(a6, x, y);
    a7 = hn::MulAdd(a7, x, y);
    a8 = hn::MulAdd(a8, x, y);
    a9 = hn::MulAdd(a9, x, y);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)),
                           hn::Add(hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)), hn::Add(a8, a9)));
  *sink = hn::GetLane(sum);
  return rounds * 10 * 2 * hn::Lanes(d);
}

constexpr size_t kLineFloats = 16;  // of a cache line
constexpr size_t kAheadFloats = 1024;

void Read(const float* data, size_t count, float* sink) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
    // Beyond the page that the CPU's own prefetching stops at.
    for (size_t line = 0; line < 4 * lanes; line += kLineFloats) {
      __builtin_prefetch(data + i + kAheadFloats + line);
    }
    a = hn::Add(a, hn::LoadU(d, data + i));
    b = hn::Add(b, hn::LoadU(d, data + i + lanes));
    c = hn::Add(c, hn::LoadU(d, data + i + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, data + i + 3 * lanes));
  }
  *sink = hn::GetLane(hn::Add(hn::Add(a, b), hn::Add(c, e)));
}

// The C library's copy is no roof: from a few KiB on it is one instruction, which some CPUs run at
// a tenth of the speed when source and destination have nearly the same place in their pages.
void Copy(const float* from, float* to, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto a = hn::LoadU(d, from + i), b = hn::LoadU(d, from + i + lanes);
    const auto c = hn::LoadU(d, from + i + 2 * lanes), e = hn::LoadU(d, from + i + 3 * lanes);
    hn::StoreU(a, d, to + i);
    hn::StoreU(b, d, to + i + lanes);
    hn::StoreU(c, d, to + i + 2 * lanes);
    hn::StoreU(e, d, to + i + 3 * lanes);
  }
}

constexpr PeakTable kPeakTable = {Fma, Read, Copy};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {
namespace {
const PeakTable& PeakKernels(SimdTarget target) { WB_SIMD_TABLE(target, kPeakTable) }
}  // namespace
}  // namespace waybill::cpu

namespace waybill::bench {

namespace {

volatile float g_sink;

}  // namespace

Roof::Roof(RoofKind kind, size_t bytes) : kind_(kind) {
  if (kind == RoofKind::kRead) from_.assign(bytes / sizeof(float), 1.0f);
  if (kind == RoofKind::kCopy) {
    from_.assign(bytes / 2 / sizeof(float), 1.0f);
    to_ = from_;
  }
}

double Roof::WorkOnce() {
  const cpu::PeakTable& table = cpu::PeakKernels(cpu::BestTarget());
  float sink = 0;
  double units = 0;
  switch (kind_) {
    case RoofKind::kFma:
      units = static_cast<double>(table.fma(20000, &sink));
      break;
    case RoofKind::kRead:
      table.read(from_.data(), from_.size(), &sink);
      units = static_cast<double>(from_.size() * sizeof(float));
      break;
    case RoofKind::kCopy:
      table.copy(from_.data(), to_.data(), from_.size());
      sink = to_[to_.size() / 2];
      units = static_cast<double>(2 * from_.size() * sizeof(float));
      break;
  }
  g_sink = sink;
  return units;
}

double Roof::Round(int64_t ns) {
  double units = 0;
  const int64_t start = WallNs();
  int64_t end = start;
  while (end - start < ns) {
    units += WorkOnce();
    end = WallNs();
  }
  return units * 1e9 / static_cast<double>(end - start);
}

}  // namespace waybill::bench
#endif
