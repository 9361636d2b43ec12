// Gather, GatherElements, GatherND.
#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(Gather, AlongAnyAxis) {
  OpCase("Gather", 13)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .In<int64_t>({1, 2}, {2, -3})
      .Attr("axis", -1)
      .Expect<float>({2, 1, 2}, {3, 1, 6, 4})
      .Run();
  OpCase("Gather", 1).In<float>({3}, {1, 2, 3}).In<int32_t>({}, {1}).Expect<float>({}, {2}).Run();
  OpCase("Gather", 11).In<float>({0, 2}, {}).In<int64_t>({0}, {}).Expect<float>({0, 2}, {}).Run();
  OpCase("Gather", 11).In<float>({2, 0}, {}).In<int64_t>({1}, {1}).Expect<float>({1, 0}, {}).Run();
}

TEST(Gather, NamesAWrongIndex) {
  for (const int64_t index : {int64_t{3}, int64_t{-4}, INT64_MIN, INT64_MAX}) {
    OpCase("Gather", 13)
        .In<float>({3}, {1, 2, 3})
        .In<int64_t>({1}, {index})
        .Out(DType::kF32)
        .Fails(Code::kInvalidArgument, "is out of range [-3, 3) of axis 0");
  }
  OpCase("Gather", 13)
      .In<float>({}, {1})
      .In<int64_t>({}, {0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 0 is out of range for rank 0");
}

TEST(GatherElements, PicksAlongOneAxis) {
  OpCase("GatherElements", 13)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<int64_t>({2, 2}, {0, 0, 1, 0})
      .Attr("axis", 1)
      .Expect<float>({2, 2}, {1, 1, 4, 3})
      .Run();
  OpCase("GatherElements", 11)
      .In<std::string>({3, 2}, {"a", "b", "c", "d", "e", "f"})
      .In<int32_t>({1, 2}, {-1, 0})
      .Expect<std::string>({1, 2}, {"e", "b"})
      .Run();
  OpCase("GatherElements", 11)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<int64_t>({0, 2}, {})
      .Expect<float>({0, 2}, {})
      .Run();
  OpCase("GatherElements", 11)
      .In<float>({2, 2}, {1, 2, 3, 4})
      .In<int64_t>({1, 1}, {2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "index 2 is out of range [-2, 2) of axis 0");
  OpCase("GatherElements", 11)
      .In<float>({2, 1}, {1, 2})
      .In<int64_t>({1, 2}, {0, 0})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "exceed data [2, 1] in axis 1");
}

TEST(GatherND, TuplesAndBatches) {
  OpCase("GatherND", 11)
      .In<int32_t>({2, 2}, {0, 1, 2, 3})
      .In<int64_t>({2, 2}, {0, 0, -1, 1})
      .Expect<int32_t>({2}, {0, 3})
      .Run();
  OpCase("GatherND", 12)
      .In<int32_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7})
      .In<int64_t>({2, 1}, {1, 0})
      .Attr("batch_dims", 1)
      .Expect<int32_t>({2, 2}, {2, 3, 4, 5})
      .Run();
  OpCase("GatherND", 13)
      .In<int32_t>({2, 2}, {0, 1, 2, 3})
      .In<int64_t>({0, 1}, {})
      .Expect<int32_t>({0, 2}, {})
      .Run();
  OpCase("GatherND", 13)
      .In<int32_t>({2, 2}, {0, 1, 2, 3})
      .In<int64_t>({1, 2}, {0, 2})
      .Out(DType::kI32)
      .Fails(Code::kInvalidArgument, "index 2 is out of range [-2, 2) of axis 1");
  OpCase("GatherND", 13)
      .In<int32_t>({2}, {0, 1})
      .In<int64_t>({1, 2}, {0, 0})
      .Out(DType::kI32)
      .Fails(Code::kInvalidArgument, "index tuples of 2");
}

}  // namespace
}  // namespace waybill::kernel
