#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cpu/testing/twin_case.h"

namespace waybill::cpu {
namespace {

constexpr DType kTypes[] = {DType::kU8,  DType::kBool, DType::kF16, DType::kF32,
                            DType::kI64, DType::kC64,  DType::kC128};
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(MoveTranspose, EveryOrder) {
  const std::vector<Shape> shapes = {{2, 3, 4}, {1, 3, 1}, {5, 0, 2}, {17, 9, 33}, {1, 64, 20}};
  for (const DType type : kTypes) {
    for (const Shape& shape : shapes) {
      std::vector<int64_t> perm = {0, 1, 2};
      do {
        TwinCase{"Transpose", 13, {TestRandomBytes(type, shape, 1)}, {type}}
            .Ints("perm", perm)
            .Expect("transpose.move");
      } while (std::next_permutation(perm.begin(), perm.end()));
    }
    TwinCase{"Transpose", 13, {TestRandomBytes(type, {3, 5, 2, 4}, 1)}, {type}}.Expect(
        "transpose.move");
    TwinCase{"Transpose", 13, {TestRandomBytes(type, {}, 1)}, {type}}.Expect("transpose.move");
    TwinCase{"Transpose", 13, {TestRandomBytes(type, {2, 3, 4, 5}, 1)}, {type}}
        .Ints("perm", {0, 2, 3, 1})
        .Expect("transpose.move");
  }
  // Big enough for several threads.
  TwinCase{"Transpose", 13, {TestRandomBytes(DType::kF32, {2, 65, 33, 50}, 1)}, {DType::kF32}}
      .Ints("perm", {0, 3, 1, 2})
      .Expect("transpose.move");
}

TEST(MoveTranspose, OrderKeptIsAView) {
  const TwinCase moved = TwinCase{
      "Transpose",
      13,
      {TestRandomBytes(DType::kF32, {1, 8, 1, 5}, 1)},
      {DType::kF32}}.Ints("perm", {1, 0, 2, 3});
  const auto outcome = moved.RunFast();
  ASSERT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.outputs[0].tensor()->view().data, moved.inputs[0].view().data);
}

TEST(MoveConcat, EveryAxis) {
  for (const DType type : kTypes) {
    for (int64_t axis = -3; axis < 3; ++axis) {
      std::vector<Tensor> inputs;
      for (const int64_t dim : {3, 0, 1, 4}) {
        Shape shape{2, 3, 5};
        shape[static_cast<size_t>(axis < 0 ? axis + 3 : axis)] = dim;
        inputs.push_back(TestRandomBytes(type, shape, static_cast<uint32_t>(dim)));
      }
      TwinCase{"Concat", 13, inputs, {type}}.Int("axis", axis).Expect("concat.move");
    }
    TwinCase{"Concat", 13, {TestRandomBytes(type, {4, 2}, 1)}, {type}}.Int("axis", 1).Expect(
        "concat.move");
    TwinCase{
        "Concat", 13, {TestRandomBytes(type, {0, 2}, 1), TestRandomBytes(type, {0, 3}, 1)}, {type}}
        .Int("axis", 1)
        .Expect("concat.move");
  }
  TwinCase{"Concat",
           13,
           {TestRandomBytes(DType::kF32, {70, 300, 5}, 1),
            TestRandomBytes(DType::kF32, {70, 300, 3}, 2)},
           {DType::kF32}}
      .Int("axis", 2)
      .Expect("concat.move");
  TwinCase{"Concat",
           13,
           {TestRandomBytes(DType::kF32, {2, 2}, 1), TestTensor(DType::kF32, {3, 3})},
           {DType::kF32}}
      .Int("axis", 1)
      .Expect("concat.move");
}

TEST(MoveSplit, SizesAndCounts) {
  for (const DType type : kTypes) {
    for (int64_t axis = -2; axis < 2; ++axis) {
      const Tensor x = TestRandomBytes(type, {6, 6}, 1);
      TwinCase{"Split", 18, {x, TestInts({1, 0, 5})}, {type, type, type}}
          .Int("axis", axis)
          .Expect("split.move");
      TwinCase{"Split", 18, {x}, {type, DType::kUndefined, type}}
          .Int("axis", axis)
          .Int("num_outputs", 3)
          .Expect("split.move");
      TwinCase{"Split", 18, {x}, {type, type, type, type}}
          .Int("axis", axis)
          .Int("num_outputs", 4)
          .Expect("split.move");
      TwinCase{"Split", 11, {x}, {type, type}}
          .Int("axis", axis)
          .Ints("split", {2, 4})
          .Expect("split.move");
      TwinCase{"Split", 13, {x}, {type}}.Int("axis", axis).Expect("split.move");
      TwinCase{"Split", 18, {x, TestInts({1, 2})}, {type, type}}
          .Int("axis", axis)
          .Expect("split.move");
    }
  }
}

TEST(MoveSlice, StartsEndsSteps) {
  for (const DType type : {DType::kU8, DType::kF32, DType::kC128}) {
    const Tensor x = TestRandomBytes(type, {7, 20}, 1);
    for (const int64_t start : {int64_t{0}, int64_t{3}, int64_t{-1}, int64_t{-9}, kMax, kMin}) {
      for (const int64_t end : {int64_t{0}, int64_t{5}, int64_t{-2}, kMax, kMin}) {
        for (const int64_t step : {int64_t{1}, int64_t{2}, int64_t{3}, int64_t{-1}, int64_t{-2},
                                   kMax, kMin, int64_t{0}}) {
          for (const int64_t axis : {0, -1}) {
            TwinCase{"Slice",
                     13,
                     {x, TestInts({start}), TestInts({end}), TestInts({axis}), TestInts({step})},
                     {type}}
                .Expect("slice.move");
          }
        }
      }
    }
    TwinCase{"Slice",
             13,
             {x, TestInts({1, 2}), TestInts({kMax, -1}), Tensor(), TestInts({2, 2})},
             {type}}
        .Expect("slice.move");
    TwinCase{"Slice", 1, {x}, {type}}
        .Ints("starts", {1})
        .Ints("ends", {4})
        .Ints("axes", {1})
        .Expect("slice.move");
    TwinCase{"Slice", 13, {x, TestInts({0, 0, 0}), TestInts({1, 1, 1})}, {type}}.Expect(
        "slice.move");
    TwinCase{
        "Slice", 13, {x, TestTensorOf<int32_t>({1}, {2}), TestTensorOf<int32_t>({1}, {-1})}, {type}}
        .Expect("slice.move");
  }
  TwinCase{"Slice",
           13,
           {TestRandomBytes(DType::kF32, {300, 700}, 3), TestInts({1, 1}), TestInts({kMax, kMax}),
            TestInts({0, 1}), TestInts({1, 2})},
           {DType::kF32}}
      .Expect("slice.move");
}

TEST(MoveExpandTile, EveryPlace) {
  for (const DType type : kTypes) {
    for (const Shape& shape : std::vector<Shape>{{}, {1}, {3}, {2, 1}, {1, 3}, {2, 3}, {2, 1, 3}}) {
      for (const auto& target : std::vector<std::vector<int64_t>>{
               {}, {1}, {3}, {2, 3}, {4, 2, 3}, {2, 5, 3}, {0}, {0, 1, 1}}) {
        TwinCase{"Expand", 13, {TestRandomBytes(type, shape, 1), TestInts(target)}, {type}}.Expect(
            "expand.move");
      }
      for (const int64_t repeat : {0, 1, 2, 3}) {
        std::vector<int64_t> repeats(shape.rank(), 1);
        for (size_t i = 0; i < repeats.size(); ++i) {
          repeats[i] = repeat;
          TwinCase{"Tile", 13, {TestRandomBytes(type, shape, 1), TestInts(repeats)}, {type}}.Expect(
              "tile.move");
          if (i % 2 == 1) repeats[i] = 1;
        }
      }
    }
    TwinCase{"Tile", 13, {TestRandomBytes(type, {2, 0}, 1), TestInts({2, 3})}, {type}}.Expect(
        "tile.move");
    TwinCase{"Tile", 13, {TestRandomBytes(type, {2, 2}, 1), TestInts({2})}, {type}}.Expect(
        "tile.move");
  }
}

TEST(MovePad, ModesAndAmounts) {
  for (const DType type : kTypes) {
    const Tensor x = TestRandomBytes(type, {3, 4, 5}, 1);
    const Tensor value = TestRandomBytes(type, {}, 7);
    for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
      for (const auto& pads : std::vector<std::vector<int64_t>>{{0, 0, 0, 0, 0, 0},
                                                                {0, 1, 2, 0, 0, 3},
                                                                {1, 1, 1, 1, 1, 1},
                                                                {2, 0, 0, 9, 0, 0},
                                                                {0, -1, 11, 0, 2, -2},
                                                                {0, -2, 0, 0, -2, 0},
                                                                {0, -3, 0, 0, -3, 0},
                                                                {0, 4, -5, 0, 0, 0},
                                                                {1}}) {
        TwinCase{"Pad", 18, {x, TestInts(pads), value}, {type}}
            .Text("mode", mode)
            .Expect("pad.move");
        TwinCase{"Pad", 18, {x, TestInts(pads)}, {type}}.Text("mode", mode).Expect("pad.move");
      }
      TwinCase{"Pad", 18, {x, TestInts({1, 2}), Tensor(), TestInts({-1})}, {type}}
          .Text("mode", mode)
          .Expect("pad.move");
      TwinCase{"Pad", 18, {TestRandomBytes(type, {0, 2}, 1), TestInts({1, 1, 1, 1})}, {type}}
          .Text("mode", mode)
          .Expect("pad.move");
      TwinCase{"Pad", 18, {TestRandomBytes(type, {}, 1), TestInts({})}, {type}}
          .Text("mode", mode)
          .Expect("pad.move");
    }
  }
  TwinCase old{"Pad", 2, {TestRandomFloats({2, 3}, 1)}, {DType::kF32}};
  old.Ints("pads", {0, 1, 1, 0}).attrs.Set("value", 2.5f);
  old.Expect("pad.move");
  TwinCase{
      "Pad", 18, {TestRandomFloats({40, 50, 60}, 1), TestInts({0, 2, 2, 0, 2, 2})}, {DType::kF32}}
      .Text("mode", "edge")
      .Expect("pad.move");
}

