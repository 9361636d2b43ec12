#include "kernel/reference/testing/op_case.h"

#include <gtest/gtest-spi.h>

namespace waybill::kernel {
namespace {

TEST(OpCase, MakesElementsOfEveryWidth) {
  EXPECT_EQ(ElementsOf<Half>(MakeCaseTensor<Half>({2}, {1.5, -2})), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(ElementsOf<I4>(MakeCaseTensor<I4>({3}, {-8, 7, 1})), (std::vector<int>{-8, 7, 1}));
  EXPECT_EQ(ElementsOf<bool>(MakeCaseTensor<bool>({2}, {true, false})),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(ElementsOf<std::string>(MakeCaseTensor<std::string>({1}, {"a"})),
            (std::vector<std::string>{"a"}));
}

TEST(OpCase, SeesDifferences) {
  const Value one = MakeCaseTensor<float>({1}, {1});
  const Value two = MakeCaseTensor<float>({1}, {2});
  EXPECT_NONFATAL_FAILURE(ExpectSameValue(one, two, 1e-3, 0, "x"), "element 0");
  EXPECT_FATAL_FAILURE(
      ExpectSameValue(MakeCaseTensor<float>({1}, {1}), MakeCaseTensor<float>({}, {1}), 0, 0, "x"),
      "[1]");
  ExpectSameValue(one, one, 0, 0, "x");
}

TEST(OpCase, UnknownOperatorFails) {
  OpCase("NoSuchOperator", 1)
      .In<float>({1}, {1})
      .Out(DType::kF32)
      .Fails(Code::kNotImplemented, "NoSuchOperator");
}

}  // namespace
}  // namespace waybill::kernel
