#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct UnaryCase {
  const char* op;
  int since;
  float in, out;
};

TEST(Unary, OneValueEach) {
  const UnaryCase cases[] = {
      {"Abs", 13, -2, 2},
      {"Acos", 7, 0.5f, 1.04719755f},
      {"Acosh", 9, 2, 1.3169579f},
      {"Asin", 7, 0.5f, 0.5235988f},
      {"Asinh", 9, 1, 0.8813736f},
      {"Atan", 7, 1, 0.7853982f},
      {"Atanh", 9, 0.5f, 0.5493061f},
      {"Ceil", 13, 1.2f, 2},
      {"Cos", 7, 1, 0.5403023f},
      {"Cosh", 9, 1, 1.5430806f},
      {"Erf", 13, 0.5f, 0.5204999f},
      {"Exp", 13, 1, 2.7182818f},
      {"Floor", 13, -1.2f, -2},
      {"Log", 13, 2, 0.6931472f},
      {"Neg", 13, 3, -3},
      {"Reciprocal", 13, 4, 0.25f},
      {"Round", 22, 2.5f, 2},
      {"Sign", 13, -3, -1},
      {"Sin", 7, 1, 0.841471f},
      {"Sinh", 9, 1, 1.1752012f},
      {"Sqrt", 13, 2, 1.4142135f},
      {"Tan", 7, 1, 1.5574077f},
      {"Tanh", 13, 0.5f, 0.4621172f},
      {"Relu", 14, -1, 0},
      {"Sigmoid", 13, 1, 0.7310586f},
      {"HardSwish", 14, 1, 0.6666667f},
      {"Softplus", 1, 1, 1.3132616f},
      {"Softsign", 1, -3, -0.75f},
      {"Mish", 18, 1, 0.8650984f},
      {"Round", 11, -1.5f, -2},
      {"Sign", 9, 0, 0},
      {"Relu", 6, 2, 2},
  };
  for (const UnaryCase& c : cases) {
    SCOPED_TRACE(c.op);
    OpCase(c.op, c.since).In<float>({1, 1}, {c.in}).Expect<float>({1, 1}, {c.out}).Run();
    OpCase(c.op, c.since).In<double>({}, {c.in}).Near(1e-6).Expect<double>({}, {c.out}).Run();
    OpCase(c.op, c.since).In<Half>({1}, {c.in}).Near(2e-3).Expect<Half>({1}, {c.out}).Run();
    OpCase(c.op, c.since).In<BFloat16>({1}, {c.in}).Near(2e-2).Expect<BFloat16>({1}, {c.out}).Run();
    OpCase(c.op, c.since).In<float>({0}, {}).Expect<float>({0}, {}).Run();
    OpCase(c.op, c.since).In<float>({1}, {kNan}).Expect<float>({1}, {kNan}).Run();
  }
}

TEST(Unary, Integers) {
  OpCase("Abs", 13).In<int8_t>({2}, {-128, -3}).Expect<int8_t>({2}, {-128, 3}).Run();
  OpCase("Abs", 13).In<uint64_t>({1}, {UINT64_MAX}).Expect<uint64_t>({1}, {UINT64_MAX}).Run();
  OpCase("Neg", 13).In<int64_t>({2}, {INT64_MIN, 5}).Expect<int64_t>({2}, {INT64_MIN, -5}).Run();
  OpCase("Sign", 13).In<uint8_t>({2}, {0, 255}).Expect<uint8_t>({2}, {0, 1}).Run();
  OpCase("Sign", 13).In<int16_t>({2}, {-7, 7}).Expect<int16_t>({2}, {-1, 1}).Run();
  OpCase("Relu", 14).In<int8_t>({2}, {-1, 1}).Expect<int8_t>({2}, {0, 1}).Run();
}

TEST(Unary, NanAndInfinity) {
  OpCase("IsNaN", 20).In<F8E4M3FN>({2}, {kNan, 1}).Expect<bool>({2}, {true, false}).Run();
  OpCase("IsNaN", 13).In<Half>({2}, {kInf, kNan}).Expect<bool>({2}, {false, true}).Run();
  OpCase("IsInf", 20)
      .Attr("detect_negative", 1)
      .Attr("detect_positive", 1)
      .In<float>({3}, {kInf, -kInf, kNan})
      .Expect<bool>({3}, {true, true, false})
      .Run();
  OpCase("IsInf", 10)
      .Attr("detect_negative", 0)
      .Attr("detect_positive", 1)
      .In<double>({3}, {kInf, -kInf, 1})
      .Expect<bool>({3}, {true, false, false})
      .Run();
}

