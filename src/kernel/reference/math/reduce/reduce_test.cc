#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct ReduceCase {
  const char* op;
  float rows[2];  // over the last axis of {{1, 2, 3}, {-4, 5, -6}}
  float empty;
};

TEST(Reduce, EveryOperation) {
  const ReduceCase cases[] = {
      {"ReduceSum", {6, -5}, 0},
      {"ReduceMean", {2, -5.0f / 3}, kNan},
      {"ReduceMax", {3, 5}, -kInf},
      {"ReduceMin", {1, -6}, kInf},
      {"ReduceProd", {6, 120}, 1},
      {"ReduceL1", {6, 15}, 0},
      {"ReduceL2", {std::sqrt(14.0f), std::sqrt(77.0f)}, 0},
      {"ReduceSumSquare", {14, 77}, 0},
      {"ReduceLogSum", {std::log(6.0f), kNan}, -kInf},
      {"ReduceLogSumExp", {3.4076059f, 5.0001401f}, -kInf},
  };
  for (const ReduceCase& c : cases) {
    SCOPED_TRACE(c.op);
    const std::vector<float> data = {1, 2, 3, -4, 5, -6};
    OpCase(c.op, 18)
        .In<float>({2, 3}, data)
        .In<int64_t>({1}, {-1})
        .Attr("keepdims", 0)
        .Expect<float>({2}, {c.rows[0], c.rows[1]})
        .Run();
    OpCase(c.op, 11)
        .In<float>({2, 3}, data)
        .Ints("axes", {1})
        .Attr("keepdims", 1)
        .Expect<float>({2, 1}, {c.rows[0], c.rows[1]})
        .Run();
    OpCase(c.op, 18)
        .In<float>({2, 0, 3}, {})
        .In<int64_t>({2}, {1, 2})
        .Attr("keepdims", 1)
        .Expect<float>({2, 1, 1}, {c.empty, c.empty})
        .Run();
    OpCase(c.op, 18)
        .In<float>({0, 3}, {})
        .In<int64_t>({1}, {1})
        .Attr("keepdims", 1)
        .Expect<float>({0, 1}, {})
        .Run();
    OpCase(c.op, 18).In<float>({}, {kNan}).Attr("keepdims", 1).Expect<float>({}, {kNan}).Run();
  }
}

TEST(Reduce, AxesOfEveryKind) {
  const std::vector<int64_t> data = {1, 2, 3, 4, 5, 6, 7, 8};
  OpCase("ReduceSum", 13)
      .In<int64_t>({2, 2, 2}, data)
      .In<int64_t>({2}, {0, 2})
      .Attr("keepdims", 0)
      .Expect<int64_t>({2}, {14, 22})
      .Run();
  OpCase("ReduceSum", 13)
      .In<int64_t>({2, 2, 2}, data)
      .In<int64_t>({1}, {1})
      .Attr("keepdims", 0)
      .Expect<int64_t>({2, 2}, {4, 6, 12, 14})
      .Run();
  OpCase("ReduceSum", 13)
      .In<int64_t>({2, 2, 2}, data)
      .In<int64_t>({0}, {})
      .Attr("keepdims", 1)
      .Expect<int64_t>({1, 1, 1}, {36})
      .Run();
  OpCase("ReduceSum", 13)
      .In<int64_t>({2, 2, 2}, data)
      .Attr("noop_with_empty_axes", 1)
      .Attr("keepdims", 1)
      .Expect<int64_t>({2, 2, 2}, data)
      .Run();
  OpCase("ReduceSum", 1)
      .In<int64_t>({2, 2, 2}, data)
      .Attr("keepdims", 0)
      .Expect<int64_t>({}, {36})
      .Run();
  OpCase("ReduceSumSquare", 18)
      .In<float>({2}, {2, 3})
      .In<int64_t>({0}, {})
      .Attr("noop_with_empty_axes", 1)
      .Attr("keepdims", 1)
      .Expect<float>({2}, {4, 9})
      .Run();
  OpCase("ReduceSum", 13)
      .In<int64_t>({2}, {1, 2})
      .In<int64_t>({1}, {1})
      .Attr("keepdims", 1)
      .Out(DType::kI64)
      .Fails(Code::kInvalidArgument, "axis 1 is out of range");
}

