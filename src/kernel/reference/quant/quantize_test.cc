#include <gtest/gtest.h>

#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(QuantizeLinear, RoundsToEvenAndSaturates) {
  OpCase("QuantizeLinear", 10)
      .In<float>({6}, {0, 2, 3, 1000, -254, -1000})
      .In<float>({}, {2})
      .In<uint8_t>({}, {128})
      .Expect<uint8_t>({6}, {128, 129, 130, 255, 1, 0})
      .Run();
  OpCase("QuantizeLinear", 21)
      .In<float>({3}, {0.5f, 1.5f, -2.5f})
      .In<float>({1}, {1})
      .Expect<uint8_t>({3}, {0, 2, 0})
      .Run();
  OpCase("QuantizeLinear", 21)
      .In<float>({2}, {1e30f, -1e30f})
      .In<float>({}, {1e-30f})
      .In<int16_t>({}, {-5})
      .Expect<int16_t>({2}, {32767, -32768})
      .Run();
  OpCase("QuantizeLinear", 21)
      .In<Half>({2}, {3, -3})
      .In<Half>({}, {1})
      .In<I4>({}, {1})
      .Expect<I4>({2}, {4, -2})
      .Run();
  OpCase("QuantizeLinear", 19)
      .In<float>({2}, {500, 3})
      .In<float>({}, {1})
      .In<F8E4M3FN>({}, {0})
      .Expect<F8E4M3FN>({2}, {448, 3})
      .Run();
  OpCase("QuantizeLinear", 21)
      .Attr("output_dtype", static_cast<int64_t>(DType::kI8))
      .In<float>({1}, {-3})
      .In<float>({}, {1})
      .Expect<int8_t>({1}, {-3})
      .Run();
  OpCase("QuantizeLinear", 21)
      .Attr("output_dtype", static_cast<int64_t>(DType::kI8))
      .In<float>({1}, {-3})
      .In<float>({}, {1})
      .In<uint8_t>({}, {0})
      .Out(DType::kI8)
      .Fails(Code::kInvalidArgument, "output_dtype");
}

TEST(QuantizeLinear, AxesAndBlocks) {
  OpCase("QuantizeLinear", 13)
      .Attr("axis", 0)
      .In<float>({2, 2}, {2, 4, 10, 20})
      .In<float>({2}, {2, 10})
      .In<int8_t>({2}, {0, 1})
      .Expect<int8_t>({2, 2}, {1, 2, 2, 3})
      .Run();
  OpCase("QuantizeLinear", 21)
      .Attr("axis", 1)
      .Attr("block_size", 2)
      .In<float>({2, 3}, {2, 4, 9, 10, 20, 8})
      .In<float>({2, 2}, {2, 3, 10, 4})
      .In<uint8_t>({2, 2}, {0, 1, 0, 0})
      .Expect<uint8_t>({2, 3}, {1, 2, 4, 1, 2, 2})
      .Run();
  OpCase("QuantizeLinear", 13)
      .Attr("axis", 1)
      .In<float>({2, 2}, {2, 4, 10, 20})
      .In<float>({3}, {2, 10, 1})
      .In<int8_t>({3}, {0, 1, 0})
      .Out(DType::kI8)
      .Fails(Code::kInvalidArgument, "do not fit");
}

TEST(DequantizeLinear, EveryLayout) {
  OpCase("DequantizeLinear", 10)
      .In<uint8_t>({3}, {0, 128, 255})
      .In<float>({}, {2})
      .In<uint8_t>({}, {128})
      .Expect<float>({3}, {-256, 0, 254})
      .Run();
  OpCase("DequantizeLinear", 10)
      .In<int32_t>({1}, {INT32_MAX})
      .In<float>({}, {1})
      .Expect<float>({1}, {2147483648.0f})
      .Run();
  OpCase("DequantizeLinear", 13)
      .Attr("axis", 1)
      .In<int8_t>({1, 2, 2}, {1, 2, 3, 4})
      .In<float>({2}, {1, 10})
      .In<int8_t>({2}, {0, 1})
      .Expect<float>({1, 2, 2}, {1, 2, 20, 30})
      .Run();
  OpCase("DequantizeLinear", 21)
      .Attr("axis", 0)
      .Attr("block_size", 2)
      .In<U4>({3, 1}, {1, 2, 15})
      .In<Half>({2, 1}, {1, 0.5})
      .Expect<Half>({3, 1}, {1, 2, 7.5})
      .Run();
  OpCase("DequantizeLinear", 19)
      .In<F8E5M2>({2}, {1.5, -2})
      .In<float>({}, {2})
      .Expect<float>({2}, {3, -4})
      .Run();
  OpCase("DequantizeLinear", 23)
      .Attr("output_dtype", static_cast<int64_t>(DType::kF16))
      .In<F4E2M1>({2}, {6, -0.5})
      .In<float>({}, {2})
      .Expect<Half>({2}, {12, -1})
      .Run();
}

