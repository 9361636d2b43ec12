#include "cpu/norm/normalize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace waybill::cpu {
namespace {

constexpr float kGuard = 77;

std::vector<float> Values(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(random() % 4001) / 1000.0f - 1.0f;
  return out;
}

// `offset`: the element of its allocation that each row begins at.
void CheckSizes(const NormalizeTable& table, size_t offset) {
  std::vector<size_t> sizes = {4095, 4096, 4097, 9000};
  for (size_t n = 1; n < 70; ++n) sizes.push_back(n);
  for (const size_t n : sizes) {
    const std::vector<float> xs = Values(offset + n, 1), bs = Values(offset + n, 2);
    const std::vector<float> cs = Values(offset + n, 3);
    const auto x = std::span(xs).subspan(offset), b = std::span(bs).subspan(offset);
    const auto c = std::span(cs).subspan(offset);
    double sum = 0, squares = 0;
    for (const float v : x) sum += static_cast<double>(v);
    for (const float v : x) squares += std::pow(static_cast<double>(v) - 0.25, 2);
    ASSERT_NEAR(table.sum(x.data(), n), sum, 1e-6 * static_cast<double>(n));
    ASSERT_NEAR(table.squares(x.data(), 0.25f, n), squares, 2e-6 * squares);
    std::vector<float> ys(offset + n + 1, kGuard);
    const auto y = std::span(ys).subspan(offset);
    const auto check = [&](auto want) {
      for (size_t i = 0; i < n; ++i) ASSERT_NEAR(y[i], want(i), 1e-5) << n << " " << i;
      ASSERT_EQ(y[n], kGuard);
    };
    const auto norm = [&](size_t i) { return (x[i] - 0.5f) * 2; };
    table.scale(x.data(), 0.5f, 2, nullptr, nullptr, y.data(), n);
    check(norm);
    table.scale(x.data(), 0.5f, 2, b.data(), nullptr, y.data(), n);
    check([&](size_t i) { return norm(i) * b[i]; });
    table.scale(x.data(), 0.5f, 2, nullptr, c.data(), y.data(), n);
    check([&](size_t i) { return norm(i) + c[i]; });
    table.scale(x.data(), 0.5f, 2, b.data(), c.data(), y.data(), n);
    check([&](size_t i) { return norm(i) * b[i] + c[i]; });
    table.shift(x.data(), 0.5f, 2, 3, y.data(), n);
    check([&](size_t i) { return norm(i) + 3; });
    table.add(x.data(), b.data(), nullptr, y.data(), n);
    check([&](size_t i) { return x[i] + b[i]; });
    table.add(x.data(), b.data(), c.data(), y.data(), n);
    check([&](size_t i) { return x[i] + b[i] + c[i]; });
  }
}

TEST(Normalize, EverySizeAgainstDouble) {
  for (const SimdTarget target : AvailableTargets()) {
    for (const size_t offset : {0, 1}) CheckSizes(Normalize(target), offset);
  }
}

TEST(Normalize, MomentsFarFromZero) {
  std::vector<float> x(1000, 1000.0f);
  for (size_t i = 0; i < x.size(); i += 2) x[i] = 1001.0f;
  for (const SimdTarget target : AvailableTargets()) {
    const RowMoments moments = MomentsOf(Normalize(target), x.data(), x.size(), true, 0);
    EXPECT_NEAR(moments.mean, 1000.5f, 1e-4);
    EXPECT_NEAR(moments.inverse_deviation, 2, 1e-5);
    EXPECT_EQ(MomentsOf(Normalize(target), x.data(), x.size(), false, 0).mean, 0);
  }
}

}  // namespace
}  // namespace waybill::cpu