TEST(Reduce, IntegersAndBools) {
  OpCase("ReduceSum", 13)
      .In<int32_t>({2}, {INT32_MAX, 1})
      .Attr("keepdims", 0)
      .Expect<int32_t>({}, {INT32_MIN})
      .Run();
  OpCase("ReduceMean", 18)
      .In<int32_t>({2}, {-3, 0})
      .Attr("keepdims", 0)
      .Expect<int32_t>({}, {-1})
      .Run();
  OpCase("ReduceMax", 20)
      .In<uint8_t>({2, 0}, {})
      .In<int64_t>({1}, {1})
      .Attr("keepdims", 0)
      .Expect<uint8_t>({2}, {0, 0})
      .Run();
  OpCase("ReduceMax", 20)
      .In<bool>({2, 2}, {false, true, false, false})
      .In<int64_t>({1}, {1})
      .Attr("keepdims", 0)
      .Expect<bool>({2}, {true, false})
      .Run();
  OpCase("ReduceMin", 20)
      .In<bool>({2, 2}, {true, true, false, true})
      .In<int64_t>({1}, {1})
      .Attr("keepdims", 0)
      .Expect<bool>({2}, {true, false})
      .Run();
  OpCase("ReduceMax", 13)
      .In<float>({3}, {1, kNan, 2})
      .Attr("keepdims", 0)
      .Expect<float>({}, {kNan})
      .Run();
  OpCase("ReduceMin", 13)
      .In<int64_t>({2}, {INT64_MIN, INT64_MAX})
      .Attr("keepdims", 0)
      .Expect<int64_t>({}, {INT64_MIN})
      .Run();
}

TEST(Arg, FirstLastAndNan) {
  const std::vector<float> data = {2, 2, 3, 10};
  OpCase("ArgMax", 13)
      .In<float>({2, 2}, data)
      .Attr("axis", 1)
      .Attr("keepdims", 1)
      .Expect<int64_t>({2, 1}, {0, 1})
      .Run();
  OpCase("ArgMax", 13)
      .In<float>({2, 2}, data)
      .Attr("axis", 1)
      .Attr("keepdims", 0)
      .Attr("select_last_index", 1)
      .Expect<int64_t>({2}, {1, 1})
      .Run();
  OpCase("ArgMin", 13)
      .In<float>({2, 2}, data)
      .Attr("axis", -2)
      .Attr("keepdims", 0)
      .Expect<int64_t>({2}, {0, 0})
      .Run();
  OpCase("ArgMax", 13)
      .In<float>({3}, {1, kNan, 5})
      .Attr("axis", 0)
      .Attr("keepdims", 0)
      .Expect<int64_t>({}, {1})
      .Run();
  OpCase("ArgMax", 13)
      .In<float>({2, 0}, {})
      .Attr("axis", 1)
      .Attr("keepdims", 0)
      .Out(DType::kI64)
      .Fails(Code::kInvalidArgument, "no elements");
}