TEST(MoveGather, RowsAndErrors) {
  for (const DType type : kTypes) {
    for (const Shape& shape : std::vector<Shape>{{5}, {5, 1}, {5, 2, 3}, {3, 5, 17}, {0, 4}}) {
      for (int64_t axis = -static_cast<int64_t>(shape.rank());
           axis < static_cast<int64_t>(shape.rank()); ++axis) {
        const Tensor x = TestRandomBytes(type, shape, 1);
        for (const int64_t index : {0, 1, -1, 2, -3, 4, 5, -5, -6}) {
          TwinCase{"Gather", 13, {x, TestTensorOf<int64_t>({}, {index})}, {type}}
              .Int("axis", axis)
              .Expect("gather.move");
        }
        TwinCase{"Gather", 13, {x, TestTensorOf<int32_t>({2, 2}, {0, 1, -1, 0})}, {type}}
            .Int("axis", axis)
            .Expect("gather.move");
        TwinCase{"Gather", 13, {x, TestTensorOf<int64_t>({2, 0}, {})}, {type}}
            .Int("axis", axis)
            .Expect("gather.move");
      }
    }
  }
  std::vector<int64_t> many(1000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int64_t>(i * 7 % 90) - 45;
  TwinCase{"Gather", 13, {TestRandomFloats({3, 50, 200}, 1), TestInts(many)}, {DType::kF32}}
      .Int("axis", 1)
      .Expect("gather.move");
}

TEST(MoveOneHotMatMul, RowsAndZeros) {
  for (const int64_t columns : {0, 1, 3, 17, 300}) {
    TwinCase c{"OneHotMatMul", 1, {Tensor(), TestRandomFloats({9, columns}, 1)}, {DType::kF32}};
    c.domain = "waybill";
    c.inputs[0] = TestInts({0, 8, -9, -10, 9, 3, 3, -1});
    c.Expect("one_hot_matmul.move");
    c.inputs[0] = TestTensorOf<int32_t>({2, 2}, {1, -4, 100, 7});
    c.Expect("one_hot_matmul.move");
    c.inputs[0] = TestTensorOf<uint8_t>({3}, {1, 255, 8});
    c.Expect("one_hot_matmul.move");
    c.inputs[0] = TestInts(std::vector<int64_t>(2000, 5));
    c.Expect("one_hot_matmul.move");
    c.inputs[0] = TestInts({});
    c.Expect("one_hot_matmul.move");
  }
}

TEST(MoveDepthSpace, BothModes) {
  for (const DType type : kTypes) {
    for (const char* mode : {"DCR", "CRD"}) {
      TwinCase{"DepthToSpace", 13, {TestRandomBytes(type, {2, 12, 3, 5}, 1)}, {type}}
          .Int("blocksize", 2)
          .Text("mode", mode)
          .Expect("depth_to_space.move");
    }
    TwinCase{"SpaceToDepth", 13, {TestRandomBytes(type, {2, 3, 6, 9}, 1)}, {type}}
        .Int("blocksize", 3)
        .Expect("space_to_depth.move");
    TwinCase{"SpaceToDepth", 13, {TestRandomBytes(type, {0, 3, 6, 9}, 1)}, {type}}
        .Int("blocksize", 3)
        .Expect("space_to_depth.move");
  }
}

}  // namespace
}  // namespace waybill::cpu
