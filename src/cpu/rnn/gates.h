// What recurrent cells do between their matrix products, for one sample and step at a time.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// All rows have `hidden` floats; none overlap unless said.
struct LstmGates {
  const float* gates = nullptr;     // [4][hidden]: input, output, forget, cell, before activation
  float* c = nullptr;               // old state in, new state out
  float* h = nullptr;               // new state out
  const float* peephole = nullptr;  // [3][hidden]: input, output, forget; or null
  bool limited = false;             // the arguments of gate activations are cut to +-clip
  float clip = 0;
  bool input_forget = false;  // forget = 1 - input
  size_t hidden = 0;
};

// GRU with gates [3][hidden]: update z, reset r, hidden, before activation.
struct GruGates {
  float* gates = nullptr;
  // h R^T + bias of all three gates, added here; null where `gates` has it already.
  const float* recurrent = nullptr;
  float* h = nullptr;  // old state in, new state out
  bool limited = false;
  float clip = 0;
  size_t hidden = 0;
};

struct RnnGates {
  const float* gate = nullptr;
  float* h = nullptr;
  bool limited = false;
  float clip = 0;
  size_t hidden = 0;
};

struct RnnTable {
  // Sigmoid for gates, tanh for the cell and the output.
  void (*lstm)(const LstmGates&) = nullptr;
  // The whole step where the reset gate applies to the product (linear_before_reset): `recurrent`
  // is given.
  void (*gru_linear)(const GruGates&) = nullptr;
  // The other form in two parts. First: z and r from their gates, in place; reset[i] = r * h.
  void (*gru_reset)(const GruGates&, float* reset) = nullptr;
  // Second, when the third gate is complete: the new state.
  void (*gru_update)(const GruGates&) = nullptr;
  void (*rnn_tanh)(const RnnGates&) = nullptr;
  void (*rnn_relu)(const RnnGates&) = nullptr;
};

const RnnTable& RnnFunctions(SimdTarget target);

}  // namespace waybill::cpu
