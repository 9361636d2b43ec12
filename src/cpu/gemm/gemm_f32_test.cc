#include "cpu/gemm/gemm_f32.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "graph/fused/expression.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

constexpr float kGuard = 777.0f;

struct FreeAligned {
  void operator()(float* p) const { std::free(p); }
};
using AlignedFloats = std::unique_ptr<float[], FreeAligned>;

AlignedFloats Aligned(size_t n) {
  return AlignedFloats(
      static_cast<float*>(std::aligned_alloc(64, (n * sizeof(float) + 64) / 64 * 64)));
}

std::vector<float> Random(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return out;
}

struct Problem {
  size_t m, n, k;
  size_t lda, ldc;  // with gaps
  bool transposed_b, bias, relu, residual;
  std::vector<float> a, b, bias_values, residual_values;

  Problem(size_t m_, size_t n_, size_t k_, uint32_t seed)
      : m(m_), n(n_), k(k_), lda(k_ + seed % 3), ldc(n_ + seed % 5) {
    transposed_b = seed % 2 == 0;
    bias = seed % 3 != 0;
    relu = seed % 4 == 1;
    residual = seed % 5 == 2;
    residual_values = Random(m * (n + 1) + 1, seed + 3);
    a = Random(m * lda + 1, seed);
    b = Random(k * n + 1, seed + 1);
    bias_values = Random(n + 1, seed + 2);
  }

  double Want(size_t row, size_t column, double& magnitude) const {
    double sum = bias ? bias_values[column] : 0;
    magnitude = std::fabs(sum);
    for (size_t i = 0; i < k; ++i) {
      const double term =
          double{a[row * lda + i]} * (transposed_b ? b[column * k + i] : b[i * n + column]);
      sum += term;
      magnitude += std::fabs(term);
    }
    if (residual) sum += residual_values[row * (n + 1) + column];
    return relu && sum < 0 ? 0 : sum;
  }

  std::vector<float> Run(SimdTarget target, ThreadPool* pool, size_t width) const {
    const GemmF32Table& table = GemmF32(target);
    const PackedLayout layout(table, k, n);
    // One byte off, as in a mapped file.
    std::vector<std::byte> raw(b.size() * sizeof(float) + 1);
    std::memcpy(raw.data() + 1, b.data(), b.size() * sizeof(float));
    const AlignedFloats packed = Aligned(layout.floats());
    UnpackedB unpacked;
    unpacked.data = raw.data() + 1;
    unpacked.row_stride = transposed_b ? 1 : n;
    unpacked.column_stride = transposed_b ? k : 1;
    PackB(layout, unpacked, packed.get());
    std::vector<float> c(m * ldc + 8, kGuard);
    GemmArgs args;
    args.a = a.data();
    args.lda = lda;
    args.m = m;
    args.packed_b = packed.get();
    args.c = c.data();
    args.ldc = ldc;
    args.column_bias = bias ? bias_values.data() : nullptr;
    args.clamp = relu;
    args.low = 0;
    if (residual) {
      args.residual = residual_values.data();
      args.residual_ld = n + 1;
    }
    RunGemm(table, layout, args, pool, width);
    return c;
  }

  void Check(SimdTarget target) const {
    SCOPED_TRACE(testing::Message() << SimdTargetName(target) << " " << m << "x" << n << "x" << k);
    const std::vector<float> c = Run(target, nullptr, 1);
    for (size_t row = 0; row < m; ++row) {
      for (size_t column = 0; column < ldc; ++column) {
        const float got = c[row * ldc + column];
        if (column >= n) {
          ASSERT_EQ(got, kGuard) << "past column " << n;
          continue;
        }
        double magnitude = 0;
        const double want = Want(row, column, magnitude);
        ASSERT_NEAR(got, want, 1e-6 * magnitude + 1e-7) << row << ", " << column;
      }
    }
    for (size_t i = m * ldc; i < c.size(); ++i) ASSERT_EQ(c[i], kGuard);
  }
};

