// Scatter, ScatterElements, ScatterND, TensorScatter.
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ScatterElements, AlongAnyAxis) {
  OpCase("ScatterElements", 18)
      .In<float>({1, 5}, {1, 2, 3, 4, 5})
      .In<int64_t>({1, 2}, {1, -2})
      .In<float>({1, 2}, {1.5, 2.5})
      .Attr("axis", -1)
      .Expect<float>({1, 5}, {1, 1.5, 3, 2.5, 5})
      .Run();
  OpCase("Scatter", 9)
      .In<std::string>({2}, {"a", "b"})
      .In<int32_t>({1}, {0})
      .In<std::string>({1}, {"c"})
      .Expect<std::string>({2}, {"c", "b"})
      .Run();
  OpCase("ScatterElements", 11)
      .In<float>({2}, {1, 2})
      .In<int64_t>({0}, {})
      .In<float>({0}, {})
      .Expect<float>({2}, {1, 2})
      .Run();
}

TEST(ScatterElements, Errors) {
  OpCase("ScatterElements", 18)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1}, {2})
      .In<float>({1}, {0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "index 2 is out of range [-2, 2) of axis 0");
  OpCase("ScatterElements", 18)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1}, {0})
      .In<float>({2}, {0, 0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 0 of updates [2]");
  OpCase("ScatterElements", 18)
      .In<float>({1, 2}, {1, 2})
      .In<int64_t>({2, 1}, {0, 0})
      .In<float>({2, 1}, {0, 0})
      .Attr("axis", 1)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "exceed data [1, 2] in axis 0");
  OpCase("ScatterElements", 18)
      .In<float>({1}, {1})
      .In<int64_t>({1}, {0})
      .In<float>({1}, {0})
      .Attr("reduction", "median")
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "median");
}

template <typename T>
void Reduced(const char* reduction, OpCaseElement<T> update, OpCaseElement<T> want) {
  OpCase("ScatterElements", 18)
      .In<T>({2}, {OpCaseElement<T>(0), OpCaseElement<T>(3)})
      .template In<int64_t>({1}, {1})
      .template In<T>({1}, {update})
      .Attr("reduction", reduction)
      .template Expect<T>({2}, {OpCaseElement<T>(0), want})
      .Run();
}

TEST(ScatterElements, Reductions) {
  Reduced<float>("add", 2, 5);
  Reduced<float>("mul", 2, 6);
  Reduced<float>("min", 2, 2);
  Reduced<float>("max", 2, 3);
  Reduced<float>("max", static_cast<float>(kNan), static_cast<float>(kNan));
  Reduced<Half>("min", kNan, kNan);
  Reduced<BFloat16>("add", 1, 4);
  Reduced<int8_t>("add", 127, -126);
  Reduced<int64_t>("mul", INT64_MAX, INT64_MAX - 2);
  Reduced<uint8_t>("max", 200, 200);
  Reduced<bool>("mul", false, false);
}

TEST(ScatterND, TuplesOfAnyLength) {
  OpCase("ScatterND", 11)
      .In<float>({4}, {1, 2, 3, 4})
      .In<int64_t>({2, 1}, {1, -1})
      .In<float>({2}, {9, 8})
      .Expect<float>({4}, {1, 9, 3, 8})
      .Run();
  OpCase("ScatterND", 16)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<int64_t>({2, 1}, {0, 0})
      .In<float>({2, 2}, {1, 1, 10, 10})
      .Attr("reduction", "add")
      .Expect<float>({2, 2}, {12, 13, 3, 4})
      .Run();
  OpCase("ScatterND", 18)
      .In<int32_t>({2}, {1, 2})
      .In<int64_t>({1, 0}, {})
      .In<int32_t>({1, 2}, {5, 6})
      .Expect<int32_t>({2}, {5, 6})
      .Run();
  OpCase("ScatterND", 18)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1, 1}, {-3})
      .In<float>({1}, {0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "index -3 is out of range [-2, 2) of axis 0");
  OpCase("ScatterND", 18)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1, 1}, {0})
      .In<float>({2}, {0, 0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 0 of updates [2]");
}

TEST(TensorScatter, LinearAndCircular) {
  OpCase("TensorScatter", 24)
      .In<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6})
      .In<float>({2, 1, 1}, {7, 8})
      .In<int64_t>({2}, {1, 2})
      .Expect<float>({2, 3, 1}, {1, 7, 3, 4, 5, 8})
      .Run();
  OpCase("TensorScatter", 24)
      .In<float>({1, 3, 1}, {1, 2, 3})
      .In<float>({1, 2, 1}, {7, 8})
      .In<int64_t>({1}, {2})
      .Attr("mode", "circular")
      .Expect<float>({1, 3, 1}, {8, 2, 7})
      .Run();
  OpCase("TensorScatter", 24)
      .In<float>({1, 3, 1}, {1, 2, 3})
      .In<float>({1, 2, 1}, {7, 8})
      .Expect<float>({1, 3, 1}, {7, 8, 3})
      .Run();
  for (const int64_t start : {int64_t{2}, int64_t{-1}, INT64_MAX}) {
    OpCase("TensorScatter", 24)
        .In<float>({1, 3, 1}, {1, 2, 3})
        .In<float>({1, 2, 1}, {7, 8})
        .In<int64_t>({1}, {start})
        .Out(DType::kF32)
        .Fails(Code::kInvalidArgument, "does not leave room");
  }
}

}  // namespace
}  // namespace waybill::kernel
