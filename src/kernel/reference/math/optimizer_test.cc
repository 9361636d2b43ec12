#include <gtest/gtest.h>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

constexpr const char* kDomain = "ai.onnx.preview.training";

TEST(Optimizer, OneStepOfEachMethod) {
  OpCase("Momentum", 1, kDomain)
      .Attr("alpha", 0.5f)
      .Attr("beta", 0.25f)
      .Attr("norm_coefficient", 0.0f)
      .Attr("mode", "standard")
      .In<float>({}, {0.5f})
      .In<int64_t>({}, {0})
      .In<float>({2}, {1, 2})
      .In<float>({2}, {1, 4})
      .In<float>({2}, {2, 0})
      .Expect<float>({2}, {0, 0})
      .Expect<float>({2}, {2, 4})
      .Run();
  OpCase("Momentum", 1, kDomain)
      .Attr("alpha", 0.5f)
      .Attr("beta", 0.25f)
      .Attr("norm_coefficient", 0.0f)
      .Attr("mode", "nesterov")
      .In<float>({}, {1})
      .In<int64_t>({}, {1})
      .In<float>({1}, {1})
      .In<float>({1}, {4})
      .In<float>({1}, {2})
      .Expect<float>({1}, {-4})
      .Expect<float>({1}, {2})
      .Run();
  OpCase("Adagrad", 1, kDomain)
      .Attr("decay_factor", 1.0f)
      .Attr("epsilon", 0.0f)
      .In<float>({}, {1})
      .In<int64_t>({}, {1})
      .In<double>({1}, {1})
      .In<double>({1}, {3})
      .In<double>({1}, {16})
      .Expect<double>({1}, {0.7})
      .Expect<double>({1}, {25})
      .Run();
  OpCase("Adam", 1, kDomain)
      .Attr("alpha", 0.5f)
      .Attr("beta", 0.75f)
      .Attr("epsilon", 0.0f)
      .In<float>({}, {1})
      .In<int64_t>({}, {0})
      .In<float>({1}, {1})
      .In<float>({1}, {4})
      .In<float>({1}, {0})
      .In<float>({1}, {0})
      .Expect<float>({1}, {0})
      .Expect<float>({1}, {2})
      .Expect<float>({1}, {4})
      .Run();
}

}  // namespace
}  // namespace waybill::kernel
