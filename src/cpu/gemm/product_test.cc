#include "cpu/gemm/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

struct FreeAligned {
  void operator()(float* p) const { std::free(p); }
};

std::vector<float> Random(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return out;
}

std::vector<float> RunOne(const Product& product, const std::vector<float>& a,
                          const std::vector<float>& b, bool accumulate, ThreadPool* pool,
                          size_t width) {
  const ProductShape& s = product.shape();
  const std::unique_ptr<float[], FreeAligned> scratch(
      static_cast<float*>(std::aligned_alloc(64, product.scratch_floats() * sizeof(float) + 64)));
  const size_t ldc = s.n + 2;
  std::vector<float> c(s.m * ldc + 8, 7.0f);
  ProductArgs args;
  args.a = a.data();
  args.b = b.data();
  args.c = c.data();
  args.ldc = ldc;
  args.accumulate = accumulate;
  args.scratch = scratch.get();
  product.Run(args, pool, width);
  return c;
}

void Check(SimdTarget target, ProductShape s, bool accumulate, ThreadPool* pool) {
  SCOPED_TRACE(testing::Message() << SimdTargetName(target) << " " << s.m << "x" << s.n << "x"
                                  << s.k << " " << s.trans_a << s.trans_b);
  const auto product = Product::Make(target, s);
  ASSERT_TRUE(product);
  const std::vector<float> a = Random((s.trans_a ? s.k : s.m) * s.lda + 1, 1);
  const std::vector<float> b = Random((s.trans_b ? s.n : s.k) * s.ldb + 1, 2);
  const std::vector<float> c = RunOne(*product, a, b, accumulate, nullptr, 1);
  const size_t ldc = s.n + 2;
  for (size_t i = 0; i < s.m; ++i) {
    for (size_t j = 0; j < s.n; ++j) {
      double sum = 0, magnitude = 1;
      for (size_t k = 0; k < s.k; ++k) {
        const double term = double{a[s.trans_a ? k * s.lda + i : i * s.lda + k]} *
                            b[s.trans_b ? j * s.ldb + k : k * s.ldb + j];
        sum += term;
        magnitude += std::fabs(term);
      }
      const double want = sum * s.scale + (accumulate ? 7.0 : 0.0);
      ASSERT_NEAR(c[i * ldc + j], want, 1e-6 * magnitude * std::fabs(s.scale) + 1e-6);
    }
    ASSERT_EQ(c[i * ldc + s.n], 7.0f) << "past the row";
  }
  for (size_t i = s.m * ldc; i < c.size(); ++i) ASSERT_EQ(c[i], 7.0f) << "past the end";
  EXPECT_EQ(c, RunOne(*product, a, b, accumulate, pool, 3));
}

TEST(Product, EveryWay) {
  const auto pool = MakeThreadPool(3);
  for (const SimdTarget target : AvailableTargets()) {
    for (const size_t m : {0, 1, 2, 4, 5, 30}) {
      for (const size_t n : {0, 1, 3, 4, 8, 31}) {
        for (const size_t k : {0, 1, 16, 37}) {
          for (const int trans : {0, 1, 2, 3}) {
            ProductShape s;
            s.m = m;
            s.n = n;
            s.k = k;
            s.trans_a = (trans & 1) != 0;
            s.trans_b = (trans & 2) != 0;
            const size_t gap = (m + n + k) % 3;
            s.lda = (s.trans_a ? m : k) + gap;
            s.ldb = (s.trans_b ? k : n) + gap;
            s.scale = k % 2 == 0 ? 1.0f : -0.5f;
            Check(target, s, (n + m) % 2 == 0, pool.get());
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Product, SeveralBlocksOfKAndThreads) {
  const auto pool = MakeThreadPool(3);
  for (const SimdTarget target : AvailableTargets()) {
    for (const size_t m : {1, 20, 200}) {
      for (const bool trans_b : {false, true}) {
        ProductShape s;
        s.m = m;
        s.n = 101;
        s.k = 1100;
        s.trans_b = trans_b;
        s.lda = s.k;
        s.ldb = trans_b ? s.k : s.n;
        Check(target, s, false, pool.get());
      }
    }
  }
}

TEST(Product, SizesThatDoNotFit) {
  ProductShape s;
  s.m = s.n = s.k = size_t{1} << 40;
  EXPECT_FALSE(Product::Make(BestTarget(), s));
}

}  // namespace
}  // namespace waybill::cpu
