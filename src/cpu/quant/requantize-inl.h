// Sums to results, one vector at a time. Included by SIMD files only, once per target; no guard.
// The including file has included Highway.

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using SumTag = hn::ScalableTag<int32_t>;
using SumVec = hn::Vec<SumTag>;
using RealTag = hn::ScalableTag<float>;
using RealVec = hn::Vec<RealTag>;

// Adding 1.5 * 2^23 leaves no bits for a fraction, so the sum is the nearest integer, and its low
// bits are that integer. It and what holds one are made in one piece: on AArch64 Highway's vectors
// have a constructor, which a constructor that the compiler writes can not call: it has no target.
struct Rounding {
  RealVec low, high, magic;
  SumVec shift;
};

HWY_INLINE Rounding MakeRounding(const Requantize& out) {
  const RealTag df;
  const SumTag d;
  const int32_t least = out.to == SumTo::kI8 ? -128 : 0;
  return {hn::Set(df, static_cast<float>(least - out.zero)),
          hn::Set(df, static_cast<float>(least + 255 - out.zero)), hn::Set(df, 12582912.0f),
          hn::Set(d, 0x4B400000 - out.zero)};
}

// The result in the type's range, as 32-bit integers.
HWY_INLINE SumVec RoundToByte(const Rounding& r, SumVec sum, RealVec scale) {
  const RealTag df;
  const SumTag d;
  const RealVec scaled = hn::Mul(hn::ConvertTo(df, sum), scale);
  const RealVec kept = hn::Min(hn::Max(scaled, r.low), r.high);
  return hn::Sub(hn::BitCast(d, hn::Add(kept, r.magic)), r.shift);
}

// Each 32-bit element of `a` and `b` is a pair of 16-bit ones. Adds the sum of both products of
// each pair to `sum`, or something to `sum` and `rest` that SumPairs makes the sum of.
HWY_INLINE SumVec MulPairs(SumVec a, SumVec b, SumVec sum, SumVec& rest) {
#if HWY_TARGET == HWY_SCALAR
  (void)rest;
  const SumVec low =
      hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  const SumVec high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(sum, hn::Add(low, high));
#else
  const hn::Repartition<int16_t, SumTag> dp;
  return hn::ReorderWidenMulAccumulate(SumTag(), hn::BitCast(dp, a), hn::BitCast(dp, b), sum, rest);
#endif
}

// The compiler sees vectors of integers under two types and keeps sums that live across a loop once
// as each, which costs registers; to it, this makes another value of the sum.
HWY_INLINE void KeepOnce(SumVec& sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  __asm__("" : "+x"(sum.raw));
#else
  (void)sum;
#endif
}

HWY_INLINE SumVec SumPairs(SumVec sum, SumVec rest) {
#if HWY_TARGET == HWY_SCALAR
  (void)rest;
  return sum;
#else
  return hn::RearrangeToOddPlusEven(sum, rest);
#endif
}

// `low` and `high` are in the range of 16 bits.
HWY_INLINE SumVec MakePairs(SumVec low, SumVec high) {
  return hn::Or(hn::And(low, hn::Set(SumTag(), 0xFFFF)), hn::ShiftLeft<16>(high));
}

#if HWY_TARGET == HWY_AVX2
HWY_INLINE __m256i ScaleAndRound(__m256i sum, __m256 scale) {
  // Not the other way round: NaN must stay, to become the lowest value.
  const __m256 limit = _mm256_set1_ps(1048576.0f);
  const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
  return _mm256_cvtps_epi32(_mm256_min_ps(limit, scaled));
}

// Two rows of 16 sums to bytes: all four vectors are packed before their order is put right.
template <SumTo kTo>
HWY_INLINE void FinishTwoRows(const int32_t* HWY_RESTRICT sums, __m256 scale0, __m256 scale1,
                              __m256i zero, std::byte* first, std::byte* second) {
  const auto* from = reinterpret_cast<const __m256i*>(sums);
  const __m256i upper = _mm256_packs_epi32(ScaleAndRound(_mm256_load_si256(from), scale0),
                                           ScaleAndRound(_mm256_load_si256(from + 1), scale1));
  const __m256i lower = _mm256_packs_epi32(ScaleAndRound(_mm256_load_si256(from + 2), scale0),
                                           ScaleAndRound(_mm256_load_si256(from + 3), scale1));
  const __m256i a = _mm256_adds_epi16(upper, zero);
  const __m256i b = _mm256_adds_epi16(lower, zero);
  const __m256i bytes = kTo == SumTo::kU8 ? _mm256_packus_epi16(a, b) : _mm256_packs_epi16(a, b);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i rows = _mm256_permutevar8x32_epi32(bytes, order);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(first), _mm256_castsi256_si128(rows));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(second), _mm256_extracti128_si256(rows, 1));
}
#endif

