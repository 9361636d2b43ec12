#include "cpu/quant/byte_product.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quant/byte_product.cc"
#include "cpu/simd/highway.h"

// Highway first.
#include "cpu/quant/requantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4

constexpr int kRows = 6;
constexpr int kVectors = HWY_TARGET == HWY_AVX3 ? 4 : 2;

// Four products of unsigned by signed bytes to each sum; Highway has no such operation.
HWY_INLINE SumVec MulQuads(SumVec a, SumVec b, SumVec ones, SumVec sum) {
#if HWY_TARGET == HWY_AVX3
  const __m512i pairs = _mm512_maddubs_epi16(a.raw, b.raw);
  return hn::Add(sum, SumVec{_mm512_madd_epi16(pairs, ones.raw)});
#elif HWY_TARGET == HWY_AVX2
  const __m256i pairs = _mm256_maddubs_epi16(a.raw, b.raw);
  return hn::Add(sum, SumVec{_mm256_madd_epi16(pairs, ones.raw)});
#else
  const __m128i pairs = _mm_maddubs_epi16(a.raw, b.raw);
  return hn::Add(sum, SumVec{_mm_madd_epi16(pairs, ones.raw)});
#endif
}

template <int kM, int kN>
struct Sums {
  static HWY_NOINLINE void Run(const ByteProductArgs& args, size_t row,
                               int32_t* HWY_RESTRICT sums) {
    const SumTag d;
    const size_t lanes = hn::Lanes(d);
    const SumVec ones = hn::Set(d, 0x00010001);
    SumVec acc[kM][kN];
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const SumVec bias = hn::LoadU(d, args.out.bias + static_cast<size_t>(j) * lanes);
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) acc[i][j] = bias;
    }
    const uint8_t* HWY_RESTRICT a[kM];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) a[i] = args.a + args.rows[row + i];
    const int32_t* HWY_RESTRICT b = args.panel;
    const uint32_t* HWY_RESTRICT offset = args.offsets;
    const uint32_t* const end = offset + args.steps;
    for (; offset != end; ++offset) {
      SumVec bv[kN];
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) bv[j] = hn::Load(d, b + static_cast<size_t>(j) * lanes);
      b += static_cast<size_t>(kN) * lanes;
      const size_t at = *offset;
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) {
        int32_t quad;
        std::memcpy(&quad, a[i] + at, sizeof quad);
        const SumVec av = hn::Set(d, quad);
        HWY_UNROLL(4)
        for (int j = 0; j < kN; ++j) {
          acc[i][j] = MulQuads(av, bv[j], ones, acc[i][j]);
          KeepOnce(acc[i][j]);
        }
        // Row by row: products of several rows at a time would not fit in the registers.
        HWY_FENCE;
      }
    }
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) {
        hn::Store(acc[i][j], d, sums + static_cast<size_t>(i * kN + j) * lanes);
      }
    }
  }
};

constexpr ByteProductTable kByteProduct = {hn::MaxLanes(SumTag()), kVectors* hn::MaxLanes(SumTag()),
                                           kRows, RunPanel<ByteProductArgs, Sums, kRows, kVectors>};
#else
constexpr ByteProductTable kByteProduct = {hn::MaxLanes(SumTag()), 1, 1, nullptr};
#endif

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const ByteProductTable& QuantByteProduct(SimdTarget target) { WB_SIMD_TABLE(target, kByteProduct) }

}  // namespace waybill::cpu
#endif
