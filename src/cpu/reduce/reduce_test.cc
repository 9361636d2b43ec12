#include "cpu/reduce/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace waybill::cpu {
namespace {

constexpr ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kSumSquare, ReduceOp::kSumAbs,
                             ReduceOp::kMax, ReduceOp::kMin,       ReduceOp::kProduct};

std::vector<float> Values(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(random() % 2001) / 10000.0f + 0.9f;
  for (size_t i = 0; i < n; i += 3) out[i] = -out[i];
  return out;
}

double Join(ReduceOp op, double value, double x) {
  switch (op) {
    case ReduceOp::kSum:
      return value + x;
    case ReduceOp::kSumSquare:
      return value + x * x;
    case ReduceOp::kSumAbs:
      return value + std::abs(x);
    case ReduceOp::kMax:
      return x > value || std::isnan(x) ? x : value;
    case ReduceOp::kMin:
      return x < value || std::isnan(x) ? x : value;
    case ReduceOp::kProduct:
      return value * x;
  }
  return 0;
}

TEST(Reduction, RowsOfEverySize) {
  std::vector<size_t> sizes = {4095, 4096, 4097, 9001};
  for (size_t n = 0; n < 70; ++n) sizes.push_back(n);
  for (const SimdTarget target : AvailableTargets()) {
    for (const ReduceOp op : kOps) {
      const RowReduction& row = ReductionOf(target, op).row;
      for (const size_t n : sizes) {
        if (op == ReduceOp::kProduct && n > 100) continue;
        const std::vector<float> x = Values(n, static_cast<uint32_t>(n));
        double want = row.start;
        for (const float v : x) want = Join(op, want, static_cast<double>(v));
        const double got = row.take(row.start, x.data(), n);
        std::vector<float> odd = x;
        odd.insert(odd.begin(), 50);
        ASSERT_EQ(row.take(row.start, odd.data() + 1, n), got) << "from an odd element, " << n;
        if (n == 0) {
          ASSERT_EQ(got, row.start);
        } else {
          ASSERT_NEAR(got, want, 1e-6 * static_cast<double>(n + 4)) << n;
        }
      }
    }
  }
}

TEST(Reduction, ColumnsOfEveryCount) {
  for (const SimdTarget target : AvailableTargets()) {
    for (const ReduceOp op : kOps) {
      const ColumnReduction& reduction = ReductionOf(target, op).columns;
      for (const size_t columns : {1, 3, 7, 8, 9, 16, 17, 63, 64, 65, 100}) {
        for (const size_t rows : {0, 1, 5, 129}) {
          const size_t stride = columns + 3;
          const std::vector<float> x = Values(rows * stride, 5);
          std::vector<float> totals(columns + 1, reduction.start);
          reduction.take(x.data(), rows, stride, columns, totals.data());
          for (size_t c = 0; c < columns; ++c) {
            double want = static_cast<double>(reduction.start);
            for (size_t r = 0; r < rows; ++r) {
              want = Join(op, want, static_cast<double>(x[r * stride + c]));
            }
            if (totals[c] == static_cast<float>(want)) continue;
            ASSERT_NEAR(totals[c], want, 1e-5 * std::max(1.0, std::abs(want))) << rows << " " << c;
          }
          ASSERT_EQ(totals[columns], reduction.start);
        }
      }
    }
  }
}

TEST(Reduction, ExtremesKeepNan) {
  for (const SimdTarget target : AvailableTargets()) {
    for (const ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
      const Reduction& reduction = ReductionOf(target, op);
      for (size_t at = 0; at < 75; ++at) {
        std::vector<float> x = Values(75, 1);
        x[at] = NAN;
        EXPECT_TRUE(std::isnan(reduction.row.take(reduction.row.start, x.data(), 75))) << at;
        float total = reduction.columns.start;
        reduction.columns.take(x.data(), 75, 1, 1, &total);
        EXPECT_TRUE(std::isnan(total)) << at;
      }
    }
  }
}

size_t PlainArg(const float* x, size_t n, size_t stride, bool smallest, bool last) {
  size_t best = 0;
  for (size_t i = 1; i < n; ++i) {
    const float v = x[i * stride], b = x[best * stride];
    bool better = smallest ? v < b : v > b;
    if (last && v == b) better = true;
    if (std::isnan(v)) better = true;
    if (std::isnan(b)) better = last && std::isnan(v);
    if (better) best = i;
  }
  return best;
}

TEST(ArgExtremes, TiesAndNan) {
  std::mt19937 random(1);
  for (const SimdTarget target : AvailableTargets()) {
    const ArgTable& table = ArgExtremes(target);
    for (size_t n = 1; n < 80; ++n) {
      for (int round = 0; round < 8; ++round) {
        std::vector<float> x(n);
        for (float& v : x) {
          v = static_cast<float>(random() % 5);
          if (round > 4 && random() % 12 == 0) v = NAN;
        }
        for (const bool smallest : {false, true}) {
          for (const bool last : {false, true}) {
            ASSERT_EQ(table.row(x.data(), n, smallest, last),
                      PlainArg(x.data(), n, 1, smallest, last))
                << n << " " << smallest << last;
            const size_t inner = n % 11 + 1, size = n / inner;
            if (size == 0) continue;
            std::vector<int64_t> places(inner, -1);
            table.columns(x.data(), size, inner, 0, inner, smallest, last, places.data());
            for (size_t c = 0; c < inner; ++c) {
              ASSERT_EQ(static_cast<size_t>(places[c]),
                        PlainArg(x.data() + c, size, inner, smallest, last));
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
