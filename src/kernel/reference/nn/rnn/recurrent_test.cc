#include <cmath>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(RnnTest, WalksForwardAndBackward) {
  // One unit with identity activation: h = 2 x + 3 h.
  OpCase("RNN", 14)
      .In<float>({2, 1, 1}, {1, 10})
      .In<float>({2, 1, 1}, {2, 2})
      .In<float>({2, 1, 1}, {3, 3})
      .Attr("hidden_size", 1)
      .Attr("direction", "bidirectional")
      .Attr("activations", std::vector<std::string>{"Affine", "Affine"})
      .Expect<float>({2, 2, 1, 1}, {2, 62, 26, 20})
      .Expect<float>({2, 1, 1}, {26, 62})
      .Run();
}

TEST(RnnTest, ShortSequencesEndInZeros) {
  OpCase("RNN", 7)
      .In<float>({2, 2, 1}, {1, 1, 1, 1})
      .In<float>({1, 1, 1}, {1})
      .In<float>({1, 1, 1}, {1})
      .Omit()
      .In<int32_t>({2}, {1, 2})
      .Attr("hidden_size", 1)
      .Attr("activations", std::vector<std::string>{"Relu"})
      .Expect<float>({2, 1, 2, 1}, {1, 1, 0, 2})
      .Expect<float>({1, 2, 1}, {1, 2})
      .Run();
  OpCase("RNN", 7)
      .In<float>({1, 1, 1}, {1})
      .In<float>({1, 1, 1}, {1})
      .In<float>({1, 1, 1}, {1})
      .Omit()
      .In<int32_t>({1}, {2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "sequence_lens[0] is 2");
}

TEST(GruTest, LinearBeforeResetChangesTheOrder) {
  const double z = Sigmoid(1), r = Sigmoid(2);
  for (const int64_t linear : {0, 1}) {
    // W rows z, r, h and R rows likewise; B adds 1 to the recurrent part of h.
    const double recurrent = linear != 0 ? r * (1 * 4 + 1) : r * 4 + 1;
    const double h = (1 - z) * std::tanh(0.1 + recurrent) + z * 4;
    OpCase("GRU", 7)
        .In<double>({1, 1, 1}, {1})
        .In<double>({1, 3, 1}, {1, 2, 0.1})
        .In<double>({1, 3, 1}, {0, 0, 1})
        .In<double>({1, 6}, {0, 0, 0, 0, 0, 1})
        .Omit()
        .In<double>({1, 1, 1}, {4})
        .Attr("linear_before_reset", linear)
        .Expect<double>({1, 1, 1, 1}, {h})
        .Run();
  }
}

TEST(LstmTest, PeepholesAndBatchFirstLayout) {
  const double c0 = 2;
  const double i = Sigmoid(1 + 0.5 * c0), f = Sigmoid(3 + 0.25 * c0);
  const double c = f * c0 + i * std::tanh(4.0);
  const double h = Sigmoid(2 + 0.1 * c) * std::tanh(c);
  OpCase("LSTM", 14)
      .In<double>({1, 1, 1}, {1})
      .In<double>({1, 4, 1}, {1, 2, 3, 4})
      .In<double>({1, 4, 1}, {0, 0, 0, 0})
      .Omit()
      .Omit()
      .Omit()
      .In<double>({1, 1, 1}, {c0})
      .In<double>({1, 3}, {0.5, 0.1, 0.25})
      .Attr("hidden_size", 1)
      .Attr("layout", 1)
      .Expect<double>({1, 1, 1, 1}, {h})
      .Expect<double>({1, 1, 1}, {h})
      .Expect<double>({1, 1, 1}, {c})
      .Near(1e-6)
      .Run();
}

TEST(RecurrentTest, WrongWeightsFail) {
  OpCase("GRU", 7)
      .In<float>({1, 1, 1}, {1})
      .In<float>({1, 2, 1}, {1, 1})
      .In<float>({1, 3, 1}, {1, 1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "W has shape");
}

}  // namespace
}  // namespace waybill::kernel
