#include "cpu/quant/depthwise.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quant/depthwise.cc"
#include "cpu/simd/highway.h"

// Highway first.
#include "cpu/quant/requantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kColumns = 8;
#else
constexpr int kColumns = 4;
#endif

// Where the results of one vector of channels go.
struct Store {
  size_t channels;  // valid ones of the vector
  SumVec bias;
  RealVec scale;
  Rounding rounding;
  int32_t zero;
};

template <SumTo kTo>
HWY_INLINE void StoreWhole(const Store& s, SumVec sum, std::byte* y) {
  const SumTag d;
  const RealTag df;
  if constexpr (kTo == SumTo::kU8 || kTo == SumTo::kI8) {
    using Byte = std::conditional_t<kTo == SumTo::kU8, uint8_t, int8_t>;
    const hn::Rebind<Byte, SumTag> db;
    hn::StoreU(hn::DemoteTo(db, RoundToByte(s.rounding, sum, s.scale)), db,
               reinterpret_cast<Byte*>(y));
  } else if constexpr (kTo == SumTo::kI32) {
    hn::StoreU(sum, d, reinterpret_cast<int32_t*>(y));
  } else {
    hn::StoreU(hn::Mul(hn::ConvertTo(df, sum), s.scale), df, reinterpret_cast<float*>(y));
  }
}

template <SumTo kTo>
HWY_INLINE void StoreSum(const Store& s, SumVec sum, std::byte* y) {
  const size_t lanes = hn::Lanes(SumTag());
  if (HWY_LIKELY(s.channels == lanes)) {
    StoreWhole<kTo>(s, sum, y);
    return;
  }
  HWY_ALIGN std::byte part[4 * hn::MaxLanes(SumTag())];
  StoreWhole<kTo>(s, sum, part);
  std::memcpy(y, part, s.channels * SumToBytes(kTo));
}

#if HWY_TARGET == HWY_AVX2
// Two columns of 8 channels, packed together.
template <SumTo kTo>
HWY_INLINE void StoreTwoColumns(const Store& s, SumVec a, SumVec b, std::byte* y, size_t pitch) {
  const __m256i words = _mm256_adds_epi16(
      _mm256_packs_epi32(ScaleAndRound(a.raw, s.scale.raw), ScaleAndRound(b.raw, s.scale.raw)),
      _mm256_set1_epi16(static_cast<int16_t>(s.zero)));
  const __m256i bytes =
      kTo == SumTo::kU8 ? _mm256_packus_epi16(words, words) : _mm256_packs_epi16(words, words);
  // Channels 0 to 3 of both columns are in the lower half, the others in the upper.
  const __m128i order =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(y), order);
  _mm_storeh_pd(reinterpret_cast<double*>(y + pitch), _mm_castsi128_pd(order));
}
#endif

template <SumTo kTo, int kT>
HWY_INLINE void StoreColumns(const Store& s, const SumVec (&sums)[kT], std::byte* y, size_t pitch) {
  int t = 0;
#if HWY_TARGET == HWY_AVX2
  if constexpr (kTo == SumTo::kU8 || kTo == SumTo::kI8) {
    if (HWY_LIKELY(s.channels == 8)) {
      HWY_UNROLL(8)
      for (; t + 2 <= kT; t += 2) {
        StoreTwoColumns<kTo>(s, sums[t], sums[t + 1], y + static_cast<size_t>(t) * pitch, pitch);
      }
    }
  }
#endif
  HWY_UNROLL(8)
  for (; t < kT; ++t) StoreSum<kTo>(s, sums[t], y + static_cast<size_t>(t) * pitch);
}

// kT output columns of one vector of channels.
template <SumTo kTo, int kT>
HWY_INLINE void Columns(const DepthwiseRow& args, size_t x, const int32_t* HWY_RESTRICT w,
                        const Store& store, std::byte* y) {
  const SumTag d;
  const size_t lanes = hn::Lanes(d);
  const size_t step = args.stride_w * lanes;
  SumVec sums[kT], rest[kT];
  HWY_UNROLL(8)
  for (int t = 0; t < kT; ++t) sums[t] = rest[t] = hn::Zero(d);
  for (size_t row = 0; row < args.pair_rows; ++row) {
    const int32_t* HWY_RESTRICT at = args.x[row] + x;
    for (size_t tap = 0; tap < args.kernel_w; ++tap) {
      const SumVec wv = hn::Load(d, w);
      w += lanes;
      HWY_UNROLL(8)
      for (int t = 0; t < kT; ++t) {
        const SumVec xv = hn::Load(d, at + static_cast<size_t>(t) * step);
        sums[t] = MulPairs(xv, wv, sums[t], rest[t]);
        KeepOnce(sums[t]);
      }
      at += args.dilation_w * lanes;
    }
  }
  HWY_UNROLL(8)
  for (int t = 0; t < kT; ++t) sums[t] = hn::Add(SumPairs(sums[t], rest[t]), store.bias);
  StoreColumns<kTo, kT>(store, sums, y, args.ldy * SumToBytes(kTo));
}

