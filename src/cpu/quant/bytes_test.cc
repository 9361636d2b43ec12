#include "cpu/quant/bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace waybill::cpu {
namespace {

constexpr size_t kMost = 70;  // past four vectors of the widest target

template <class T>
class Bytes : public testing::Test {
 protected:
  static constexpr int kLow = std::numeric_limits<T>::min();
  static constexpr int kHigh = std::numeric_limits<T>::max();

  static std::vector<T> Values(size_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<T> out(count);
    for (T& v : out) v = static_cast<T>(random());
    return out;
  }

  static T Rounded(float v, int zero) {
    if (std::isnan(v)) return kLow;
    const float whole = std::nearbyint(v) + static_cast<float>(zero);
    return static_cast<T>(std::fmax(kLow, std::fmin(kHigh, whole)));
  }
};

using Types = testing::Types<uint8_t, int8_t>;
TYPED_TEST_SUITE(Bytes, Types);

// Calls f(fns, count, offset): every target, every count, inputs and outputs at odd elements too.
template <class T, class F>
void ForEachRow(F&& f) {
  for (const SimdTarget target : AvailableTargets()) {
    for (size_t count = 0; count <= kMost; ++count) {
      for (const size_t offset : {0, 1}) {
        SCOPED_TRACE(testing::Message() << SimdTargetName(target) << " " << count << "+" << offset);
        f(ByteFnsOf<T>(target), count, offset);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TYPED_TEST(Bytes, QuantizeRoundsHalfToEvenAndStaysInRange) {
  using T = TypeParam;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const int zero = this->kLow + 9;
  ForEachRow<T>([&](const ByteFns<T>& fns, size_t count, size_t offset) {
    std::vector<float> x(count + offset);
    // Quotients in halves, so that ties are as common as others, with the extremes between them.
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 701) - 60;
    for (size_t i = 0; i < x.size(); ++i) {
      if (i % 7 == 3) x[i] = std::vector<float>{NAN, kInf, -kInf, 3e30f}[i / 7 % 4];
    }
    std::vector<T> y(count + offset + 1, T(77));
    fns.quantize(x.data() + offset, count, 2.0f, zero, y.data() + offset);
    for (size_t i = offset; i < x.size(); ++i) {
      ASSERT_EQ(int{y[i]}, int{this->Rounded(x[i] / 2, zero)}) << x[i];
    }
    ASSERT_EQ(y.back(), T(77));
  });
}

TYPED_TEST(Bytes, DequantizeScalesTheDistanceFromZero) {
  using T = TypeParam;
  ForEachRow<T>([&](const ByteFns<T>& fns, size_t count, size_t offset) {
    const std::vector<T> x = this->Values(count + offset, 1);
    std::vector<float> y(count + offset + 1, 77);
    fns.dequantize(x.data() + offset, count, 0.3f, 5, y.data() + offset);
    for (size_t i = offset; i < x.size(); ++i) {
      ASSERT_EQ(y[i], static_cast<float>(x[i] - 5) * 0.3f);
    }
    ASSERT_EQ(y.back(), 77);
  });
}

TYPED_TEST(Bytes, AddScalesBothSides) {
  using T = TypeParam;
  // Exact factors: results do not depend on whether a product and a sum are rounded together.
  const ByteSum how{3, -2, this->kLow + 100, 0.5f, 0.75f};
  ForEachRow<T>([&](const ByteFns<T>& fns, size_t count, size_t offset) {
    const std::vector<T> a = this->Values(count + offset, 1), b = this->Values(count + offset, 2);
    std::vector<T> y(count + offset + 1, T(77));
    fns.add(a.data() + offset, b.data() + offset, count, how, y.data() + offset);
    for (size_t i = offset; i < a.size(); ++i) {
      const float sum = static_cast<float>(a[i] - how.a_zero) * how.a_factor +
                        static_cast<float>(b[i] - how.b_zero) * how.b_factor;
      ASSERT_EQ(int{y[i]}, int{this->Rounded(sum, how.y_zero)}) << int{a[i]} << " " << int{b[i]};
    }
    ASSERT_EQ(y.back(), T(77));
  });
}

TYPED_TEST(Bytes, SumsOfRows) {
  using T = TypeParam;
  ForEachRow<T>([&](const ByteFns<T>& fns, size_t columns, size_t offset) {
    for (const size_t rows : {0, 1, 5}) {
      const std::vector<T> x = this->Values(rows * columns + offset, 1);
      std::vector<int32_t> sums(columns + offset + 1, 77);
      fns.sum_rows(x.data() + offset, rows, columns, sums.data() + offset);
      for (size_t c = 0; c < columns; ++c) {
        int32_t want = 0;
        for (size_t row = 0; row < rows; ++row) want += x[offset + row * columns + c];
        ASSERT_EQ(sums[offset + c], want) << rows << " rows, column " << c;
      }
      ASSERT_EQ(sums.back(), 77);
    }
  });
}

TEST(ByteRange, HoldsZeroAndPassesOverNan) {
  for (const SimdTarget target : AvailableTargets()) {
    const auto range = ByteKernelsOf(target).range;
    for (size_t count = 0; count <= kMost; ++count) {
      for (const size_t offset : {0, 1}) {
        // The extremes stand at every place in turn, among numbers of one sign and NaN.
        for (size_t at = 0; at < count; ++at) {
          std::vector<float> x(count + offset, 2);
          for (size_t i = 0; i < x.size(); i += 3) x[i] = NAN;
          x[offset + at] = -5;
          FloatRange got = range(x.data() + offset, count);
          ASSERT_EQ(got.low, -5) << SimdTargetName(target) << " " << count << " " << at;
          x[offset + at] = 9;
          got = range(x.data() + offset, count);
          ASSERT_EQ(got.low, 0) << SimdTargetName(target) << " " << count << " " << at;
          ASSERT_EQ(got.high, 9) << SimdTargetName(target) << " " << count << " " << at;
        }
      }
    }
    const FloatRange none = range(nullptr, 0);
    EXPECT_EQ(none.low, 0);
    EXPECT_EQ(none.high, 0);
  }
}

}  // namespace
}  // namespace waybill::cpu
