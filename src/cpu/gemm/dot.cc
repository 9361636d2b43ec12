#include "cpu/gemm/dot.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gemm/dot.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// Two strands of sums per element, so that single elements do not wait for each addition either.
// kN rows of B at a time against one row of A.
template <int kN>
HWY_INLINE void Dots(const DotArgs& args, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                     float* c) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec even[kN], odd[kN];
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) even[j] = odd[j] = hn::Zero(d);
  size_t k = 0;
  for (; k + 2 * lanes <= args.k; k += 2 * lanes) {
    const Vec a0 = hn::LoadU(d, a + k);
    const Vec a1 = hn::LoadU(d, a + k + lanes);
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const float* row = b + static_cast<size_t>(j) * args.ldb + k;
      even[j] = hn::MulAdd(a0, hn::LoadU(d, row), even[j]);
      odd[j] = hn::MulAdd(a1, hn::LoadU(d, row + lanes), odd[j]);
    }
  }
  for (int j = 0; j < kN; ++j) {
    const float* row = b + static_cast<size_t>(j) * args.ldb;
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[j], odd[j])));
    for (size_t i = k; i < args.k; ++i) sum += a[i] * row[i];
    float& out = c[j];
    sum *= args.scale;
    out = args.accumulate ? out + sum : sum;
  }
}

void RunDots(const DotArgs& args) {
  size_t j = 0;
  for (; j + 4 <= args.n; j += 4) {
    for (size_t i = 0; i < args.m; ++i) {
      Dots<4>(args, args.a + i * args.lda, args.b + j * args.ldb, args.c + i * args.ldc + j);
    }
  }
  for (; j < args.n; ++j) {
    for (size_t i = 0; i < args.m; ++i) {
      Dots<1>(args, args.a + i * args.lda, args.b + j * args.ldb, args.c + i * args.ldc + j);
    }
  }
}

constexpr DotTable kDotKernels = {RunDots};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const DotTable& DotKernels(SimdTarget target) { WB_SIMD_TABLE(target, kDotKernels) }

}  // namespace waybill::cpu
#endif
