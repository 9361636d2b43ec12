// Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze, Identity.
#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

using Strings = std::vector<std::string>;

TEST(Shape, ListsDims) {
  OpCase("Shape", 1).In<float>({2, 0, 3}, {}).Expect<int64_t>({3}, {2, 0, 3}).Run();
  OpCase("Shape", 13).In<float>({}, {1}).Expect<int64_t>({0}, {}).Run();
  OpCase("Shape", 25).In<I4>({3}, {1, 2, 3}).Expect<int64_t>({1}, {3}).Run();
  OpCase("Shape", 15).In<std::string>({1, 2}, {"a", "b"}).Expect<int64_t>({2}, {1, 2}).Run();
}

TEST(Shape, StartAndEndAreClamped) {
  const auto shape = [](int64_t start, int64_t end, std::vector<int64_t> want) {
    const Shape size{static_cast<int64_t>(want.size())};
    OpCase("Shape", 15)
        .In<uint8_t>({1, 2, 3}, std::vector<uint8_t>(6))
        .Attr("start", start)
        .Attr("end", end)
        .Expect<int64_t>(size, want)
        .Run();
  };
  shape(1, 3, {2, 3});
  shape(-1, 100, {3});
  shape(-100, -1, {1, 2});
  shape(2, 1, {});
}

TEST(Size, CountsElements) {
  OpCase("Size", 13).In<float>({2, 3}, {1, 2, 3, 4, 5, 6}).Expect<int64_t>({}, {6}).Run();
  OpCase("Size", 13).In<float>({2, 0}, {}).Expect<int64_t>({}, {0}).Run();
  OpCase("Size", 1).In<float>({}, {1}).Expect<int64_t>({}, {1}).Run();
}

TEST(Reshape, FillsInZeroAndMinusOne) {
  OpCase("Reshape", 14)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .In<int64_t>({3}, {0, -1, 1})
      .Expect<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6})
      .Run();
  OpCase("Reshape", 5).In<float>({1}, {7}).In<int64_t>({0}, {}).Expect<float>({}, {7}).Run();
  OpCase("Reshape", 1)
      .In<float>({4}, {1, 2, 3, 4})
      .Ints("shape", {2, -1})
      .Expect<float>({2, 2}, {1, 2, 3, 4})
      .Run();
  OpCase("Reshape", 14)
      .In<std::string>({2}, {"a", "b"})
      .In<int64_t>({2}, {-1, 1})
      .Expect<std::string>({2, 1}, Strings{"a", "b"})
      .Run();
}

TEST(Reshape, EmptyTensors) {
  OpCase("Reshape", 14)
      .In<float>({0, 3}, {})
      .In<int64_t>({2}, {0, -1})
      .Expect<float>({0, 3}, {})
      .Run();
  OpCase("Reshape", 14)
      .In<float>({0, 3, 4}, {})
      .In<int64_t>({3}, {3, 4, 0})
      .Attr("allowzero", 1)
      .Expect<float>({3, 4, 0}, {})
      .Run();
  OpCase("Reshape", 14)
      .In<float>({0, 3}, {})
      .In<int64_t>({2}, {-1, 3})
      .Expect<float>({0, 3}, {})
      .Run();
}

TEST(Reshape, SaysWhatDoesNotFit) {
  const auto fails = [](std::vector<int64_t> shape, int64_t allow_zero, const char* words) {
    const Shape count{static_cast<int64_t>(shape.size())};
    OpCase("Reshape", 14)
        .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
        .In<int64_t>(count, shape)
        .Attr("allowzero", allow_zero)
        .Out(DType::kF32)
        .Fails(Code::kInvalidArgument, words);
  };
  fails({4, -1}, 0, "[2, 3] cannot become [4, ?]");
  fails({7}, 0, "[2, 3] cannot become [7]");
  fails({-1, -1}, 0, "more than one -1");
  fails({-2, 3}, 0, "negative dimension -2");
  fails({2, 3, 0}, 0, "copies axis 2");
  fails({0, -1}, 1, "allowzero");
}

