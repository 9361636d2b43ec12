#include "cpu/quant/product.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quant/product.cc"
#include "cpu/simd/highway.h"

// Highway first.
#include "cpu/quant/requantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 6;
constexpr int kVectors = 4;
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kRows = 6;
constexpr int kVectors = 2;
#elif HWY_TARGET == HWY_NEON
constexpr int kRows = 4;
constexpr int kVectors = 2;
#else
constexpr int kRows = 2;
constexpr int kVectors = 2;
#endif
template <int kM, int kN>
struct Sums {
  static HWY_NOINLINE void Run(const ProductArgs& args, size_t row, int32_t* HWY_RESTRICT sums) {
    const SumTag d;
    const size_t lanes = hn::Lanes(d);
    // Where products of a pair go to one register, the second ones are dropped by the compiler.
    SumVec acc[kM][kN], rest[kM][kN];
    HWY_UNROLL(8)
    for (int i = 0; i < kM; ++i) {
      HWY_UNROLL(4)
      for (int j = 0; j < kN; ++j) acc[i][j] = rest[i][j] = hn::Zero(d);
    }
    const size_t pairs = args.pairs;
    const uint32_t* HWY_RESTRICT rows = args.rows + row;
    const int32_t* HWY_RESTRICT b = args.panel;
    for (size_t s = 0; s < args.segment_count; ++s) {
      const int16_t* HWY_RESTRICT a[kM];
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) a[i] = args.a + rows[i] + args.segments[s];
      for (size_t k = 0; k < pairs; ++k) {
        SumVec bv[kN];
        HWY_UNROLL(4)
        for (int j = 0; j < kN; ++j) bv[j] = hn::Load(d, b + static_cast<size_t>(j) * lanes);
        b += static_cast<size_t>(kN) * lanes;
        HWY_UNROLL(8)
        for (int i = 0; i < kM; ++i) {
          int32_t pair;
          std::memcpy(&pair, a[i] + 2 * k, sizeof pair);
          const SumVec av = hn::Set(d, pair);
          HWY_UNROLL(4)
          for (int j = 0; j < kN; ++j) {
            acc[i][j] = MulPairs(av, bv[j], acc[i][j], rest[i][j]);
            KeepOnce(acc[i][j]);
          }
          // Row by row: products of several rows at a time would not fit in the registers.
          HWY_FENCE;
        }
      }
    }
    HWY_UNROLL(4)
    for (int j = 0; j < kN; ++j) {
      const SumVec bias = hn::LoadU(d, args.out.bias + static_cast<size_t>(j) * lanes);
      HWY_UNROLL(8)
      for (int i = 0; i < kM; ++i) {
        hn::Store(hn::Add(SumPairs(acc[i][j], rest[i][j]), bias), d,
                  sums + static_cast<size_t>(i * kN + j) * lanes);
      }
    }
  }
};

template <class T>
void Widen(const T* x, size_t count, int32_t zero, int16_t* y) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<T, decltype(d)> db;
  const size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, static_cast<int16_t>(zero));
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(db, x + i)), shift), d, y + i);
  }
  if (i < count && count >= lanes) {
    i = count - lanes;
    hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(db, x + i)), shift), d, y + i);
    return;
  }
  for (; i < count; ++i) y[i] = static_cast<int16_t>(x[i] - zero);
}

constexpr ProductTable kProduct = {hn::MaxLanes(SumTag()),
                                   kVectors* hn::MaxLanes(SumTag()),
                                   kRows,
                                   RunPanel<ProductArgs, Sums, kRows, kVectors>,
                                   Widen<uint8_t>,
                                   Widen<int8_t>};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const ProductTable& QuantProduct(SimdTarget target) { WB_SIMD_TABLE(target, kProduct) }

}  // namespace waybill::cpu
#endif
