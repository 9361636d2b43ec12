#include "cpu/norm/columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace waybill::cpu {
namespace {

constexpr float kGuard = 77;
constexpr float kEpsilon = 0.01f;

std::vector<float> Values(size_t n, uint32_t seed, float around) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = around + static_cast<float>(random() % 4001) / 2000.0f - 1.0f;
  return out;
}

// `offset`: the element of its allocation that each matrix begins at.
struct Matrix {
  size_t size, inner, offset;
  float around = 0.5f;
  bool has_bias = true;
  std::vector<float> x = Values(offset + size * inner, 1, around);
  std::vector<float> scale = Values(offset + size, 2, 0), bias = Values(offset + size, 3, 0);
  std::vector<float> y = std::vector<float>(offset + size * inner + 1, kGuard);

  void Run(SimdTarget target, size_t begin, size_t end) {
    ColumnNorm args{x.data() + offset,
                    y.data() + offset,
                    size,
                    inner,
                    kEpsilon,
                    scale.data() + offset,
                    has_bias ? bias.data() + offset : nullptr};
    NormalizeColumns(target)(args, begin, end);
  }

  // Columns [begin, end) are normalized, the others are as they were.
  void Check(size_t begin, size_t end, double tolerance) const {
    for (size_t j = 0; j < inner; ++j) {
      double sum = 0, squares = 0;
      const auto at = [&](size_t k) { return offset + k * inner + j; };
      for (size_t k = 0; k < size; ++k) sum += double{x[at(k)]};
      const double n = static_cast<double>(size), mean = sum / n;
      for (size_t k = 0; k < size; ++k) squares += std::pow(double{x[at(k)]} - mean, 2);
      const double factor = 1 / std::sqrt(squares / n + double{kEpsilon});
      for (size_t k = 0; k < size; ++k) {
        const double want = (double{x[at(k)]} - mean) * factor * double{scale[offset + k]} +
                            (has_bias ? double{bias[offset + k]} : 0);
        const bool inside = j >= begin && j < end;
        ASSERT_NEAR(y[at(k)], inside ? want : double{kGuard}, inside ? tolerance : 0)
            << size << "x" << inner << "+" << offset << ", row " << k << ", column " << j;
      }
    }
    ASSERT_EQ(y.back(), kGuard);
  }
};

TEST(NormalizeColumns, EveryCountOfColumns) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    for (size_t inner = 1; inner < 40; ++inner) {
      for (const size_t offset : {0, 1}) {
        Matrix m{
            .size = 1 + inner % 9, .inner = inner, .offset = offset, .has_bias = inner % 2 == 0};
        m.Run(target, 0, inner);
        m.Check(0, inner, 1e-5);
      }
    }
  }
}

TEST(NormalizeColumns, LongColumnsFarFromZero) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    Matrix m{.size = 3000, .inner = 19, .offset = 1, .around = 100};
    m.Run(target, 0, m.inner);
    m.Check(0, m.inner, 1e-3);
  }
}

TEST(NormalizeColumns, AnyRangeGivesTheSameBits) {
  for (const SimdTarget target : AvailableTargets()) {
    SCOPED_TRACE(SimdTargetName(target));
    Matrix whole{.size = 70, .inner = 290, .offset = 0}, parts = whole, part = whole;
    whole.Run(target, 0, 290);
    for (const auto& [begin, end] : {std::pair{0, 1}, {1, 150}, {150, 167}, {167, 290}}) {
      parts.Run(target, static_cast<size_t>(begin), static_cast<size_t>(end));
    }
    EXPECT_EQ(parts.y, whole.y);
    part.Run(target, 130, 201);
    part.Check(130, 201, 1e-5);
  }
}

TEST(NormalizeColumns, InPlace) {
  for (const SimdTarget target : AvailableTargets()) {
    Matrix m{.size = 12, .inner = 150, .offset = 0};
    std::vector<float> y = m.x;
    m.Run(target, 0, m.inner);
    NormalizeColumns(target)(
        {y.data(), y.data(), m.size, m.inner, kEpsilon, m.scale.data(), m.bias.data()}, 0, m.inner);
    m.y.pop_back();
    EXPECT_EQ(y, m.y);
  }
}

}  // namespace
}  // namespace waybill::cpu
