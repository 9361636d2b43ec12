#include "tensor/shape/shape.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tensor/shape/symbolic.h"

namespace waybill {
namespace {

Shape Counting(size_t rank) {
  Shape shape;
  for (size_t i = 0; i < rank; ++i) shape.PushBack(static_cast<int64_t>(i + 1));
  return shape;
}

TEST(Shape, KeepsItsDimsThroughCopiesAndMovesAtEveryRank) {
  for (size_t rank = 0; rank < 20; ++rank) {
    const Shape shape = Counting(rank);
    ASSERT_EQ(shape.rank(), rank);
    for (size_t i = 0; i < rank; ++i) ASSERT_EQ(shape[i], static_cast<int64_t>(i + 1));
    for (const size_t other_rank : {size_t{0}, size_t{3}, size_t{12}}) {
      Shape target = Shape::Filled(other_rank, 9);
      target = shape;
      EXPECT_EQ(target, shape);
      Shape moved = Shape::Filled(other_rank, 9);
      moved = std::move(target);
      EXPECT_EQ(moved, shape);
      EXPECT_EQ(target.rank(), 0u);  // NOLINT: a moved-from shape is a scalar
      target.PushBack(4);
      EXPECT_EQ(target, Shape({4}));
    }
  }
}

TEST(Shape, AssignsFromItsOwnPart) {
  Shape shape = Counting(12);
  shape.Assign(shape.dims().subspan(2, 9));
  EXPECT_EQ(shape.rank(), 9u);
  EXPECT_EQ(shape[0], 3);
  shape.Assign(shape.dims().subspan(1, 3));
  EXPECT_EQ(shape, Shape({4, 5, 6}));
  shape.Assign(shape.dims().subspan(1));
  EXPECT_EQ(shape, Shape({5, 6}));
}

TEST(Shape, CountsAndOverflows) {
  EXPECT_EQ(Shape().elems(), 1);
  EXPECT_EQ(Shape({2, 3, 4}).elems(), 24);
  EXPECT_EQ(Shape({2, 3, 4}).Stride(0), 12);
  EXPECT_EQ(Shape({2, 3, 4}).Stride(2), 1);
  EXPECT_EQ(Shape({2, 0, 4}).elems(), 0);
  EXPECT_EQ(Shape({2, 0, 4}).CheckedElems(), 0);
  EXPECT_EQ(Shape({2, -1}).CheckedElems(), std::nullopt);
  EXPECT_EQ(Shape({0, -1}).CheckedElems(), std::nullopt);
  const int64_t big = int64_t{1} << 32;
  EXPECT_EQ(Shape({big, big}).CheckedElems(), std::nullopt);
  EXPECT_EQ(Shape({0, big, big}).CheckedElems(), std::nullopt);
  EXPECT_EQ(Shape({big, big, 0}).CheckedElems(), std::nullopt);
}

TEST(Shape, Text) {
  EXPECT_EQ(Shape({1, 3, 224}).ToString(), "[1, 3, 224]");
  EXPECT_EQ(Shape().ToString(), "[]");
}

TEST(Axis, Normalizes) {
  EXPECT_EQ(NormalizeAxis(-1, 3), 2u);
  EXPECT_EQ(NormalizeAxis(0, 3), 0u);
  EXPECT_EQ(NormalizeAxis(3, 3), std::nullopt);
  EXPECT_EQ(NormalizeAxis(-4, 3), std::nullopt);
  EXPECT_EQ(NormalizeAxis(0, 0), std::nullopt);
  EXPECT_EQ(NormalizeAxis(INT64_MIN, 2), std::nullopt);
}

TEST(Broadcast, FollowsNumpy) {
  EXPECT_EQ(BroadcastShapes({2, 3}, {3}), Shape({2, 3}));
  EXPECT_EQ(BroadcastShapes({}, {4, 1}), Shape({4, 1}));
  EXPECT_EQ(BroadcastShapes({4, 1}, {1, 5}), Shape({4, 5}));
  EXPECT_EQ(BroadcastShapes({0}, {1}), Shape({0}));
  EXPECT_EQ(BroadcastShapes({0}, {2}), std::nullopt);
  EXPECT_EQ(BroadcastShapes({2}, {3}), std::nullopt);
}

TEST(SymShape, ConcreteOnlyWhenAllKnown) {
  EXPECT_EQ(SymShape().Concrete(), std::nullopt);
  EXPECT_EQ(SymShape().ToString(), "?");
  const SymShape mixed(std::vector<Dim>{Dim::Symbol("batch"), Dim(3), Dim()});
  EXPECT_EQ(mixed.ToString(), "[batch, 3, ?]");
  EXPECT_EQ(mixed.Concrete(), std::nullopt);
  EXPECT_EQ(SymShape(Shape({2, 3})).Concrete(), Shape({2, 3}));
  EXPECT_EQ(SymShape(Shape()).Elems(), 1);
  EXPECT_TRUE(Dim::Symbol("n").SameAs(Dim::Symbol("n")));
  EXPECT_FALSE(Dim::Symbol("n").SameAs(Dim::Symbol("m")));
  EXPECT_FALSE(Dim().SameAs(Dim()));
  EXPECT_TRUE(Dim(2).SameAs(2));
  EXPECT_FALSE(Dim(2).SameAs(Dim()));
}

}  // namespace
}  // namespace waybill
