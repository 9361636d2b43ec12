#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(InternalMatMul, BiasAndEpilogue) {
  OpCase("MatMul", 1, "waybill")
      .In<float>({1, 2, 2}, {1, 2, 3, 4})
      .In<float>({2, 3}, {1, 0, -1, 0, 1, -1})
      .In<float>({3}, {10, 20, 0})
      .In<float>({2, 1}, {1, -1})
      .Attr("expr", "Mul(x0,x1);Clip(t0,-20,20)")
      .Expect<float>({1, 2, 3}, {11, 20, -3, -13, -20, 7})
      .Run();
}

TEST(InternalMatMul, TransposedB) {
  OpCase("MatMul", 1, "waybill")
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<float>({3, 2}, {1, 0, 0, 1, -1, -1})
      .Attr("transB", 1)
      .Expect<float>({2, 3}, {1, 2, -3, 3, 4, -7})
      .Run();
}

TEST(InternalMatMul, EmptyAndWrong) {
  OpCase("MatMul", 1, "waybill")
      .In<float>({0, 2}, {})
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Expect<float>({0, 3}, {})
      .Run();
  OpCase("MatMul", 1, "waybill")
      .In<float>({2, 0}, {})
      .In<float>({0, 1}, {})
      .Omit()
      .Attr("expr", "Add(x0,2)")
      .Expect<float>({2, 1}, {2, 2})
      .Run();
  OpCase("MatMul", 1, "waybill")
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<float>({3, 2}, {1, 0, 0, 1, -1, -1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "do not multiply");
  OpCase("MatMul", 1, "waybill")
      .In<float>({1, 1}, {1})
      .In<float>({1, 2}, {1, 2})
      .In<float>({1}, {1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "bias");
}

}  // namespace
}  // namespace waybill::kernel
