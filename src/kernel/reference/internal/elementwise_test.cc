#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(Elementwise, BroadcastsItsOperands) {
  OpCase("Elementwise", 1, "waybill")
      .In<float>({2, 1}, {-2, 8})
      .In<float>({3}, {1, 2, 3})
      .In<float>({}, {2})
      .Attr("expr", "Mul(x0,x1);Add(t0,1);Clip(t1,-4,20);Div(t2,x2)")
      .Expect<float>({2, 3}, {-0.5, -1.5, -2, 4.5, 8.5, 10})
      .Run();
  OpCase("Elementwise", 1, "waybill")
      .In<float>({0, 3}, {})
      .In<float>({1}, {1})
      .Attr("expr", "Add(x0,x1)")
      .Expect<float>({0, 3}, {})
      .Run();
}

TEST(Elementwise, RefusesWhatDoesNotFit) {
  OpCase("Elementwise", 1, "waybill")
      .In<float>({1}, {1})
      .Attr("expr", "Add(x0,x1)")
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "has 1 operands");
  OpCase("Elementwise", 1, "waybill")
      .In<float>({1}, {1})
      .Attr("expr", "Add(x0,")
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "is not one");
}

}  // namespace
}  // namespace waybill::kernel
