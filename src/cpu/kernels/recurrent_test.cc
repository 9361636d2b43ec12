// RNN, GRU and LSTM against their reference kernels.
#include <gtest/gtest.h>

#include "cpu/kernels/testing/matrix_case.h"

namespace waybill::cpu {
namespace {

struct Dims {
  int64_t steps, batch, inputs, hidden;
};

struct Options {
  std::string direction = "forward";
  bool batch_first = false, bias = true, lengths = false, initial = false, peephole = false;
  bool constant = true, outputs = true, flag = false;  // linear_before_reset or input_forget
  float clip = 0;
};

Tensor Small(const Shape& shape, uint32_t seed) {
  Tensor t = Random(shape, seed);
  for (float& v : t.span<float>()) v *= 0.25f;
  return t;
}

Tensor Lengths(const std::vector<int64_t>& values) {
  Tensor out = RandomOf(DType::kI32, {static_cast<int64_t>(values.size())}, 1);
  for (size_t i = 0; i < values.size(); ++i) {
    out.span<int32_t>()[i] = static_cast<int32_t>(values[i]);
  }
  return out;
}

MatrixCase Make(const std::string& op, const Dims& d, const Options& o) {
  const int64_t directions = o.direction == "bidirectional" ? 2 : 1;
  const int64_t rows = d.hidden * (op == "LSTM" ? 4 : op == "GRU" ? 3 : 1);
  MatrixCase c;
  c.op = op;
  c.version = 14;
  c.inputs = {
      Small(o.batch_first ? Shape{d.batch, d.steps, d.inputs} : Shape{d.steps, d.batch, d.inputs},
            1),
      Small({directions, rows, d.inputs}, 2), Small({directions, rows, d.hidden}, 3),
      o.bias ? Small({directions, 2 * rows}, 4) : Tensor()};
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < d.batch; ++i) lengths.push_back(i % (d.steps + 1));
  c.inputs.push_back(o.lengths ? Lengths(lengths) : Tensor());
  const Shape state =
      o.batch_first ? Shape{d.batch, directions, d.hidden} : Shape{directions, d.batch, d.hidden};
  c.inputs.push_back(o.initial ? Small(state, 5) : Tensor());
  if (op == "LSTM") {
    c.inputs.push_back(o.initial ? Small(state, 6) : Tensor());
    c.inputs.push_back(o.peephole ? Small({directions, 3 * d.hidden}, 7) : Tensor());
  }
  if (o.constant) c.constants = {1, 2};
  c.outputs = {o.outputs ? DType::kF32 : DType::kUndefined, DType::kF32};
  if (op == "LSTM") c.outputs.push_back(DType::kF32);
  c.Text("direction", o.direction).Int("hidden_size", d.hidden).Int("layout", o.batch_first);
  if (op == "GRU") c.Int("linear_before_reset", o.flag);
  if (op == "LSTM") c.Int("input_forget", o.flag);
  if (o.clip > 0) c.Real("clip", o.clip);
  return c;
}

void Check(const std::string& op, const Dims& d, const Options& o) {
  SCOPED_TRACE(testing::Message() << op << " " << d.steps << " " << d.batch << " " << d.inputs
                                  << " " << d.hidden << " " << o.direction << o.batch_first
                                  << o.lengths << o.flag);
  const std::string impl = op == "LSTM" ? "lstm.packed" : op == "GRU" ? "gru.packed" : "rnn.packed";
  Make(op, d, o).Agrees(impl, 1e-4, 1e-5);
}

const char* const kOps[] = {"RNN", "GRU", "LSTM"};

TEST(Recurrent, Sizes) {
  for (const char* op : kOps) {
    for (const int64_t hidden : {1, 3, 8, 13, 64}) Check(op, {3, 2, 5, hidden}, {});
    for (const int64_t batch : {0, 1, 3, 9}) Check(op, {4, batch, 6, 10}, {});
    for (const int64_t steps : {0, 1, 7}) Check(op, {steps, 1, 6, 10}, {});
    Check(op, {2, 2, 0, 4}, {});
  }
}

TEST(Recurrent, DirectionsLayoutsAndLengths) {
  for (const char* op : kOps) {
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
        Options o;
        o.direction = direction;
        o.batch_first = (flags & 1) != 0;
        o.lengths = (flags & 2) != 0;
        o.initial = o.flag = o.peephole = (flags & 4) != 0;
        Check(op, {5, 4, 7, 9}, o);
      }
    }
  }
}

TEST(Recurrent, Options) {
  for (const char* op : kOps) {
    for (const bool flag : {false, true}) {
      Options o;
      o.flag = flag;
      o.clip = 0.2f;
      o.initial = true;
      Check(op, {4, 2, 7, 9}, o);
      o.bias = false;
      Check(op, {4, 2, 7, 9}, o);
      o.constant = o.outputs = false;
      Check(op, {4, 2, 7, 9}, o);
    }
  }
}

TEST(Recurrent, BothDirectionsOnTwoThreads) {
  Options o;
  o.direction = "bidirectional";
  for (const char* op : kOps) Check(op, {4, 20, 100, 64}, o);
}

TEST(Recurrent, Activations) {
  MatrixCase relu = Make("RNN", {3, 2, 4, 5}, {});
  relu.attrs.Set("activations", std::vector<std::string>{"Relu"});
  relu.Agrees("rnn.packed", 1e-4, 1e-5);
  MatrixCase other = Make("LSTM", {3, 2, 4, 5}, {});
  other.attrs.Set("activations", std::vector<std::string>{"Sigmoid", "Softsign", "Tanh"});
  other.Refused("activations");
}

TEST(Recurrent, WrongShapesAndLengths) {
  MatrixCase c = Make("LSTM", {3, 2, 4, 5}, {});
  c.inputs[2] = Small({1, 20, 4}, 1);
  c.Fails("W has shape");
  MatrixCase lengths = Make("GRU", {3, 2, 4, 5}, {});
  lengths.inputs[4] = Lengths({1, 4});
  lengths.Fails("sequence_lens[1] is 4");
}

}  // namespace
}  // namespace waybill::cpu
