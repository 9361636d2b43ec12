#include <cmath>
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

// Conv of [-2, -1, 0, 3] with the filter [2] and the bias 1: [-3, -1, 1, 7].
OpCase& Prepare(OpCase& op, const char* expr) {
  return op.In<float>({1, 1, 4}, {-2, -1, 0, 3})
      .In<float>({1, 1, 1}, {2})
      .In<float>({1}, {1})
      .Attr("expr", expr);
}

TEST(InternalConv, Epilogues) {
  OpCase relu("Conv", 1, "waybill");
  Prepare(relu, "Relu(x0)").Expect<float>({1, 1, 4}, {0, 0, 1, 7}).Run();
  OpCase clip("Conv", 1, "waybill");
  Prepare(clip, "Clip(x0,-2,6)").Expect<float>({1, 1, 4}, {-2, -1, 1, 6}).Run();
  OpCase residual("Conv", 1, "waybill");
  Prepare(residual, "Add(x0,x1);Relu(t0);Mul(t1,x2)");
  residual.In<float>({1, 1, 4}, {1, 2, 3, 4}).In<float>({}, {10});
  residual.Expect<float>({1, 1, 4}, {0, 10, 40, 110}).Run();
}

TEST(InternalConv, NanStays) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OpCase("Conv", 1, "waybill")
      .In<float>({1, 1, 1}, {nan})
      .In<float>({1, 1, 1}, {1})
      .Attr("expr", "Clip(x0,0,6)")
      .Expect<float>({1, 1, 1}, {nan})
      .Run();
}

TEST(InternalConv, ChannelsLast) {
  // Two pixels of two channels; the filters take the channels apart and swap them.
  OpCase("Conv", 1, "waybill")
      .In<float>({1, 1, 2, 2}, {1, 2, 3, 4})
      .In<float>({3, 2, 1, 1}, {0, 1, 1, 0, 1, 1})
      .Omit()
      .In<float>({3}, {100, 200, 300})
      .Attr("channels_last", 1)
      .Attr("expr", "Add(x0,x1)")
      .Expect<float>({1, 1, 2, 3}, {102, 201, 303, 104, 203, 307})
      .Run();
}

TEST(InternalConv, WhatDoesNotFit) {
  OpCase unknown("Conv", 1, "waybill");
  Prepare(unknown, "Selu(x0)").Out(DType::kF32).Fails(Code::kInvalidArgument, "Selu");
  OpCase missing("Conv", 1, "waybill");
  Prepare(missing, "Add(x0,x1)").Out(DType::kF32).Fails(Code::kInvalidArgument, "operands");
  OpCase wide("Conv", 1, "waybill");
  Prepare(wide, "Add(x0,x1)").In<float>({2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  wide.Out(DType::kF32).Fails(Code::kInvalidArgument, "broadcast");
}

TEST(InternalConvTranspose, ChannelsLast) {
  OpCase("ConvTranspose", 1, "waybill")
      .In<float>({1, 2, 2}, {1, 2, 3, 4})
      .In<float>({2, 1, 2}, {1, 10, 100, 1000})
      .Attr("channels_last", 1)
      .Ints("strides", {2})
      .Expect<float>({1, 4, 1}, {201, 2010, 403, 4030})
      .Run();
}

TEST(InternalPool, ChannelsLast) {
  OpCase("MaxPool", 1, "waybill")
      .In<float>({1, 3, 2}, {1, 20, 3, 2, 0, 30})
      .Ints("kernel_shape", {2})
      .Expect<float>({1, 2, 2}, {3, 20, 3, 30})
      .Run();
  OpCase("AveragePool", 1, "waybill")
      .In<float>({1, 3, 2}, {1, 20, 3, 2, 0, 30})
      .Ints("kernel_shape", {2})
      .Ints("pads", {1, 0})
      .Attr("count_include_pad", 1)
      .Expect<float>({1, 3, 2}, {0.5, 10, 2, 11, 1.5, 16})
      .Run();
}

TEST(InternalLrn, ChannelsLast) {
  OpCase("LRN", 1, "waybill")
      .In<float>({1, 2, 2}, {1, 2, 3, 4})
      .Attr("size", 3)
      .Attr("alpha", 3.0)
      .Attr("beta", 1.0)
      .Expect<float>({1, 2, 2}, {1.0f / 6, 2.0f / 6, 3.0f / 26, 4.0f / 26})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
