#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

TEST(MaxPoolTest, IndicesCountTheWholeTensorInEitherOrder) {
  OpCase("MaxPool", 12)
      .In<float>({1, 2, 2, 2}, {1, 5, 3, 2, 9, 1, 1, 1})
      .Ints("kernel_shape", {2, 2})
      .Expect<float>({1, 2, 1, 1}, {5, 9})
      .Expect<int64_t>({1, 2, 1, 1}, {1, 4})
      .Run();
  OpCase("MaxPool", 12)
      .In<float>({1, 1, 2, 3}, {1, 9, 3, 4, 5, 6})
      .Ints("kernel_shape", {2, 3})
      .Attr("storage_order", 1)
      .Expect<float>({1, 1, 1, 1}, {9})
      .Expect<int64_t>({1, 1, 1, 1}, {2})
      .Run();
}

TEST(MaxPoolTest, CeilModeDropsWindowsThatStartInThePadding) {
  OpCase("MaxPool", 12)
      .In<uint8_t>({1, 1, 5}, {1, 2, 3, 4, 5})
      .Ints("kernel_shape", {2})
      .Ints("strides", {2})
      .Attr("ceil_mode", 1)
      .Expect<uint8_t>({1, 1, 3}, {2, 4, 5})
      .Run();
  OpCase("MaxPool", 22)
      .In<float>({1, 1, 2}, {1, 2})
      .Ints("kernel_shape", {1})
      .Ints("strides", {2})
      .Ints("pads", {0, 1})
      .Attr("ceil_mode", 1)
      .Expect<float>({1, 1, 2}, {1, -std::numeric_limits<float>::infinity()})
      .Run();
}

TEST(AveragePoolTest, CountsPaddingOnlyWhenAsked) {
  OpCase("AveragePool", 19)
      .In<float>({1, 1, 2}, {2, 4})
      .Ints("kernel_shape", {2})
      .Ints("pads", {1, 1})
      .Expect<float>({1, 1, 3}, {2, 3, 4})
      .Run();
  OpCase("AveragePool", 19)
      .In<float>({1, 1, 2}, {2, 4})
      .Ints("kernel_shape", {2})
      .Ints("pads", {1, 1})
      .Attr("count_include_pad", 1)
      .Expect<float>({1, 1, 3}, {1, 3, 2})
      .Run();
}

TEST(AveragePoolTest, CeilModeWindowsDoNotCountWhatLiesBeyondThePadding) {
  OpCase("AveragePool", 22)
      .In<float>({1, 1, 3}, {2, 4, 6})
      .Ints("kernel_shape", {2})
      .Ints("strides", {2})
      .Attr("ceil_mode", 1)
      .Attr("count_include_pad", 1)
      .Expect<float>({1, 1, 2}, {3, 6})
      .Run();
}

TEST(LpPoolTest, TakesTheRootOfPowers) {
  OpCase("LpPool", 18)
      .In<float>({1, 1, 3}, {3, -4, 0})
      .Ints("kernel_shape", {2})
      .Expect<float>({1, 1, 2}, {5, 4})
      .Run();
}

TEST(GlobalPoolTest, ReducesAllSpatialAxes) {
  OpCase("GlobalAveragePool", 1)
      .In<float>({1, 2, 2, 1}, {1, 3, 5, 7})
      .Expect<float>({1, 2, 1, 1}, {2, 6})
      .Run();
  OpCase("GlobalMaxPool", 22)
      .In<double>({1, 1, 3}, {-3, -1, -2})
      .Expect<double>({1, 1, 1}, {-1})
      .Run();
  OpCase("GlobalLpPool", 2).In<float>({1, 1, 2}, {3, 4}).Expect<float>({1, 1, 1}, {5}).Run();
}

TEST(PoolTest, WindowLargerThanInputFails) {
  OpCase("AveragePool", 7)
      .In<float>({1, 1, 2}, {1, 2})
      .Ints("kernel_shape", {4})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "larger than the axis");
  OpCase("MaxPool", 12)
      .In<float>({1, 1, 1}, {1})
      .Ints("kernel_shape", {3})
      .Attr("ceil_mode", 1)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "larger than the axis");
}

// The formula of the specification gives nothing, or with ceil_mode one window that is not filled.
TEST(PoolTest, WindowLargerThanInputByLessThanAStride) {
  for (const char* op : {"MaxPool", "AveragePool", "LpPool"}) {
    OpCase(op, 22)
        .In<float>({1, 1, 1}, {3})
        .Ints("kernel_shape", {2})
        .Expect<float>({1, 1, 0}, {})
        .Run();
    OpCase(op, 22)
        .In<float>({1, 1, 1}, {3})
        .Ints("kernel_shape", {2})
        .Ints("strides", {2})
        .Expect<float>({1, 1, 0}, {})
        .Run();
    OpCase(op, 22)
        .In<float>({1, 1, 1}, {3})
        .Ints("kernel_shape", {2})
        .Ints("strides", {2})
        .Attr("ceil_mode", 1)
        .Expect<float>({1, 1, 1}, {3})
        .Run();
    OpCase(op, 22)
        .In<float>({1, 1, 2, 3}, {1, 1, 1, 1, 1, 1})
        .Ints("kernel_shape", {5, 3})
        .Ints("strides", {3, 1})
        .Attr("ceil_mode", 1)
        .Expect<float>({1, 1, 0, 1}, {})
        .Run();
  }
}

TEST(MaxUnpoolTest, PutsValuesBackAndChecksIndices) {
  OpCase("MaxUnpool", 9)
      .In<float>({1, 1, 1, 2}, {5, 6})
      .In<int64_t>({1, 1, 1, 2}, {1, 6})
      .Ints("kernel_shape", {2, 2})
      .Ints("strides", {2, 2})
      .Expect<float>({1, 1, 2, 4}, {0, 5, 0, 0, 0, 0, 6, 0})
      .Run();
  OpCase("MaxUnpool", 9)
      .In<float>({1, 1, 1, 1}, {5})
      .In<int64_t>({1, 1, 1, 1}, {4})
      .Ints("kernel_shape", {2, 2})
      .Ints("strides", {2, 2})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "out of range");
}

TEST(MaxRoiPoolTest, TakesTheMaximumOfEachBin) {
  OpCase("MaxRoiPool", 1)
      .In<float>({1, 1, 2, 2}, {1, 2, 3, 4})
      .In<float>({2, 5}, {0, 0, 0, 1, 1, 0, 0, 0, 0, 0})
      .Ints("pooled_shape", {1, 2})
      .Expect<float>({2, 1, 1, 2}, {3, 4, 1, 1})
      .Run();
  OpCase("MaxRoiPool", 1)
      .In<float>({1, 1, 1, 1}, {1})
      .In<float>({1, 5}, {1, 0, 0, 1, 1})
      .Ints("pooled_shape", {1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "sample 1");
}

TEST(RoiAlignTest, SamplesBilinearlyAndChecksBatchIndices) {
  OpCase("RoiAlign", 16)
      .In<float>({1, 1, 2, 2}, {1, 2, 3, 4})
      .In<float>({1, 4}, {0, 0, 2, 2})
      .In<int64_t>({1}, {0})
      .Attr("sampling_ratio", 1)
      .Expect<float>({1, 1, 1, 1}, {2.5})
      .Run();
  OpCase("RoiAlign", 10)
      .In<float>({1, 1, 2, 2}, {1, 2, 3, 4})
      .In<float>({1, 4}, {0, 0, 2, 2})
      .In<int64_t>({1}, {-1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "sample -1");
}

}  // namespace
}  // namespace waybill::kernel