template <SumTo kTo>
HWY_NOINLINE void RowTo(const DepthwiseRow& args) {
  const SumTag d;
  const RealTag df;
  const size_t lanes = hn::Lanes(d);
  const size_t taps = args.pair_rows * args.kernel_w * lanes;
  const size_t pitch = args.ldy * SumToBytes(kTo);
  Store store = {0, hn::Zero(d), hn::Zero(df), MakeRounding(args.out), args.out.zero};
  for (size_t c = 0; c < args.channels; c += lanes) {
    const size_t vector = c / lanes;
    const size_t x = vector * args.vector_stride;
    const int32_t* w = args.weights + vector * taps;
    store.channels = args.channels - c < lanes ? args.channels - c : lanes;
    store.bias = hn::LoadU(d, args.out.bias + c);
    if (args.out.scale != nullptr) store.scale = hn::LoadU(df, args.out.scale + c);
    std::byte* y = static_cast<std::byte*>(args.y) + c * SumToBytes(kTo);
    const size_t step = args.stride_w * lanes;
    size_t o = 0;
    for (; o + kColumns <= args.out_w; o += kColumns) {
      Columns<kTo, kColumns>(args, x + o * step, w, store, y + o * pitch);
    }
    if (o + kColumns / 2 <= args.out_w) {
      Columns<kTo, kColumns / 2>(args, x + o * step, w, store, y + o * pitch);
      o += kColumns / 2;
    }
    for (; o < args.out_w; ++o) Columns<kTo, 1>(args, x + o * step, w, store, y + o * pitch);
  }
}

void Row(const DepthwiseRow& args) {
  switch (args.out.to) {
    case SumTo::kI32:
      return RowTo<SumTo::kI32>(args);
    case SumTo::kF32:
      return RowTo<SumTo::kF32>(args);
    case SumTo::kU8:
      return RowTo<SumTo::kU8>(args);
    case SumTo::kI8:
      return RowTo<SumTo::kI8>(args);
  }
}

template <class T>
HWY_INLINE SumVec LoadPair(const T* upper, const T* lower, SumVec zero) {
  const SumTag d;
  const hn::Rebind<T, SumTag> db;
  const SumVec none = hn::Zero(d);
  const SumVec a = upper == nullptr ? none : hn::Sub(hn::PromoteTo(d, hn::LoadU(db, upper)), zero);
  const SumVec b = lower == nullptr ? none : hn::Sub(hn::PromoteTo(d, hn::LoadU(db, lower)), zero);
  return MakePairs(a, b);
}

#if HWY_TARGET == HWY_AVX2
// Pairs of 16 channels: bytes are interleaved before they are widened.
template <class T>
HWY_INLINE void PairSixteen(const T* upper, const T* lower, __m256i zero, int32_t* first,
                            int32_t* second) {
  const auto load = [](const T* from) HWY_ATTR {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  };
  const __m128i a = load(upper), b = load(lower);
  const __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
  const __m256i wide_low =
      std::is_signed_v<T> ? _mm256_cvtepi8_epi16(low) : _mm256_cvtepu8_epi16(low);
  const __m256i wide_high =
      std::is_signed_v<T> ? _mm256_cvtepi8_epi16(high) : _mm256_cvtepu8_epi16(high);
  _mm256_store_si256(reinterpret_cast<__m256i*>(first), _mm256_sub_epi16(wide_low, zero));
  _mm256_store_si256(reinterpret_cast<__m256i*>(second), _mm256_sub_epi16(wide_high, zero));
}
#endif

template <class T>
void Pair(const RowPair<T>& args) {
  const SumTag d;
  const size_t lanes = hn::Lanes(d);
  const SumVec zero = hn::Set(d, args.zero);
#if HWY_TARGET == HWY_AVX2
  const __m256i zeros = _mm256_set1_epi16(static_cast<int16_t>(args.zero));
#endif
  const size_t whole = args.channels / lanes;
  const size_t rest = args.channels % lanes;
  for (size_t column = 0; column < args.columns; ++column) {
    const T* upper = args.upper == nullptr ? nullptr : args.upper + column * args.ldx;
    const T* lower = args.lower == nullptr ? nullptr : args.lower + column * args.ldx;
    int32_t* out = args.pair + column * lanes;
    size_t v = 0;
#if HWY_TARGET == HWY_AVX2
    if (upper != nullptr && lower != nullptr) {
      for (; v + 2 <= whole; v += 2) {
        PairSixteen(upper + v * 8, lower + v * 8, zeros, out + v * args.vector_stride,
                    out + (v + 1) * args.vector_stride);
      }
    }
#endif
    for (; v < whole; ++v) {
      hn::Store(LoadPair(upper == nullptr ? nullptr : upper + v * lanes,
                         lower == nullptr ? nullptr : lower + v * lanes, zero),
                d, out + v * args.vector_stride);
    }
    if (rest == 0) continue;
    int32_t* last = out + whole * args.vector_stride;
    for (size_t i = 0; i < lanes; ++i) {
      const size_t c = whole * lanes + i;
      const int32_t a = upper == nullptr || i >= rest ? 0 : upper[c] - args.zero;
      const int32_t b = lower == nullptr || i >= rest ? 0 : lower[c] - args.zero;
      last[i] = static_cast<int32_t>((static_cast<uint32_t>(a) & 0xFFFFu) |
                                     (static_cast<uint32_t>(b) << 16));
    }
  }
}

constexpr DepthwiseTable kDepthwise = {hn::MaxLanes(SumTag()), Row, Pair<uint8_t>, Pair<int8_t>};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const DepthwiseTable& QuantDepthwise(SimdTarget target) { WB_SIMD_TABLE(target, kDepthwise) }

}  // namespace waybill::cpu
#endif
