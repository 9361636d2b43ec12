// ReverseSequence, Trilu, CenterCropPad.
#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(ReverseSequence, EitherAxisOrder) {
  OpCase("ReverseSequence", 10)
      .In<float>({3, 2}, {0, 1, 2, 3, 4, 5})
      .In<int64_t>({2}, {3, 2})
      .Expect<float>({3, 2}, {4, 3, 2, 1, 0, 5})
      .Run();
  OpCase("ReverseSequence", 10)
      .In<std::string>({2, 3}, {"a", "b", "c", "d", "e", "f"})
      .In<int64_t>({2}, {2, 0})
      .Attr("batch_axis", 0)
      .Attr("time_axis", 1)
      .Expect<std::string>({2, 3}, {"b", "a", "c", "d", "e", "f"})
      .Run();
  OpCase("ReverseSequence", 10)
      .In<float>({3, 1}, {1, 2, 3})
      .In<int64_t>({1}, {4})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "sequence length 4 of batch 0 is not in [0, 3]");
  OpCase("ReverseSequence", 10)
      .In<float>({3, 1}, {1, 2, 3})
      .In<int64_t>({2}, {1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "batch axis");
}

TEST(Trilu, UpperAndLower) {
  const std::vector<int64_t> data{1, 2, 3, 4, 5, 6};
  const auto trilu = [&](int64_t upper, int64_t k, const std::vector<int64_t>& want) {
    OpCase("Trilu", 14)
        .In<int64_t>({2, 3}, data)
        .In<int64_t>({}, {k})
        .Attr("upper", upper)
        .Expect<int64_t>({2, 3}, want)
        .Run();
  };
  trilu(1, 0, {1, 2, 3, 0, 5, 6});
  trilu(1, 1, {0, 2, 3, 0, 0, 6});
  trilu(1, -1, {1, 2, 3, 4, 5, 6});
  trilu(1, INT64_MAX, {0, 0, 0, 0, 0, 0});
  trilu(1, INT64_MIN, data);
  trilu(0, 0, {1, 0, 0, 4, 5, 0});
  trilu(0, -1, {0, 0, 0, 4, 0, 0});
  trilu(0, INT64_MAX, data);
  trilu(0, INT64_MIN, {0, 0, 0, 0, 0, 0});
  OpCase("Trilu", 14).In<float>({2, 0}, {}).Expect<float>({2, 0}, {}).Run();
  OpCase("Trilu", 14)
      .In<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
      .Expect<float>({2, 2, 2}, {1, 2, 0, 4, 5, 6, 0, 8})
      .Run();
  OpCase("Trilu", 14)
      .In<float>({2}, {1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "rank 2 or more");
}

TEST(CenterCropPad, CutsAndFills) {
  OpCase("CenterCropPad", 18)
      .In<float>({4, 1}, {1, 2, 3, 4})
      .In<int64_t>({2}, {1, 4})
      .Expect<float>({1, 4}, {0, 2, 0, 0})
      .Run();
  OpCase("CenterCropPad", 18)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .In<int32_t>({1}, {1})
      .Ints("axes", {-1})
      .Expect<float>({2, 1}, {2, 5})
      .Run();
  OpCase("CenterCropPad", 18)
      .In<float>({2}, {1, 2})
      .In<int64_t>({2}, {1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "2 sizes for 1 axes");
}

}  // namespace
}  // namespace waybill::kernel