TEST(Flatten, SplitsAtTheAxis) {
  const std::vector<float> data{1, 2, 3, 4, 5, 6};
  const auto flat = [&](int64_t axis, const Shape& want) {
    OpCase("Flatten", 13)
        .In<float>({1, 2, 3}, data)
        .Attr("axis", axis)
        .Expect<float>(want, data)
        .Run();
  };
  flat(0, {1, 6});
  flat(1, {1, 6});
  flat(2, {2, 3});
  flat(3, {6, 1});
  flat(-1, {2, 3});
  OpCase("Flatten", 13).In<float>({}, {1}).Attr("axis", 0).Expect<float>({1, 1}, {1}).Run();
  OpCase("Flatten", 9).In<float>({2, 0, 3}, {}).Expect<float>({2, 0}, {}).Run();
  OpCase("Flatten", 13)
      .In<float>({2}, {1, 2})
      .Attr("axis", 2)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 2 is out of range for rank 1");
}

TEST(Squeeze, DropsOnes) {
  OpCase("Squeeze", 1).In<float>({1, 2, 1}, {1, 2}).Expect<float>({2}, {1, 2}).Run();
  OpCase("Squeeze", 11)
      .In<float>({1, 2, 1}, {1, 2})
      .Ints("axes", {-1})
      .Expect<float>({1, 2}, {1, 2})
      .Run();
  OpCase("Squeeze", 13)
      .In<float>({1, 2, 1}, {1, 2})
      .In<int64_t>({2}, {0, -1})
      .Expect<float>({2}, {1, 2})
      .Run();
  OpCase("Squeeze", 13)
      .In<float>({1, 2}, {1, 2})
      .In<int64_t>({0}, {})
      .Expect<float>({1, 2}, {1, 2})
      .Run();
  OpCase("Squeeze", 13).In<int64_t>({1}, {5}).Expect<int64_t>({}, {5}).Run();
  OpCase("Squeeze", 13)
      .In<float>({1, 2}, {1, 2})
      .In<int64_t>({1}, {1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 1 of [1, 2] is not 1");
  OpCase("Squeeze", 13)
      .In<float>({1, 2}, {1, 2})
      .In<int64_t>({2}, {0, -2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 0 twice");
}

TEST(Unsqueeze, AddsOnes) {
  OpCase("Unsqueeze", 1)
      .In<float>({2}, {1, 2})
      .Ints("axes", {0, 2})
      .Expect<float>({1, 2, 1}, {1, 2})
      .Run();
  OpCase("Unsqueeze", 13)
      .In<float>({2}, {1, 2})
      .In<int64_t>({2}, {-1, 0})
      .Expect<float>({1, 2, 1}, {1, 2})
      .Run();
  OpCase("Unsqueeze", 13)
      .In<int64_t>({}, {5})
      .In<int64_t>({1}, {0})
      .Expect<int64_t>({1}, {5})
      .Run();
  OpCase("Unsqueeze", 13)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1}, {3})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 3 is out of range for rank 2");
}

TEST(Identity, TakesEveryKind) {
  OpCase("Identity", 1).In<float>({2}, {1, 2}).Expect<float>({2}, {1, 2}).Run();
  OpCase("Identity", 25).In<U2>({3}, {1, 2, 3}).Expect<U2>({3}, {1, 2, 3}).Run();
  SequenceValue sequence{ValueType::Tensor(DType::kF32), {MakeCaseTensor<float>({1}, {4})}};
  OpCase("Identity", 14).InValue(Value(sequence)).ExpectValue(Value(sequence)).Run();
  OptionalValue none{ValueType::Tensor(DType::kF32), nullptr};
  OpCase("Identity", 16).InValue(Value(none)).ExpectValue(Value(none)).Run();
}

}  // namespace
}  // namespace waybill::kernel
