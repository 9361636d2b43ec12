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
  SumTo to;
  size_t bytes;     // of an element
  size_t channels;  // valid ones of the vector
  SumVec bias;
  RealVec scale;
  Rounding rounding;
};

HWY_INLINE void StoreWhole(const Store& s, SumVec sum, std::byte* y) {
  const SumTag d;
  const RealTag df;
  if (s.to == SumTo::kU8) {
    const hn::Rebind<uint8_t, SumTag> db;
    hn::StoreU(hn::DemoteTo(db, RoundToByte(s.rounding, sum, s.scale)), db,
               reinterpret_cast<uint8_t*>(y));
  } else if (s.to == SumTo::kI8) {
    const hn::Rebind<int8_t, SumTag> db;
    hn::StoreU(hn::DemoteTo(db, RoundToByte(s.rounding, sum, s.scale)), db,
               reinterpret_cast<int8_t*>(y));
  } else if (s.to == SumTo::kI32) {
    hn::StoreU(sum, d, reinterpret_cast<int32_t*>(y));
  } else {
    hn::StoreU(hn::Mul(hn::ConvertTo(df, sum), s.scale), df, reinterpret_cast<float*>(y));
  }
}

HWY_INLINE void StoreSum(const Store& s, SumVec sum, std::byte* y) {
  const size_t lanes = hn::Lanes(SumTag());
  if (HWY_LIKELY(s.channels == lanes)) {
    StoreWhole(s, sum, y);
    return;
  }
  HWY_ALIGN std::byte part[4 * hn::MaxLanes(SumTag())];
  StoreWhole(s, sum, part);
  std::memcpy(y, part, s.channels * s.bytes);
}

// kT output columns of one vector of channels.
template <int kT>
HWY_INLINE void Columns(const DepthwiseRow& args, size_t x, const int32_t* HWY_RESTRICT w,
                        const Store& store, std::byte* y) {
  const SumTag d;
  const size_t lanes = hn::Lanes(d);
  const size_t step = args.stride_w * lanes;
  SumVec even[kT], odd[kT];
  HWY_UNROLL(8)
  for (int t = 0; t < kT; ++t) {
    even[t] = hn::Zero(d);
    odd[t] = hn::Zero(d);
  }
  for (size_t row = 0; row < args.pair_rows; ++row) {
    const int32_t* HWY_RESTRICT at = args.x[row] + x;
    for (size_t tap = 0; tap < args.kernel_w; ++tap) {
      const SumVec wv = hn::Load(d, w);
      w += lanes;
      HWY_UNROLL(8)
      for (int t = 0; t < kT; ++t) {
        const SumVec xv = hn::Load(d, at + static_cast<size_t>(t) * step);
        even[t] = MulPairs(xv, wv, even[t], odd[t]);
        KeepOnce(even[t]);
      }
      at += args.dilation_w * lanes;
    }
  }
  const size_t pitch = args.ldy * store.bytes;
  HWY_UNROLL(8)
  for (int t = 0; t < kT; ++t) {
    const SumVec sum = SumPairs(even[t], odd[t]);
    StoreSum(store, hn::Add(sum, store.bias), y + static_cast<size_t>(t) * pitch);
  }
}

void Row(const DepthwiseRow& args) {
  const SumTag d;
  const RealTag df;
  const size_t lanes = hn::Lanes(d);
  const size_t taps = args.pair_rows * args.kernel_w * lanes;
  const size_t bytes = SumToBytes(args.out.to);
  const size_t pitch = args.ldy * bytes;
  Store store;
  store.to = args.out.to;
  store.bytes = bytes;
  store.rounding = MakeRounding(args.out);
  store.scale = hn::Zero(df);
  for (size_t c = 0; c < args.channels; c += lanes) {
    const size_t vector = c / lanes;
    const size_t x = vector * args.vector_stride;
    const int32_t* w = args.weights + vector * taps;
    store.channels = args.channels - c < lanes ? args.channels - c : lanes;
    store.bias = hn::LoadU(d, args.out.bias + c);
    if (args.out.scale != nullptr) store.scale = hn::LoadU(df, args.out.scale + c);
    std::byte* y = static_cast<std::byte*>(args.y) + c * bytes;
    const size_t step = args.stride_w * lanes;
    size_t o = 0;
    for (; o + kColumns <= args.out_w; o += kColumns) {
      Columns<kColumns>(args, x + o * step, w, store, y + o * pitch);
    }
    if (o + kColumns / 2 <= args.out_w) {
      Columns<kColumns / 2>(args, x + o * step, w, store, y + o * pitch);
      o += kColumns / 2;
    }
    for (; o < args.out_w; ++o) Columns<1>(args, x + o * step, w, store, y + o * pitch);
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

template <class T>
void Pair(const RowPair<T>& args) {
  const SumTag d;
  const size_t lanes = hn::Lanes(d);
  const SumVec zero = hn::Set(d, args.zero);
  const size_t whole = args.channels / lanes;
  const size_t rest = args.channels % lanes;
  for (size_t column = 0; column < args.columns; ++column) {
    const T* upper = args.upper == nullptr ? nullptr : args.upper + column * args.ldx;
    const T* lower = args.lower == nullptr ? nullptr : args.lower + column * args.ldx;
    int32_t* out = args.pair + column * lanes;
    for (size_t v = 0; v < whole; ++v) {
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
