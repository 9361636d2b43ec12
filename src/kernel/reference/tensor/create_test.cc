// ConstantOfShape, EyeLike, OneHot.
#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(ConstantOfShape, RepeatsItsValue) {
  OpCase("ConstantOfShape", 9).In<int64_t>({2}, {2, 2}).Expect<float>({2, 2}, {0, 0, 0, 0}).Run();
  OpCase("ConstantOfShape", 9)
      .In<int64_t>({1}, {3})
      .Attr("value", MakeCaseTensor<int64_t>({1}, {-7}))
      .Expect<int64_t>({3}, {-7, -7, -7})
      .Run();
  OpCase("ConstantOfShape", 25)
      .In<int64_t>({1}, {3})
      .Attr("value", MakeCaseTensor<U4>({1}, {9}))
      .Expect<U4>({3}, {9, 9, 9})
      .Run();
  OpCase("ConstantOfShape", 9).In<int64_t>({0}, {}).Expect<float>({}, {0}).Run();
  OpCase("ConstantOfShape", 9).In<int64_t>({2}, {0, 5}).Expect<float>({0, 5}, {}).Run();
  OpCase("ConstantOfShape", 9)
      .In<int64_t>({1}, {-1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "negative");
}

TEST(EyeLike, DiagonalAndType) {
  OpCase("EyeLike", 9)
      .In<int32_t>({2, 3}, std::vector<int32_t>(6, 9))
      .Attr("k", 1)
      .Expect<int32_t>({2, 3}, {0, 1, 0, 0, 0, 1})
      .Run();
  OpCase("EyeLike", 22)
      .In<float>({3, 2}, std::vector<float>(6))
      .Attr("k", -1)
      .Attr("dtype", static_cast<int64_t>(DType::kF64))
      .Expect<double>({3, 2}, {0, 0, 1, 0, 0, 1})
      .Run();
  for (const int64_t k : {int64_t{5}, int64_t{-5}, INT64_MIN, INT64_MAX}) {
    OpCase("EyeLike", 9)
        .In<bool>({1, 2}, {true, true})
        .Attr("k", k)
        .Expect<bool>({1, 2}, {false, false})
        .Run();
  }
  OpCase("EyeLike", 9)
      .In<float>({2}, {1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "rank 2");
}

TEST(OneHot, AxisAndNegativeIndices) {
  OpCase("OneHot", 11)
      .In<int64_t>({3}, {0, -1, 7})
      .In<int64_t>({}, {3})
      .In<float>({2}, {2, 5})
      .Expect<float>({3, 3}, {5, 2, 2, 2, 2, 5, 2, 2, 2})
      .Run();
  OpCase("OneHot", 9)
      .In<float>({1, 2}, {1, 0})
      .In<float>({1}, {2})
      .In<std::string>({2}, {"off", "on"})
      .Attr("axis", 0)
      .Expect<std::string>({2, 1, 2}, {"off", "on", "on", "off"})
      .Run();
  OpCase("OneHot", 9)
      .In<uint8_t>({}, {1})
      .In<int32_t>({1}, {2})
      .In<int8_t>({2}, {0, 1})
      .Expect<int8_t>({2}, {0, 1})
      .Run();
  OpCase("OneHot", 11)
      .In<int64_t>({1}, {0})
      .In<int64_t>({}, {-2})
      .In<float>({2}, {0, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "depth -2");
  OpCase("OneHot", 11)
      .In<int64_t>({1}, {0})
      .In<int64_t>({}, {2})
      .In<float>({3}, {0, 1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "[off, on]");
}

}  // namespace
}  // namespace waybill::kernel