TEST(Gemm, EveryColumnCountAndRowCount) {
  for (const SimdTarget target : AvailableTargets()) {
    for (size_t n = 1; n <= 130; n += n < 70 ? 1 : 7) {
      Problem(1 + n % 9, n, 1 + n % 11, static_cast<uint32_t>(n)).Check(target);
    }
    for (size_t m = 1; m <= 30; ++m) {
      for (const size_t n : {3, 13, 67}) Problem(m, n, 5, static_cast<uint32_t>(m)).Check(target);
    }
  }
}

TEST(Gemm, SeveralBlocksOfK) {
  for (const SimdTarget target : AvailableTargets()) {
    for (const size_t k : {0, 1, 2, 15, 16, 17, 1023, 1024, 1025, 2060}) {
      Problem(7, 33, k, static_cast<uint32_t>(k)).Check(target);
      Problem(3, 70, k, static_cast<uint32_t>(k + 1)).Check(target);
    }
  }
}

TEST(Gemm, SeveralBlocksOfRows) {
  for (const SimdTarget target : AvailableTargets()) {
    Problem(300, 20, 9, 5).Check(target);
    Problem(100, 30, 1030, 4).Check(target);
  }
}

TEST(Gemm, EmptyOutputsAreNoWork) {
  for (const SimdTarget target : AvailableTargets()) {
    EXPECT_EQ(Problem(0, 5, 3, 4).Run(target, nullptr, 1).size(), 8u);
    for (const float v : Problem(4, 0, 3, 1).Run(target, nullptr, 1)) EXPECT_EQ(v, kGuard);
  }
}

TEST(Gemm, BitEqualForEveryWidth) {
  const auto pool = MakeThreadPool(4);
  for (const SimdTarget target : AvailableTargets()) {
    for (const Problem& problem :
         {Problem(31, 131, 1040, 7), Problem(1, 2000, 1060, 1), Problem(2, 1100, 1060, 2)}) {
      const std::vector<float> alone = problem.Run(target, nullptr, 1);
      for (const size_t width : {2, 3, 4}) {
        const std::vector<float> together = problem.Run(target, pool.get(), width);
        ASSERT_EQ(std::memcmp(alone.data(), together.data(), alone.size() * sizeof(float)), 0)
            << SimdTargetName(target) << " " << width;
      }
    }
  }
}

TEST(Gemm, EpilogueSeesEveryElementOnce) {
  const auto expression = graph::Expression::Parse("Mul(x0,x1);Add(t0,x2)");
  ASSERT_TRUE(expression.ok());
  for (const SimdTarget target : AvailableTargets()) {
    const auto epilogue = Epilogue::Make(*expression, target);
    ASSERT_TRUE(epilogue.ok());
    for (const size_t m : {1, 5, 150}) {
      for (const size_t k : {3, 1030}) {
        const size_t n = 433;
        const GemmF32Table& table = GemmF32(target);
        const PackedLayout layout(table, k, n);
        const std::vector<float> a = Random(m * k, 1), b = Random(k * n, 2), rows = Random(m, 3);
        const std::vector<float> columns = Random(n, 4);
        const AlignedFloats packed = Aligned(layout.floats());
        UnpackedB unpacked;
        unpacked.data = b.data();
        unpacked.row_stride = n;
        unpacked.column_stride = 1;
        PackB(layout, unpacked, packed.get());
        std::vector<float> plain(m * n), fused(m * n);
        GemmArgs args;
        args.a = a.data();
        args.lda = k;
        args.m = m;
        args.packed_b = packed.get();
        args.c = plain.data();
        args.ldc = n;
        RunGemm(table, layout, args, nullptr, 1);
        const EpilogueOperand operands[] = {{rows.data(), 1, 0}, {columns.data(), 0, 1}};
        args.c = fused.data();
        args.epilogue = &*epilogue;
        args.operands = operands;
        RunGemm(table, layout, args, nullptr, 1);
        for (size_t i = 0; i < m * n; ++i) {
          const float want = plain[i] * rows[i / n];
          ASSERT_EQ(fused[i], want + columns[i % n]) << m << " " << k << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace waybill::cpu
