// One step of one sample through a recurrent cell, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/reference/nn/rnn/recurrent.h"

namespace waybill::kernel::reference {

// Weights of one direction, row-major: W [gates * hidden, inputs], R [gates * hidden, hidden],
// B [2 * gates * hidden] (of W, then of R) and P [3 * hidden]; B and P may be null.
template <typename T>
struct CellWeights {
  const T* w;
  const T* r;
  const T* b;
  const T* p;
  int64_t inputs, hidden;
  const RnnActivation* activations;
};

// State and working space of one sample: `hidden` doubles each, `gate` gates times as many.
struct CellState {
  double* h;
  double* c;
  double* gate;
  double* next;
};

template <typename T, typename V>
double Dot(const T* row, const V* v, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += static_cast<double>(row[i]) * static_cast<double>(v[i]);
  return sum;
}

// x of the input weights plus bias of gate row `row`.
template <typename T>
double InputPart(const CellWeights<T>& weights, const T* x, int64_t row) {
  const double bias = weights.b == nullptr ? 0.0 : static_cast<double>(weights.b[row]);
  return Dot(weights.w + row * weights.inputs, x, weights.inputs) + bias;
}

// `h` of the recurrence weights plus bias of gate row `row`, of `rows` in all.
template <typename T>
double HiddenPart(const CellWeights<T>& weights, const double* h, int64_t row, int64_t rows) {
  const double bias = weights.b == nullptr ? 0.0 : static_cast<double>(weights.b[rows + row]);
  return Dot(weights.r + row * weights.hidden, h, weights.hidden) + bias;
}

inline double Clipped(const RecurrentParams& p, double v) {
  return p.clip ? std::clamp(v, -*p.clip, *p.clip) : v;
}

template <typename T>
void RnnStep(const RecurrentParams& p, const CellWeights<T>& weights, const T* x, CellState& s) {
  for (int64_t i = 0; i < weights.hidden; ++i) {
    const double v = InputPart(weights, x, i) + HiddenPart(weights, s.h, i, weights.hidden);
    s.next[i] = weights.activations[0](Clipped(p, v));
  }
  std::copy_n(s.next, weights.hidden, s.h);
}

// Gate rows: update z, reset r, hidden h.
template <typename T>
void GruStep(const RecurrentParams& p, const CellWeights<T>& weights, const T* x, CellState& s) {
  const int64_t n = weights.hidden, rows = 3 * n;
  const RnnActivation &f = weights.activations[0], &g = weights.activations[1];
  for (int64_t i = 0; i < 2 * n; ++i) {
    s.gate[i] = f(Clipped(p, InputPart(weights, x, i) + HiddenPart(weights, s.h, i, rows)));
  }
  double* const z = s.gate;
  double* const r = s.gate + n;
  double* const reset = s.gate + 2 * n;
  for (int64_t i = 0; i < n; ++i) reset[i] = r[i] * s.h[i];
  for (int64_t i = 0; i < n; ++i) {
    const double hidden = p.linear_before_reset ? r[i] * HiddenPart(weights, s.h, 2 * n + i, rows)
                                                : HiddenPart(weights, reset, 2 * n + i, rows);
    s.next[i] = g(Clipped(p, InputPart(weights, x, 2 * n + i) + hidden));
  }
  for (int64_t i = 0; i < n; ++i) s.h[i] = (1 - z[i]) * s.next[i] + z[i] * s.h[i];
}

// Gate rows: input i, output o, forget f, cell c; peepholes i, o, f.
template <typename T>
void LstmStep(const RecurrentParams& p, const CellWeights<T>& weights, const T* x, CellState& s) {
  const int64_t n = weights.hidden, rows = 4 * n;
  const RnnActivation &f = weights.activations[0], &g = weights.activations[1],
                      &h = weights.activations[2];
  for (int64_t i = 0; i < rows; ++i) {
    s.gate[i] = InputPart(weights, x, i) + HiddenPart(weights, s.h, i, rows);
  }
  const auto peephole = [&](int64_t i) {
    return weights.p == nullptr ? 0.0 : static_cast<double>(weights.p[i]);
  };
  for (int64_t i = 0; i < n; ++i) {
    const double old_c = s.c[i];
    const double in = f(Clipped(p, s.gate[i] + peephole(i) * old_c));
    const double forget =
        p.input_forget ? 1 - in : f(Clipped(p, s.gate[2 * n + i] + peephole(2 * n + i) * old_c));
    const double candidate = g(Clipped(p, s.gate[3 * n + i]));
    s.c[i] = forget * old_c + in * candidate;
    const double out = f(Clipped(p, s.gate[n + i] + peephole(n + i) * s.c[i]));
    s.h[i] = out * h(s.c[i]);
  }
}

}  // namespace waybill::kernel::reference
