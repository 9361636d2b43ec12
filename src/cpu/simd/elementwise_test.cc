#include "cpu/simd/elementwise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace waybill::cpu {
namespace {

// Values of every kind, special ones among them.
std::vector<float> Samples(size_t n, uint32_t seed) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf, 1e-42f, -3e38f, NAN};
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& value : out) {
    value = random() % 8 == 0 ? kSpecial[random() % 9]
                              : std::ldexp(static_cast<float>(random()) / 4e9f - 0.5f,
                                           static_cast<int>(random() % 20) - 10);
  }
  return out;
}

bool SameBits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

constexpr float kGuard = 12345.0f;
constexpr size_t kMaxCount = 70;
constexpr size_t kMaxShift = 17;

// Calls check(target, n, shift) for all counts and misalignments on every target.
template <typename Check>
void ForAll(Check check) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    for (size_t n = 0; n <= kMaxCount; ++n) {
      for (size_t shift = 0; shift < kMaxShift; ++shift) check(target, n, shift);
    }
  }
}

using Plain = float (*)(float, float);

void CheckBinary(BinaryF32 ElementwiseF32Table::*member, Plain plain) {
  const std::vector<float> a = Samples(kMaxCount + 2 * kMaxShift, 1);
  const std::vector<float> b = Samples(kMaxCount + 2 * kMaxShift, 2);
  ForAll([&](SimdTarget target, size_t n, size_t shift) {
    const BinaryF32& kernels = ElementwiseF32(target).*member;
    const float* pa = a.data() + shift;
    const float* pb = b.data() + (shift * 5) % kMaxShift;
    std::vector<float> out(n + 2 * kMaxShift, kGuard);
    float* po = out.data() + (shift * 3) % kMaxShift;
    const auto expect = [&](auto want) {
      for (size_t i = 0; i < n; ++i) ASSERT_TRUE(SameBits(po[i], want(i))) << n << " " << i;
      for (const float* p = out.data(); p < po; ++p) ASSERT_EQ(*p, kGuard);
      for (const float* p = po + n; p < out.data() + out.size(); ++p) ASSERT_EQ(*p, kGuard);
    };
    kernels.both(pa, pb, po, n);
    expect([&](size_t i) { return plain(pa[i], pb[i]); });
    kernels.b_scalar(pa, pb, po, n);
    expect([&](size_t i) { return plain(pa[i], pb[0]); });
    kernels.a_scalar(pa, pb, po, n);
    expect([&](size_t i) { return plain(pa[0], pb[i]); });
    // In place of either input.
    std::copy_n(pa, n, po);
    kernels.both(po, pb, po, n);
    expect([&](size_t i) { return plain(pa[i], pb[i]); });
    std::copy_n(pb, n, po);
    kernels.both(pa, po, po, n);
    expect([&](size_t i) { return plain(pa[i], pb[i]); });
  });
}

TEST(Elementwise, Add) {
  CheckBinary(&ElementwiseF32Table::add, [](float x, float y) { return x + y; });
}
TEST(Elementwise, Sub) {
  CheckBinary(&ElementwiseF32Table::sub, [](float x, float y) { return x - y; });
}
TEST(Elementwise, Mul) {
  CheckBinary(&ElementwiseF32Table::mul, [](float x, float y) { return x * y; });
}
TEST(Elementwise, Div) {
  CheckBinary(&ElementwiseF32Table::div, [](float x, float y) { return x / y; });
}

TEST(Elementwise, Relu) {
  const std::vector<float> x = Samples(kMaxCount + kMaxShift, 3);
  ForAll([&](SimdTarget target, size_t n, size_t shift) {
    std::vector<float> out(n + kMaxShift + 1, kGuard);
    float* po = out.data() + (shift * 7) % kMaxShift;
    const float* px = x.data() + shift;
    ElementwiseF32(target).relu(px, po, n);
    for (size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(SameBits(po[i], px[i] < 0 ? 0.0f : px[i])) << n << " " << i;
    }
    for (const float* p = po + n; p < out.data() + out.size(); ++p) ASSERT_EQ(*p, kGuard);
  });
}

TEST(Targets, BaselineIsFirstAndBestIsLast) {
  const auto targets = AvailableTargets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), SimdTarget::kBaseline);
  EXPECT_EQ(targets.back(), BestTarget());
  for (const SimdTarget target : targets) EXPECT_NE(SimdTargetName(target), "unknown");
}

}  // namespace
}  // namespace waybill::cpu
