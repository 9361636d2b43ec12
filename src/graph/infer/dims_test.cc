#include "graph/infer/dims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::graph::infer {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;

TEST(Dims, KnownUnknownAndNeutral) {
  const Dim n = Dim::Symbol("n");
  EXPECT_EQ(*AddDims(2, 3), Dim(5));
  EXPECT_EQ(*AddDims(n, 0), n);
  EXPECT_EQ(*AddDims(n, 1), Dim());
  EXPECT_EQ(*MulDims(2, 3), Dim(6));
  EXPECT_EQ(*MulDims(1, n), n);
  EXPECT_EQ(*MulDims(n, 0), Dim(0));
  EXPECT_EQ(*MulDims(n, 2), Dim());
  EXPECT_EQ(*ProductOf(SymShape(Shape{2, 3, 4}), 1, 3), Dim(12));
  EXPECT_EQ(*ProductOf(SymShape(Shape{2, 3, 4}), 1, 1), Dim(1));
  // Not more than nothing, however long the others are.
  EXPECT_EQ(*ProductOf(SymShape(Shape{kHuge, kHuge, 0}), 0, 3), Dim(0));
}

TEST(Dims, OverflowIsAnError) {
  const auto text = [](const Result<Dim>& dim) { return dim.ok() ? "" : dim.status().ToString(); };
  EXPECT_THAT(text(AddDims(kHuge, kHuge)), testing::HasSubstr("4611686018427387904 + "));
  EXPECT_THAT(text(MulDims(kHuge, 2)), testing::HasSubstr(" x 2 elements overflows"));
  EXPECT_THAT(text(ProductOf(SymShape(Shape{4, kHuge}), 0, 2)), testing::HasSubstr("overflows"));
}

}  // namespace
}  // namespace waybill::graph::infer
