#include <cmath>
#include <limits>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

// Conv of [-2, -1, 0, 3] with the filter [2] and the bias 1: [-3, -1, 1, 7].
OpCase& Prepare(OpCase& op, const char* activation) {
  return op.In<float>({1, 1, 4}, {-2, -1, 0, 3})
      .In<float>({1, 1, 1}, {2})
      .In<float>({1}, {1})
      .Attr("activation", activation);
}

TEST(FusedConv, Activations) {
  OpCase relu("FusedConv", 1, "waybill");
  Prepare(relu, "Relu").Expect<float>({1, 1, 4}, {0, 0, 1, 7}).Run();
  OpCase clip("FusedConv", 1, "waybill");
  Prepare(clip, "Clip").Attr("activation_min", -2.0).Attr("activation_max", 6.0);
  clip.Expect<float>({1, 1, 4}, {-2, -1, 1, 6}).Run();
  OpCase leaky("FusedConv", 1, "waybill");
  Prepare(leaky, "LeakyRelu").Attr("activation_alpha", 0.5);
  leaky.Expect<float>({1, 1, 4}, {-1.5, -0.5, 1, 7}).Run();
  OpCase sigmoid("FusedConv", 1, "waybill");
  Prepare(sigmoid, "Sigmoid");
  sigmoid
      .Expect<float>({1, 1, 4}, {1 / (1 + std::exp(3.f)), 1 / (1 + std::exp(1.f)),
                                 1 / (1 + std::exp(-1.f)), 1 / (1 + std::exp(-7.f))})
      .Run();
  OpCase tanh("FusedConv", 1, "waybill");
  Prepare(tanh, "Tanh");
  tanh.Expect<float>({1, 1, 4}, {std::tanh(-3.f), std::tanh(-1.f), std::tanh(1.f), std::tanh(7.f)})
      .Run();
  OpCase hard("FusedConv", 1, "waybill");
  Prepare(hard, "HardSigmoid").Attr("activation_alpha", 0.25).Attr("activation_beta", 0.5);
  hard.Expect<float>({1, 1, 4}, {0, 0.25, 0.75, 1}).Run();
}

TEST(FusedConv, NanStays) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* activation : {"Relu", "Clip", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid"}) {
    OpCase("FusedConv", 1, "waybill")
        .In<float>({1, 1, 1}, {nan})
        .In<float>({1, 1, 1}, {1})
        .Attr("activation", activation)
        .Expect<float>({1, 1, 1}, {nan})
        .Run();
  }
}

TEST(FusedConv, UnknownActivation) {
  OpCase("FusedConv", 1, "waybill")
      .In<float>({1, 1, 1}, {1})
      .In<float>({1, 1, 1}, {1})
      .Attr("activation", "Selu")
      .Out(DType::kF32)
      .Fails(Code::kNotImplemented, "Selu");
}

}  // namespace
}  // namespace waybill::kernel