TEST(Softmax, AlongAnAxisAndFlattened) {
  const std::vector<float> data = {0, 1, 2, 3};
  const float a = 0.26894143f, b = 0.73105860f;
  OpCase("Softmax", 13)
      .In<float>({1, 2, 2}, data)
      .Attr("axis", -1)
      .Expect<float>({1, 2, 2}, {a, b, a, b})
      .Run();
  OpCase("Softmax", 13)
      .In<float>({2, 2}, {0, 5, 1, 6})
      .Attr("axis", 0)
      .Expect<float>({2, 2}, {a, a, b, b})
      .Run();
  OpCase("Softmax", 11)
      .In<float>({1, 2, 2}, data)
      .Attr("axis", 1)
      .Expect<float>({1, 2, 2}, {0.0320586f, 0.0871443f, 0.2368828f, 0.6439143f})
      .Run();
  OpCase("LogSoftmax", 13)
      .In<float>({2}, {0, 1})
      .Attr("axis", 0)
      .Expect<float>({2}, {-1.3132617f, -0.3132617f})
      .Run();
  OpCase("Softmax", 13)
      .In<float>({2}, {1000, 1000})
      .Attr("axis", -1)
      .Expect<float>({2}, {0.5f, 0.5f})
      .Run();
  OpCase("Hardmax", 13)
      .In<float>({2, 3}, {1, 3, 3, 2, 1, 0})
      .Attr("axis", -1)
      .Expect<float>({2, 3}, {0, 1, 0, 1, 0, 0})
      .Run();
  OpCase("Hardmax", 1)
      .In<float>({2, 2}, {1, 3, 2, 1})
      .Attr("axis", 0)
      .Expect<float>({2, 2}, {0, 1, 0, 0})
      .Run();
  OpCase("Softmax", 13).In<float>({0, 2}, {}).Attr("axis", 0).Expect<float>({0, 2}, {}).Run();
  OpCase("Softmax", 13)
      .In<float>({2}, {1, 2})
      .Attr("axis", 1)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "out of range");
}

TEST(Cumulative, SumsAndProducts) {
  OpCase("CumSum", 14)
      .In<double>({3}, {1, 2, 3})
      .In<int32_t>({}, {0})
      .Expect<double>({3}, {1, 3, 6})
      .Run();
  OpCase("CumSum", 14)
      .In<int32_t>({3}, {1, 2, 3})
      .In<int64_t>({1}, {-1})
      .Attr("exclusive", 1)
      .Expect<int32_t>({3}, {0, 1, 3})
      .Run();
  OpCase("CumSum", 14)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<int64_t>({}, {0})
      .Attr("reverse", 1)
      .Expect<float>({2, 2}, {4, 6, 3, 4})
      .Run();
  OpCase("CumProd", 26)
      .In<float>({3}, {1, 2, 3})
      .In<int64_t>({}, {0})
      .Attr("reverse", 1)
      .Attr("exclusive", 1)
      .Expect<float>({3}, {6, 3, 1})
      .Run();
  OpCase("CumSum", 14)
      .In<float>({1}, {1})
      .In<int64_t>({}, {1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "out of range");
}

TEST(Range, LengthFromValues) {
  OpCase("Range", 11)
      .In<int64_t>({}, {1})
      .In<int64_t>({}, {7})
      .In<int64_t>({}, {2})
      .Expect<int64_t>({3}, {1, 3, 5})
      .Run();
  OpCase("Range", 11)
      .In<int32_t>({}, {10})
      .In<int32_t>({}, {6})
      .In<int32_t>({}, {-3})
      .Expect<int32_t>({2}, {10, 7})
      .Run();
  OpCase("Range", 11)
      .In<float>({}, {0})
      .In<float>({}, {1})
      .In<float>({}, {0.4f})
      .Expect<float>({3}, {0, 0.4f, 0.8f})
      .Run();
  OpCase("Range", 11)
      .In<int16_t>({}, {3})
      .In<int16_t>({}, {3})
      .In<int16_t>({}, {1})
      .Expect<int16_t>({0}, {})
      .Run();
  OpCase("Range", 11)
      .In<int64_t>({}, {INT64_MIN})
      .In<int64_t>({}, {INT64_MAX})
      .In<int64_t>({}, {INT64_MAX})
      .Expect<int64_t>({3}, {INT64_MIN, -1, INT64_MAX - 1})
      .Run();
  OpCase("Range", 11)
      .In<int64_t>({}, {1})
      .In<int64_t>({}, {7})
      .In<int64_t>({}, {0})
      .Out(DType::kI64)
      .Fails(Code::kInvalidArgument, "delta is 0");
}

}  // namespace
}  // namespace waybill::kernel
