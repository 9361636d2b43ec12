#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(InternalLayerNorm, OverAnyAxis) {
  OpCase("LayerNormalization", 1, "waybill")
      .In<float>({1, 2, 3}, {1, 5, 2, 3, 5, -2})
      .In<float>({2}, {1, 2})
      .In<float>({2, 1}, {0, 1})
      .Attr("axis", 1)
      .Attr("epsilon", 1.0f)
      .Expect<float>({1, 2, 3}, {-0.70710678, 0, 0.89442719, 2.41421356, 1, -0.78885438})
      .Run();
  OpCase("LayerNormalization", 1, "waybill")
      .In<float>({2, 2}, {1, 3, 5, 5})
      .In<float>({2}, {1, 2})
      .Attr("axis", -1)
      .Attr("epsilon", 1.0f)
      .Expect<float>({2, 2}, {-0.70710678, 1.41421356, 0, 0})
      .Run();
  OpCase("LayerNormalization", 1, "waybill")
      .In<float>({3, 0}, {})
      .In<float>({3}, {1, 2, 3})
      .Attr("axis", 0)
      .Attr("epsilon", 1.0f)
      .Expect<float>({3, 0}, {})
      .Run();
}

TEST(InternalLayerNorm, RefusesOtherCountsAndAxes) {
  for (const int input : {1, 2}) {
    OpCase c("LayerNormalization", 1, "waybill");
    c.In<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
    if (input == 2) c.In<float>({2}, {1, 2});
    c.In<float>({3}, {1, 2, 3}).Attr("axis", 1).Attr("epsilon", 0.0f).Out(DType::kF32);
    c.Fails(Code::kInvalidArgument, "one for each of 2 places");
  }
  OpCase("LayerNormalization", 1, "waybill")
      .In<float>({1}, {1})
      .In<float>({1}, {1})
      .Attr("axis", 1)
      .Attr("epsilon", 0.0f)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 1");
}

}  // namespace
}  // namespace waybill::kernel