TEST(DynamicQuantizeLinear, RangeOfTheData) {
  OpCase("DynamicQuantizeLinear", 11)
      .In<float>({3}, {0, 2.55f, -1.275f / 2})
      .Out(DType::kU8)
      .Expect<float>({}, {0.0125f})
      .Expect<uint8_t>({}, {51})
      .Run();
  OpCase("DynamicQuantizeLinear", 11)
      .In<float>({2}, {0, 0})
      .Expect<uint8_t>({2}, {0, 0})
      .Expect<float>({}, {1})
      .Expect<uint8_t>({}, {0})
      .Run();
  OpCase("DynamicQuantizeLinear", 11)
      .In<float>({2}, {255, 1})
      .Expect<uint8_t>({2}, {255, 1})
      .Expect<float>({}, {1})
      .Expect<uint8_t>({}, {0})
      .Run();
}

TEST(MatMulInteger, ZeroPointsOfEveryForm) {
  OpCase("MatMulInteger", 10)
      .In<uint8_t>({2, 2}, {11, 7, 3, 10})
      .In<uint8_t>({2, 1}, {1, 4})
      .In<uint8_t>({}, {12})
      .In<uint8_t>({1}, {0})
      .Expect<int32_t>({2, 1}, {-21, -17})
      .Run();
  OpCase("MatMulInteger", 10)
      .In<int8_t>({2}, {-128, 127})
      .In<uint8_t>({2, 2}, {255, 0, 1, 2})
      .Omit()
      .In<uint8_t>({2}, {1, 2})
      .Expect<int32_t>({2}, {-128 * 254, 256})
      .Run();
  OpCase("MatMulInteger", 10)
      .In<int8_t>({2, 1, 2}, {1, 2, 3, 4})
      .In<int8_t>({2}, {1, 1})
      .In<int8_t>({2, 1, 1}, {0, 1})
      .Expect<int32_t>({2, 1}, {3, 5})
      .Run();
  OpCase("MatMulInteger", 10)
      .In<int8_t>({1, 0}, {})
      .In<int8_t>({0, 2}, {})
      .Expect<int32_t>({1, 2}, {0, 0})
      .Run();
}

TEST(QLinearMatMul, ScalesSums) {
  OpCase("QLinearMatMul", 10)
      .In<uint8_t>({1, 2}, {10, 20})
      .In<float>({}, {0.5f})
      .In<uint8_t>({}, {0})
      .In<int8_t>({2, 2}, {1, -1, 2, 100})
      .In<float>({2}, {1, 0.2f})
      .In<int8_t>({2}, {0, 0})
      .In<float>({}, {1})
      .In<uint8_t>({}, {3})
      .Expect<uint8_t>({1, 2}, {28, 202})
      .Run();
}

TEST(ConvInteger, PaddingIsTheZeroPoint) {
  OpCase("ConvInteger", 10)
      .Ints("pads", {1, 1, 1, 1})
      .In<uint8_t>({1, 1, 2, 2}, {2, 3, 4, 5})
      .In<uint8_t>({1, 1, 2, 2}, {1, 1, 1, 1})
      .In<uint8_t>({}, {1})
      .Expect<int32_t>({1, 1, 3, 3}, {1, 3, 2, 4, 10, 6, 3, 7, 4})
      .Run();
}

TEST(QLinearConv, ChannelsHaveScales) {
  OpCase("QLinearConv", 10)
      .In<uint8_t>({1, 1, 2, 1}, {10, 20})
      .In<float>({}, {1})
      .In<uint8_t>({}, {0})
      .In<int8_t>({2, 1, 1, 1}, {1, 2})
      .In<float>({2}, {1, 0.5f})
      .In<int8_t>({2}, {0, 1})
      .In<float>({}, {2})
      .In<uint8_t>({}, {1})
      .In<int32_t>({2}, {4, -100})
      .Expect<uint8_t>({1, 2, 2, 1}, {8, 13, 0, 0})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
