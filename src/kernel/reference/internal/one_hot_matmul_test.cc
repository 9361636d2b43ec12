#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(OneHotMatMul, PicksRowsAndZeros) {
  OpCase("OneHotMatMul", 1, "waybill")
      .In<int32_t>({2, 3}, {0, 2, -1, -3, 3, -4})
      .In<float>({3, 2}, {1, 2, 3, 4, 5, 6})
      .Expect<float>({2, 3, 2}, {1, 2, 5, 6, 5, 6, 1, 2, 0, 0, 0, 0})
      .Run();
  OpCase("OneHotMatMul", 1, "waybill")
      .In<int64_t>({}, {1})
      .In<float>({2, 1}, {1, 2})
      .Expect<float>({1}, {2})
      .Run();
  OpCase("OneHotMatMul", 1, "waybill")
      .In<uint8_t>({0}, {})
      .In<float>({2, 1}, {1, 2})
      .Expect<float>({0, 1}, {})
      .Run();
}

TEST(OneHotMatMul, RefusesWhatIsNoMatrix) {
  OpCase("OneHotMatMul", 1, "waybill")
      .In<int64_t>({1}, {0})
      .In<float>({2}, {1, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "no matrix");
}

}  // namespace
}  // namespace waybill::kernel