TEST(Activation, WithAttributes) {
  OpCase("LeakyRelu", 16)
      .Attr("alpha", 0.1f)
      .In<float>({2}, {-1, 1})
      .Expect<float>({2}, {-0.1f, 1})
      .Run();
  OpCase("Elu", 6)
      .Attr("alpha", 2.0f)
      .In<float>({2}, {-1, 1})
      .Expect<float>({2}, {-1.2642411f, 1})
      .Run();
  OpCase("Celu", 12)
      .Attr("alpha", 2.0f)
      .In<float>({2}, {-1, 1})
      .Expect<float>({2}, {-0.7869387f, 1})
      .Run();
  OpCase("Selu", 6)
      .Attr("alpha", 2.0f)
      .Attr("gamma", 3.0f)
      .In<float>({2}, {-1, 1})
      .Expect<float>({2}, {-3.7927234f, 3})
      .Run();
  OpCase("ThresholdedRelu", 10)
      .Attr("alpha", 2.0f)
      .In<float>({3}, {1, 2, 3})
      .Expect<float>({3}, {0, 0, 3})
      .Run();
  OpCase("HardSigmoid", 6)
      .Attr("alpha", 0.5f)
      .Attr("beta", 0.6f)
      .In<float>({3}, {-1, 0, 1})
      .Expect<float>({3}, {0.1f, 0.6f, 1})
      .Run();
  OpCase("Swish", 24)
      .Attr("alpha", 2.0f)
      .In<float>({1}, {1})
      .Expect<float>({1}, {0.8807971f})
      .Run();
  OpCase("Gelu", 20)
      .Attr("approximate", "none")
      .In<float>({1}, {1})
      .Expect<float>({1}, {0.8413447f})
      .Run();
  OpCase("Gelu", 20)
      .Attr("approximate", "tanh")
      .In<float>({1}, {1})
      .Expect<float>({1}, {0.841192f})
      .Run();
  OpCase("Shrink", 9)
      .Attr("lambd", 1.5f)
      .Attr("bias", 1.5f)
      .In<float>({3}, {-2, 1, 2})
      .Expect<float>({3}, {-0.5f, 0, 0.5f})
      .Run();
  OpCase("Shrink", 9)
      .Attr("lambd", 1.5f)
      .Attr("bias", 1.0f)
      .In<int8_t>({3}, {-2, 1, 127})
      .Expect<int8_t>({3}, {-1, 0, 126})
      .Run();
  OpCase("SwiGLU", 28)
      .Attr("alpha", 1.0f)
      .In<float>({1}, {1})
      .In<float>({1}, {2})
      .Expect<float>({1}, {1.4621172f})
      .Run();
}

TEST(Clip, EveryFormOfLimits) {
  OpCase("Clip", 6)
      .Attr("min", -1.0f)
      .Attr("max", 1.0f)
      .In<float>({4}, {-2, 0, 2, kNan})
      .Expect<float>({4}, {-1, 0, 1, kNan})
      .Run();
  OpCase("Clip", 1).Attr("max", 1.0f).In<float>({2}, {-2, 2}).Expect<float>({2}, {-2, 1}).Run();
  OpCase("Clip", 13)
      .In<int8_t>({3}, {-5, 0, 5})
      .In<int8_t>({}, {-1})
      .In<int8_t>({1}, {1})
      .Expect<int8_t>({3}, {-1, 0, 1})
      .Run();
  OpCase("Clip", 13)
      .In<float>({2}, {-5, 5})
      .Omit()
      .In<float>({}, {1})
      .Expect<float>({2}, {-5, 1})
      .Run();
  OpCase("Clip", 13)
      .In<float>({2}, {-5, 5})
      .In<float>({}, {3})
      .In<float>({}, {1})
      .Expect<float>({2}, {1, 1})
      .Run();
  OpCase("Clip", 13)
      .In<float>({2}, {-5, 5})
      .In<float>({2}, {1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "must be a scalar");
}

}  // namespace
}  // namespace waybill::kernel
