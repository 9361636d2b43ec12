// MultiHeadAttention and RotaryEmbedding against their reference kernels.
#include <gtest/gtest.h>

#include "cpu/kernels/testing/matrix_case.h"

namespace waybill::cpu {
namespace {

struct Dims {
  int64_t batch, heads, queries, keys, size, v_size, past;
};

MatrixCase Attention(const Dims& d) {
  MatrixCase c;
  c.op = "MultiHeadAttention";
  c.domain = "com.microsoft";
  c.inputs = {Random({d.batch, d.queries, d.heads * d.size}, 1),
              Random({d.batch, d.keys, d.heads * d.size}, 2),
              Random({d.batch, d.keys, d.heads * d.v_size}, 3)};
  c.inputs.resize(8);
  if (d.past >= 0) {
    c.inputs[6] = Random({d.batch, d.heads, d.past, d.size}, 4);
    c.inputs[7] = Random({d.batch, d.heads, d.past, d.v_size}, 5);
  }
  return c.Int("num_heads", d.heads);
}

void Check(const MatrixCase& c) { c.Agrees("multi_head_attention.products", 1e-4, 1e-5); }

TEST(MultiHeadAttention, Sizes) {
  for (const Dims& d :
       {Dims{2, 3, 5, 7, 8, 8, -1}, Dims{1, 1, 8, 8, 16, 16, 0}, Dims{2, 2, 1, 1, 16, 12, 30},
        Dims{1, 4, 30, 30, 64, 64, 3}, Dims{0, 2, 3, 3, 4, 4, -1}, Dims{1, 2, 0, 3, 4, 4, 2},
        Dims{2, 4, 64, 70, 32, 32, -1}}) {
    MatrixCase c = Attention(d);
    Check(c);
    c.Real("scale", 0.3f);
    c.outputs = {DType::kF32, DType::kF32, DType::kF32};
    if (d.past >= 0) Check(c);
    for (const Shape& bias : {Shape{d.batch, d.heads, 0, 0}, Shape{1, 1, 0, 0}}) {
      c.inputs[5] = Random({bias[0], bias[1], d.queries, d.keys + std::max<int64_t>(d.past, 0)}, 6);
      c.outputs = {DType::kF32};
      Check(c);
    }
  }
}

TEST(MultiHeadAttention, WhatItDoesNotTake) {
  MatrixCase c = Attention({2, 3, 5, 7, 8, 8, -1});
  c.inputs[3] = Random({72}, 1);
  c.Refused("a bias");
  MatrixCase shape = Attention({2, 3, 5, 7, 8, 8, -1});
  shape.inputs[1] = Random({2, 7, 23}, 1);
  shape.Fails("do not fit");
  MatrixCase past = Attention({2, 3, 5, 7, 8, 8, 4});
  past.inputs[7] = Random({2, 3, 5, 8}, 1);
  past.Fails("past_value has shape");
}

TEST(RotaryEmbedding, Layouts) {
  for (const bool interleaved : {false, true}) {
    for (const int64_t rotary : {0, 4}) {
      for (const bool outside : {false, true}) {
        MatrixCase c;
        c.op = "RotaryEmbedding";
        c.domain = "com.microsoft";
        const int64_t half = rotary == 0 ? 5 : rotary / 2;
        Tensor ids = RandomOf(DType::kI64, {2, 3}, 1);
        for (size_t i = 0; i < 6; ++i) ids.span<int64_t>()[i] = static_cast<int64_t>(i * 7 % 9);
        c.inputs = {Random(outside ? Shape{2, 4, 3, 10} : Shape{2, 3, 40}, 1), ids,
                    Random({9, half}, 2), Random({9, half}, 3)};
        c.Int("interleaved", interleaved).Int("rotary_embedding_dim", rotary).Int("num_heads", 4);
        c.Agrees("ms_rotary_embedding.float", 1e-5, 1e-5);
        ids.span<int64_t>()[5] = 9;
        c.Fails("position 9 is outside");
      }
    }
  }
  MatrixCase empty;
  empty.op = "RotaryEmbedding";
  empty.domain = "com.microsoft";
  empty.inputs = {Random({1, 0, 4}, 1), RandomOf(DType::kI64, {1, 0}, 1), Random({9, 2}, 2),
                  Random({9, 2}, 3)};
  empty.Agrees("ms_rotary_embedding.float", 1e-5, 1e-5);
}

}  // namespace
}  // namespace waybill::cpu