// One row of sums, whole vectors, to results at `out`. The bias is in the sums.
template <SumTo kTo, int kN>
HWY_INLINE void FinishRow(const Requantize& to, const Rounding& rounding,
                          const int32_t* HWY_RESTRICT sums, std::byte* out) {
  const SumTag d;
  const RealTag df;
  const size_t lanes = hn::Lanes(d);
  HWY_UNROLL(4)
  for (int j = 0; j < kN; ++j) {
    const size_t at = static_cast<size_t>(j) * lanes;
    const SumVec sum = hn::Load(d, sums + at);
    if constexpr (kTo == SumTo::kI32) {
      hn::StoreU(sum, d, reinterpret_cast<int32_t*>(out) + at);
    } else if constexpr (kTo == SumTo::kF32) {
      const RealVec scale = hn::LoadU(df, to.scale + at);
      hn::StoreU(hn::Mul(hn::ConvertTo(df, sum), scale), df, reinterpret_cast<float*>(out) + at);
    } else {
      using Byte = std::conditional_t<kTo == SumTo::kU8, uint8_t, int8_t>;
      const hn::Rebind<Byte, SumTag> db;
      const SumVec whole = RoundToByte(rounding, sum, hn::LoadU(df, to.scale + at));
      hn::StoreU(hn::DemoteTo(db, whole), db, reinterpret_cast<Byte*>(out) + at);
    }
  }
}

// `rows` of kN vectors of sums, of which `n` columns count, to the results at c [rows][ldc].
template <SumTo kTo, int kN>
HWY_INLINE void FinishTile(const Requantize& to, const Rounding& rounding, std::byte* c,
                           size_t row_bytes, size_t rows, size_t n, const int32_t* sums) {
  const size_t width = static_cast<size_t>(kN) * hn::Lanes(SumTag());
  size_t i = 0;
  if (n == width) {
#if HWY_TARGET == HWY_AVX2
    if constexpr (kN == 2 && (kTo == SumTo::kU8 || kTo == SumTo::kI8)) {
      const __m256 scale0 = _mm256_loadu_ps(to.scale), scale1 = _mm256_loadu_ps(to.scale + 8);
      const __m256i zero = _mm256_set1_epi16(static_cast<int16_t>(to.zero));
      for (; i + 2 <= rows; i += 2) {
        FinishTwoRows<kTo>(sums + i * width, scale0, scale1, zero, c + i * row_bytes,
                           c + (i + 1) * row_bytes);
      }
    }
#endif
    for (; i < rows; ++i) {
      FinishRow<kTo, kN>(to, rounding, sums + i * width, c + i * row_bytes);
    }
    return;
  }
  HWY_ALIGN std::byte row[static_cast<size_t>(kN) * 4 * hn::MaxLanes(SumTag())];
  for (; i < rows; ++i) {
    FinishRow<kTo, kN>(to, rounding, sums + i * width, row);
    std::memcpy(c + i * row_bytes, row, n * SumToBytes(kTo));
  }
}

// Runs over the rows in tiles: Sums<kM, kN>::Run makes kM rows of sums, bias included, from `row`.
template <class Args, template <int, int> class Sums, int kRows, int kN, SumTo kTo>
HWY_NOINLINE void RunRowsTo(const Args& args) {
  using SumsFn = void (*)(const Args&, size_t row, int32_t* sums);
  HWY_ALIGN int32_t sums[static_cast<size_t>(kRows) * kN * hn::MaxLanes(SumTag())];
  const Rounding rounding = MakeRounding(args.out);
  const size_t row_bytes = args.ldc * SumToBytes(kTo);
  auto* c = static_cast<std::byte*>(args.c);
  size_t row = 0;
  for (; row + kRows <= args.m; row += kRows) {
    Sums<kRows, kN>::Run(args, row, sums);
    FinishTile<kTo, kN>(args.out, rounding, c + row * row_bytes, row_bytes, kRows, args.n, sums);
  }
  if (row == args.m) return;
  static constexpr SumsFn kRest[] = {
      Sums<1, kN>::Run, Sums < 1 < kRows ? 1 : kRows, kN > ::Run, Sums < 2 < kRows ? 2 : kRows,
      kN > ::Run,       Sums < 3 < kRows ? 3 : kRows, kN > ::Run, Sums < 4 < kRows ? 4 : kRows,
      kN > ::Run,       Sums < 5 < kRows ? 5 : kRows, kN > ::Run};
  static_assert(kRows <= 6);
  kRest[args.m - row](args, row, sums);
  FinishTile<kTo, kN>(args.out, rounding, c + row * row_bytes, row_bytes, args.m - row, args.n,
                      sums);
}

template <class Args, template <int, int> class Sums, int kRows, int kN>
HWY_INLINE void RunRows(const Args& args) {
  switch (args.out.to) {
    case SumTo::kI32:
      return RunRowsTo<Args, Sums, kRows, kN, SumTo::kI32>(args);
    case SumTo::kF32:
      return RunRowsTo<Args, Sums, kRows, kN, SumTo::kF32>(args);
    case SumTo::kU8:
      return RunRowsTo<Args, Sums, kRows, kN, SumTo::kU8>(args);
    case SumTo::kI8:
      return RunRowsTo<Args, Sums, kRows, kN, SumTo::kI8>(args);
  }
}

// By the vectors that the panel is wide.
template <class Args, template <int, int> class Sums, int kRows, int kN>
void RunPanel(const Args& args) {
  if constexpr (kN > 1) {
    const size_t lanes = hn::Lanes(SumTag());
    if (args.n <= static_cast<size_t>(kN - 1) * lanes) {
      return RunPanel<Args, Sums, kRows, kN - 1>(args);
    }
  }
  RunRows<Args, Sums, kRows, kN>(args);
}

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
