#include "cpu/norm/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace waybill::cpu {
namespace {

std::vector<float> Values(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(random() % 4001) / 100.0f - 20.0f;
  return out;
}

// One line of `size` numbers `stride` apart, by definition.
void Check(const float* x, const float* y, size_t size, size_t stride, bool log) {
  double max = -1e300, sum = 0;
  for (size_t i = 0; i < size; ++i) max = std::max(max, static_cast<double>(x[i * stride]));
  for (size_t i = 0; i < size; ++i) sum += std::exp(static_cast<double>(x[i * stride]) - max);
  for (size_t i = 0; i < size; ++i) {
    const double shifted = static_cast<double>(x[i * stride]) - max;
    const double want = log ? shifted - std::log(sum) : std::exp(shifted) / sum;
    // The logarithm of a sum close to 1 has an absolute error.
    const double allowed = (log ? 2e-7 : 1e-12) + 2e-6 * std::abs(want);
    ASSERT_NEAR(y[i * stride], want, allowed) << i << " of " << size;
  }
}

TEST(Softmax, RowsOfEverySize) {
  for (const SimdTarget target : AvailableTargets()) {
    for (const bool log : {false, true}) {
      const SoftmaxFunctions& f = log ? Softmax(target).log_softmax : Softmax(target).softmax;
      for (size_t size = 1; size < 70; ++size) {
        const std::vector<float> x = Values(3 * size, static_cast<uint32_t>(size));
        std::vector<float> y(3 * size + 1, 7), in_place = x;
        f.rows(x.data(), y.data(), 3, size);
        for (size_t r = 0; r < 3; ++r) Check(&x[r * size], &y[r * size], size, 1, log);
        ASSERT_EQ(y.back(), 7);
        f.rows(in_place.data(), in_place.data(), 3, size);
        y.pop_back();
        ASSERT_EQ(y, in_place);
        std::vector<float> odd = x;
        odd.insert(odd.begin(), 50);
        f.rows(odd.data() + 1, odd.data() + 1, 3, size);
        ASSERT_EQ(std::vector<float>(odd.begin() + 1, odd.end()), y) << "from an odd element";
      }
    }
  }
}

TEST(Softmax, ColumnsOfEveryCount) {
  for (const SimdTarget target : AvailableTargets()) {
    for (const bool log : {false, true}) {
      const SoftmaxFunctions& f = log ? Softmax(target).log_softmax : Softmax(target).softmax;
      for (const size_t size : {1, 2, 16, 33}) {
        for (const size_t inner : {1, 2, 7, 8, 9, 31, 127, 128, 129, 300}) {
          const std::vector<float> x = Values(size * inner, 3);
          std::vector<float> y(size * inner, 7), parts = x;
          f.columns(x.data(), y.data(), size, inner, 0, inner);
          for (size_t c = 0; c < inner; ++c) Check(&x[c], &y[c], size, inner, log);
          f.columns(parts.data(), parts.data(), size, inner, inner / 3, inner);
          f.columns(parts.data(), parts.data(), size, inner, 0, inner / 3);
          ASSERT_EQ(y, parts);
        }
      }
    }
  }
}

TEST(Softmax, SpecialValues) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const SimdTarget target : AvailableTargets()) {
    for (const size_t size : {3, 20}) {
      for (const bool by_rows : {true, false}) {
        const auto run = [&](float first, float others) {
          std::vector<float> x(size, others), y(size);
          x[0] = first;
          if (by_rows) {
            Softmax(target).softmax.rows(x.data(), y.data(), 1, size);
          } else {
            Softmax(target).softmax.columns(x.data(), y.data(), size, 1, 0, 1);
          }
          return y;
        };
        EXPECT_EQ(run(0, -kInf)[0], 1);
        EXPECT_EQ(run(0, -kInf)[1], 0);
        EXPECT_EQ(run(5, -1e9f)[1], 0);
        EXPECT_NEAR(run(1000, 1000)[1], 1.0 / static_cast<double>(size), 1e-7);
        for (const float y : run(NAN, 1)) EXPECT_TRUE(std::isnan(y));
        for (const float y : run(-kInf, -kInf)) EXPECT_TRUE(std::isnan(y));
        for (const float y : run(kInf, 0)) EXPECT_TRUE(std::isnan(y));
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
