#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(MatMulTest, BroadcastsBatches) {
  OpCase("MatMul", 13)
      .In<float>({2, 1, 1, 2}, {1, 2, 3, 4})
      .In<float>({3, 2, 1}, {1, 1, 2, 2, 3, 3})
      .Expect<float>({2, 3, 1, 1}, {3, 6, 9, 7, 14, 21})
      .Run();
}

TEST(MatMulTest, VectorsAreRowsAndColumns) {
  OpCase("MatMul", 13)
      .In<float>({3}, {1, 2, 3})
      .In<float>({3}, {4, 5, 6})
      .Expect<float>({}, {32})
      .Run();
  OpCase("MatMul", 13)
      .In<float>({2}, {1, 2})
      .In<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
      .Expect<float>({2, 2}, {7, 10, 19, 22})
      .Run();
}

TEST(MatMulTest, IntegersWrap) {
  OpCase("MatMul", 9)
      .In<int32_t>({1, 2}, {2147483647, 2})
      .In<int32_t>({2, 1}, {2, 1})
      .Expect<int32_t>({1, 1}, {0})
      .Run();
}

TEST(MatMulTest, EmptyDepthGivesZeros) {
  OpCase("MatMul", 13)
      .In<float>({2, 0}, {})
      .In<float>({0, 1}, {})
      .Expect<float>({2, 1}, {0, 0})
      .Run();
}

TEST(MatMulTest, RefusesDifferentDepths) {
  OpCase("MatMul", 13)
      .In<float>({1, 2}, {1, 2})
      .In<float>({3, 1}, {1, 2, 3})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "do not multiply");
}

TEST(GemmTest, TransposesScalesAndBroadcastsC) {
  OpCase("Gemm", 13)
      .In<float>({2, 1}, {1, 2})
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<float>({2}, {1, 10})
      .Attr("transA", 1)
      .Attr("transB", 1)
      .Attr("alpha", 2.0f)
      .Attr("beta", 0.5f)
      .Expect<float>({1, 2}, {10.5, 27})
      .Run();
}

TEST(GemmTest, HalfAndColumnBias) {
  OpCase("Gemm", 13)
      .In<Half>({2, 2}, {1, 2, 3, 4})
      .In<Half>({2, 2}, {1, 0, 0, 1})
      .In<Half>({2, 1}, {10, 20})
      .Expect<Half>({2, 2}, {11, 12, 23, 24})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
