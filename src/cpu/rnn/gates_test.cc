#include "cpu/rnn/gates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace waybill::cpu {
namespace {

constexpr size_t kMost = 70;  // past four vectors of the widest target
constexpr float kGuard = 77;
constexpr float kClip = 0.75f;

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

// `size` numbers that begin at element `begin`, one guard behind them.
struct Row {
  Row(size_t size, size_t begin, uint32_t seed) : all(begin + size + 1, kGuard), offset(begin) {
    std::mt19937 random(seed);
    for (size_t i = 0; i < size; ++i) data()[i] = static_cast<float>(random() % 4001) / 1000 - 2;
  }
  float* data() { return all.data() + offset; }
  double operator[](size_t i) const { return static_cast<double>(all[offset + i]); }

  std::vector<float> all;
  size_t offset;
};

struct Case {
  const RnnTable& table;
  size_t n, offset;
  bool limited;

  double Limit(double v) const {
    return limited ? std::clamp(v, -double{kClip}, double{kClip}) : v;
  }
  Row Make(size_t size, uint32_t seed) const { return Row(size, offset, seed); }
};

// Every target, every hidden size, rows that begin at odd elements too, with and without a limit.
template <class F>
void ForEachCase(F&& f) {
  for (const SimdTarget target : AvailableTargets()) {
    for (size_t n = 0; n <= kMost; ++n) {
      for (const size_t offset : {0, 1}) {
        for (const bool limited : {false, true}) {
          SCOPED_TRACE(testing::Message() << SimdTargetName(target) << " " << n << "+" << offset
                                          << (limited ? " limited" : ""));
          f(Case{RnnFunctions(target), n, offset, limited});
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

void ExpectLstm(const Case& c, bool peephole, bool input_forget) {
  const size_t n = c.n;
  Row gates = c.Make(4 * n, 1), state = c.Make(n, 2), h = c.Make(n, 3), peep = c.Make(3 * n, 4);
  const Row old = state;
  LstmGates g;
  g.gates = gates.data();
  g.c = state.data();
  g.h = h.data();
  g.peephole = peephole ? peep.data() : nullptr;
  g.limited = c.limited;
  g.clip = kClip;
  g.input_forget = input_forget;
  g.hidden = n;
  c.table.lstm(g);
  for (size_t i = 0; i < n; ++i) {
    const double p_in = peephole ? peep[i] : 0, p_out = peephole ? peep[n + i] : 0;
    const double p_forget = peephole ? peep[2 * n + i] : 0;
    const double in = Sigmoid(c.Limit(gates[i] + p_in * old[i]));
    double forget = 1 - in;
    if (!input_forget) forget = Sigmoid(c.Limit(gates[2 * n + i] + p_forget * old[i]));
    const double next = forget * old[i] + in * std::tanh(c.Limit(gates[3 * n + i]));
    const double out = Sigmoid(c.Limit(gates[n + i] + p_out * next));
    ASSERT_NEAR(state[i], next, 2e-6) << i;
    ASSERT_NEAR(h[i], out * std::tanh(next), 2e-6) << i;
  }
  ASSERT_EQ(state.all.back(), kGuard);
  ASSERT_EQ(h.all.back(), kGuard);
}

TEST(RecurrentGates, Lstm) {
  ForEachCase([](const Case& c) {
    for (const bool peephole : {false, true}) {
      for (const bool input_forget : {false, true}) ExpectLstm(c, peephole, input_forget);
    }
  });
}

TEST(RecurrentGates, GruWithLinearBeforeReset) {
  ForEachCase([](const Case& c) {
    const size_t n = c.n;
    Row gates = c.Make(3 * n, 1), recurrent = c.Make(3 * n, 2), h = c.Make(n, 3);
    const Row old = h;
    c.table.gru_linear({gates.data(), recurrent.data(), h.data(), c.limited, kClip, n});
    for (size_t i = 0; i < n; ++i) {
      const double z = Sigmoid(c.Limit(gates[i] + recurrent[i]));
      const double r = Sigmoid(c.Limit(gates[n + i] + recurrent[n + i]));
      const double hidden = std::tanh(c.Limit(gates[2 * n + i] + r * recurrent[2 * n + i]));
      ASSERT_NEAR(h[i], (1 - z) * hidden + z * old[i], 2e-6) << i;
    }
    ASSERT_EQ(h.all.back(), kGuard);
  });
}

TEST(RecurrentGates, GruInTwoParts) {
  ForEachCase([](const Case& c) {
    const size_t n = c.n;
    Row gates = c.Make(3 * n, 1), h = c.Make(n, 2), reset = c.Make(n, 3);
    const Row before = gates, old = h;
    const GruGates g{gates.data(), nullptr, h.data(), c.limited, kClip, n};
    c.table.gru_reset(g, reset.data());
    for (size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(gates[i], Sigmoid(c.Limit(before[i])), 2e-6) << i;
      ASSERT_NEAR(reset[i], Sigmoid(c.Limit(before[n + i])) * old[i], 2e-6) << i;
    }
    c.table.gru_update(g);
    for (size_t i = 0; i < n; ++i) {
      const double hidden = std::tanh(c.Limit(before[2 * n + i]));
      ASSERT_NEAR(h[i], (1 - gates[i]) * hidden + gates[i] * old[i], 2e-6) << i;
    }
    ASSERT_EQ(reset.all.back(), kGuard);
    ASSERT_EQ(gates.all.back(), kGuard);
    ASSERT_EQ(h.all.back(), kGuard);
  });
}

TEST(RecurrentGates, Rnn) {
  ForEachCase([](const Case& c) {
    Row gate = c.Make(c.n, 1), h = c.Make(c.n, 2), positive = c.Make(c.n, 3);
    c.table.rnn_tanh({gate.data(), h.data(), c.limited, kClip, c.n});
    c.table.rnn_relu({gate.data(), positive.data(), c.limited, kClip, c.n});
    for (size_t i = 0; i < c.n; ++i) {
      ASSERT_NEAR(h[i], std::tanh(c.Limit(gate[i])), 2e-6) << i;
      ASSERT_NEAR(positive[i], std::max(0.0, c.Limit(gate[i])), 1e-7) << i;
    }
    ASSERT_EQ(h.all.back(), kGuard);
    ASSERT_EQ(positive.all.back(), kGuard);
  });
}

}  // namespace
}  // namespace waybill::cpu
