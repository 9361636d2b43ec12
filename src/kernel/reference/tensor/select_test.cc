// TopK, Compress, NonZero, Unique.
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(TopK, EveryVersion) {
  OpCase("TopK", 1)
      .In<float>({2, 3}, {1, 3, 2, 6, 4, 5})
      .Attr("k", 2)
      .Expect<float>({2, 2}, {3, 2, 6, 5})
      .Expect<int64_t>({2, 2}, {1, 2, 0, 2})
      .Run();
  OpCase("TopK", 10)
      .In<double>({3, 1}, {1, 3, 2})
      .In<int64_t>({1}, {1})
      .Attr("axis", 0)
      .Expect<double>({1, 1}, {3})
      .Expect<int64_t>({1, 1}, {1})
      .Run();
  OpCase("TopK", 11)
      .In<int8_t>({4}, {3, -1, 3, -1})
      .In<int64_t>({1}, {3})
      .Attr("largest", 0)
      .Attr("axis", -1)
      .Expect<int8_t>({3}, {-1, -1, 3})
      .Expect<int64_t>({3}, {1, 3, 0})
      .Run();
  OpCase("TopK", 24)
      .In<BFloat16>({2}, {1, 2})
      .In<int64_t>({1}, {1})
      .NoOut()
      .Expect<int64_t>({1}, {1})
      .Run();
}

TEST(TopK, NanIsTheLargest) {
  OpCase("TopK", 11)
      .In<float>({4}, {1, kNan, 5, kNan})
      .In<int64_t>({1}, {4})
      .Expect<float>({4}, {kNan, kNan, 5, 1})
      .Expect<int64_t>({4}, {1, 3, 2, 0})
      .Run();
  OpCase("TopK", 11)
      .In<Half>({3}, {kNan, 5, 1})
      .In<int64_t>({1}, {2})
      .Attr("largest", 0)
      .Expect<Half>({2}, {1, 5})
      .Expect<int64_t>({2}, {2, 1})
      .Run();
}

TEST(TopK, LimitsOfK) {
  OpCase("TopK", 11)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<int64_t>({1}, {0})
      .Expect<float>({2, 0}, {})
      .Expect<int64_t>({2, 0}, {})
      .Run();
  for (const int64_t k : {int64_t{3}, INT64_MAX}) {
    OpCase("TopK", 11)
        .In<float>({2}, {1, 2})
        .In<int64_t>({1}, {k})
        .Out(DType::kF32)
        .Out(DType::kI64)
        .Fails(Code::kInvalidArgument, "has 2 elements");
  }
  OpCase("TopK", 11)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1}, {-1})
      .Out(DType::kF32)
      .Out(DType::kI64)
      .Fails(Code::kInvalidArgument, "negative");
}

TEST(Compress, AlongAnAxisOrFlat) {
  OpCase("Compress", 9)
      .In<float>({3, 2}, {1, 2, 3, 4, 5, 6})
      .In<bool>({3}, {false, true, true})
      .Attr("axis", 0)
      .Expect<float>({2, 2}, {3, 4, 5, 6})
      .Run();
  OpCase("Compress", 11)
      .In<std::string>({2, 2}, {"a", "b", "c", "d"})
      .In<bool>({3}, {true, false, true})
      .Expect<std::string>({2}, {"a", "c"})
      .Run();
  OpCase("Compress", 11)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<bool>({2}, {false, true})
      .Attr("axis", -1)
      .Expect<float>({2, 1}, {2, 4})
      .Run();
  OpCase("Compress", 11)
      .In<float>({2}, {1, 2})
      .In<bool>({3}, {true, true, true})
      .Attr("axis", 0)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "3 values for 2 elements");
}

TEST(NonZero, ListsPositionsByAxis) {
  OpCase("NonZero", 13)
      .In<bool>({2, 2}, {true, false, true, true})
      .Expect<int64_t>({2, 3}, {0, 1, 1, 0, 0, 1})
      .Run();
  OpCase("NonZero", 9).In<float>({3}, {0, -0.0f, kNan}).Expect<int64_t>({1, 1}, {2}).Run();
  OpCase("NonZero", 9).In<Half>({2}, {-0.0, 1}).Expect<int64_t>({1, 1}, {1}).Run();
  OpCase("NonZero", 9).In<std::string>({2}, {"", "a"}).Expect<int64_t>({1, 1}, {1}).Run();
  OpCase("NonZero", 9).In<int32_t>({2, 0}, {}).Expect<int64_t>({2, 0}, {}).Run();
  OpCase("NonZero", 9).In<int32_t>({}, {7}).Expect<int64_t>({1, 1}, {0}).Run();
}

TEST(Unique, SortedOrByAppearance) {
  OpCase("Unique", 11)
      .In<float>({6}, {2, 1, 1, 3, 4, 3})
      .Expect<float>({4}, {1, 2, 3, 4})
      .Expect<int64_t>({4}, {1, 0, 3, 4})
      .Expect<int64_t>({6}, {1, 0, 0, 2, 3, 2})
      .Expect<int64_t>({4}, {2, 1, 2, 1})
      .Run();
  OpCase("Unique", 11)
      .In<std::string>({3}, {"b", "a", "b"})
      .Attr("sorted", 0)
      .Expect<std::string>({2}, {"b", "a"})
      .Expect<int64_t>({2}, {0, 1})
      .Expect<int64_t>({3}, {0, 1, 0})
      .Expect<int64_t>({2}, {2, 1})
      .Run();
}

TEST(Unique, SlicesAndSpecialInputs) {
  OpCase("Unique", 11)
      .In<int32_t>({3, 2}, {1, 0, 1, 0, 2, 3})
      .Attr("axis", 0)
      .Expect<int32_t>({2, 2}, {1, 0, 2, 3})
      .Expect<int64_t>({2}, {0, 2})
      .NoOut()
      .Expect<int64_t>({2}, {2, 1})
      .Run();
  OpCase("Unique", 11)
      .In<int32_t>({2, 3}, {1, 1, 0, 5, 5, 4})
      .Attr("axis", -1)
      .Expect<int32_t>({2, 2}, {0, 1, 4, 5})
      .NoOut()
      .Expect<int64_t>({3}, {1, 1, 0})
      .Run();
  OpCase("Unique", 11).In<float>({3}, {kNan, 1, kNan}).Expect<float>({2}, {1, kNan}).Run();
  OpCase("Unique", 11).In<float>({0}, {}).Expect<float>({0}, {}).Run();
  OpCase("Unique", 11).In<float>({}, {3}).Expect<float>({1}, {3}).Run();
  OpCase("Unique", 11)
      .In<float>({2}, {1, 2})
      .Attr("axis", 1)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 1 is out of range for rank 1");
}

}  // namespace
}  // namespace waybill::kernel
