#include "cpu/rnn/gates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/rnn/gates.cc"
#include "cpu/simd/highway.h"
// Highway's headers come first.
#include "cpu/simd/math-inl.h"
#include "cpu/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// Loads and stores of `count` lanes at one place in every row.
template <bool kPart>
struct Lanes {
  size_t count;

  HWY_INLINE Vec Load(const float* from) const {
    if (kPart) return LoadFirst(Tag(), from, count);
    return hn::LoadU(Tag(), from);
  }
  HWY_INLINE void Store(Vec v, float* to) const {
    if (kPart) {
      StoreFirst(Tag(), v, to, count);
    } else {
      hn::StoreU(v, Tag(), to);
    }
  }
};

HWY_INLINE Vec Limit(bool limited, float clip, Vec v) {
  const Tag d;
  if (!limited) return v;
  return ClampKeepingNan(d, v, hn::Set(d, -clip), hn::Set(d, clip));
}

template <class L>
HWY_INLINE void LstmAt(const LstmGates& g, size_t i, L lanes) {
  const Tag d;
  const size_t n = g.hidden;
  Vec in = lanes.Load(g.gates + i);
  Vec out = lanes.Load(g.gates + n + i);
  Vec forget = lanes.Load(g.gates + 2 * n + i);
  const Vec cell = lanes.Load(g.gates + 3 * n + i);
  const Vec old_c = lanes.Load(g.c + i);
  if (g.peephole != nullptr) {
    in = hn::MulAdd(lanes.Load(g.peephole + i), old_c, in);
    forget = hn::MulAdd(lanes.Load(g.peephole + 2 * n + i), old_c, forget);
  }
  in = Sigmoid(d, Limit(g.limited, g.clip, in));
  if (g.input_forget) {
    forget = hn::Sub(hn::Set(d, 1.0f), in);
  } else {
    forget = Sigmoid(d, Limit(g.limited, g.clip, forget));
  }
  const Vec candidate = Tanh(d, Limit(g.limited, g.clip, cell));
  const Vec c = hn::MulAdd(forget, old_c, hn::Mul(in, candidate));
  if (g.peephole != nullptr) out = hn::MulAdd(lanes.Load(g.peephole + n + i), c, out);
  out = Sigmoid(d, Limit(g.limited, g.clip, out));
  lanes.Store(c, g.c + i);
  lanes.Store(hn::Mul(out, Tanh(d, c)), g.h + i);
}

// (1 - z) * candidate + z * h.
template <class L>
HWY_INLINE void Blend(const GruGates& g, size_t i, Vec z, Vec candidate, L lanes) {
  const Tag d;
  const Vec h = lanes.Load(g.h + i);
  const Vec kept = hn::Mul(z, h);
  lanes.Store(hn::MulAdd(hn::Sub(hn::Set(d, 1.0f), z), candidate, kept), g.h + i);
}

template <class L>
HWY_INLINE void GruLinearAt(const GruGates& g, size_t i, L lanes) {
  const Tag d;
  const size_t n = g.hidden;
  const Vec z_in = hn::Add(lanes.Load(g.gates + i), lanes.Load(g.recurrent + i));
  const Vec r_in = hn::Add(lanes.Load(g.gates + n + i), lanes.Load(g.recurrent + n + i));
  const Vec z = Sigmoid(d, Limit(g.limited, g.clip, z_in));
  const Vec r = Sigmoid(d, Limit(g.limited, g.clip, r_in));
  const Vec hidden =
      hn::MulAdd(r, lanes.Load(g.recurrent + 2 * n + i), lanes.Load(g.gates + 2 * n + i));
  Blend(g, i, z, Tanh(d, Limit(g.limited, g.clip, hidden)), lanes);
}

template <class L>
HWY_INLINE void GruResetAt(const GruGates& g, size_t i, float* reset, L lanes) {
  const Tag d;
  const size_t n = g.hidden;
  const Vec z = Sigmoid(d, Limit(g.limited, g.clip, lanes.Load(g.gates + i)));
  const Vec r = Sigmoid(d, Limit(g.limited, g.clip, lanes.Load(g.gates + n + i)));
  lanes.Store(z, g.gates + i);
  lanes.Store(hn::Mul(r, lanes.Load(g.h + i)), reset + i);
}

template <class L>
HWY_INLINE void GruUpdateAt(const GruGates& g, size_t i, L lanes) {
  const Tag d;
  const Vec hidden = lanes.Load(g.gates + 2 * g.hidden + i);
  const Vec candidate = Tanh(d, Limit(g.limited, g.clip, hidden));
  Blend(g, i, lanes.Load(g.gates + i), candidate, lanes);
}

template <bool kRelu, class L>
HWY_INLINE void RnnAt(const RnnGates& g, size_t i, L lanes) {
  const Tag d;
  const Vec v = Limit(g.limited, g.clip, lanes.Load(g.gate + i));
  lanes.Store(kRelu ? AtLeast(hn::Zero(d), v) : Tanh(d, v), g.h + i);
}

void Lstm(const LstmGates& g) {
  const size_t lanes = hn::Lanes(Tag());
  size_t i = 0;
  for (; i + lanes <= g.hidden; i += lanes) LstmAt(g, i, Lanes<false>{lanes});
  if (i < g.hidden) LstmAt(g, i, Lanes<true>{g.hidden - i});
}

void GruLinear(const GruGates& g) {
  const size_t lanes = hn::Lanes(Tag());
  size_t i = 0;
  for (; i + lanes <= g.hidden; i += lanes) GruLinearAt(g, i, Lanes<false>{lanes});
  if (i < g.hidden) GruLinearAt(g, i, Lanes<true>{g.hidden - i});
}

void GruReset(const GruGates& g, float* reset) {
  const size_t lanes = hn::Lanes(Tag());
  size_t i = 0;
  for (; i + lanes <= g.hidden; i += lanes) GruResetAt(g, i, reset, Lanes<false>{lanes});
  if (i < g.hidden) GruResetAt(g, i, reset, Lanes<true>{g.hidden - i});
}

void GruUpdate(const GruGates& g) {
  const size_t lanes = hn::Lanes(Tag());
  size_t i = 0;
  for (; i + lanes <= g.hidden; i += lanes) GruUpdateAt(g, i, Lanes<false>{lanes});
  if (i < g.hidden) GruUpdateAt(g, i, Lanes<true>{g.hidden - i});
}

template <bool kRelu>
void Rnn(const RnnGates& g) {
  const size_t lanes = hn::Lanes(Tag());
  size_t i = 0;
  for (; i + lanes <= g.hidden; i += lanes) RnnAt<kRelu>(g, i, Lanes<false>{lanes});
  if (i < g.hidden) RnnAt<kRelu>(g, i, Lanes<true>{g.hidden - i});
}

constexpr RnnTable kRnnFunctions = {Lstm, GruLinear, GruReset, GruUpdate, Rnn<false>, Rnn<true>};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const RnnTable& RnnFunctions(SimdTarget target) { WB_SIMD_TABLE(target, kRnnFunctions) }

}  // namespace waybill::cpu
#endif
