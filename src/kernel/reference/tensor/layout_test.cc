// Transpose, Concat, Split, Expand, Tile: data movement, over every element type.
#include <cstring>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

// A tensor of any type whose elements are made of the bytes `codes` (strings: that many letters).
Value Coded(DType dtype, const Shape& shape, const std::vector<uint8_t>& codes) {
  const Tensor tensor = AllocateCaseTensor(dtype, shape, static_cast<size_t>(shape.elems()));
  std::byte* data = tensor.view().data;
  for (size_t i = 0; i < codes.size(); ++i) {
    switch (const size_t bits = DTypeBits(dtype)) {
      case 2:
        SetPackedBits<2>(data, i, codes[i]);
        break;
      case 4:
        SetPackedBits<4>(data, i, codes[i]);
        break;
      default:
        if (dtype == DType::kString) {
          tensor.span<std::string>()[i].assign(codes[i], 'x');
        } else {
          const int value = dtype == DType::kBool ? codes[i] & 1 : codes[i];
          std::memset(data + i * (bits / 8), value, bits / 8);
        }
    }
  }
  return Value(tensor);
}

// Runs `test(dtype)` for each element type.
template <typename Test>
void ForEveryType(Test test) {
  for (int code = 1; code < kDTypeCount; ++code) {
    const auto dtype = static_cast<DType>(code);
    SCOPED_TRACE(DTypeName(dtype));
    test(dtype);
  }
}

// Distinct in every type but bool.
constexpr uint8_t a = 0x11, b = 0x22, c = 0x33, d = 0x44;

TEST(EveryType, Transpose) {
  ForEveryType([](DType t) {
    OpCase("Transpose", 25)
        .InValue(Coded(t, {2, 3}, {a, b, c, d, a, b}))
        .ExpectValue(Coded(t, {3, 2}, {a, d, b, a, c, b}))
        .Near(0, 0)
        .Run();
  });
}

TEST(EveryType, ConcatAndSplit) {
  ForEveryType([](DType t) {
    OpCase("Concat", 13)
        .InValue(Coded(t, {2, 1}, {a, b}))
        .InValue(Coded(t, {2, 2}, {c, d, d, a}))
        .Attr("axis", -1)
        .ExpectValue(Coded(t, {2, 3}, {a, c, d, b, d, a}))
        .Near(0, 0)
        .Run();
    OpCase("Split", 18)
        .InValue(Coded(t, {3}, {b, c, d}))
        .Attr("num_outputs", 2)
        .ExpectValue(Coded(t, {2}, {b, c}))
        .ExpectValue(Coded(t, {1}, {d}))
        .Near(0, 0)
        .Run();
  });
}

TEST(EveryType, SliceBackwards) {
  ForEveryType([](DType t) {
    OpCase("Slice", 13)
        .InValue(Coded(t, {4}, {a, b, c, d}))
        .In<int64_t>({1}, {-1})
        .In<int64_t>({1}, {-100})
        .Omit()
        .In<int64_t>({1}, {-2})
        .ExpectValue(Coded(t, {2}, {d, b}))
        .Near(0, 0)
        .Run();
  });
}

TEST(EveryType, GatherAndPad) {
  ForEveryType([](DType t) {
    OpCase("Gather", 13)
        .InValue(Coded(t, {4}, {a, b, c, d}))
        .In<int32_t>({3}, {-1, 0, 1})
        .ExpectValue(Coded(t, {3}, {d, a, b}))
        .Near(0, 0)
        .Run();
    OpCase("Pad", 25)
        .InValue(Coded(t, {3}, {b, c, d}))
        .In<int64_t>({2}, {2, -1})
        .InValue(Coded(t, {}, {d}))
        .ExpectValue(Coded(t, {4}, {d, d, b, c}))
        .Near(0, 0)
        .Run();
  });
}

TEST(EveryType, ExpandAndTile) {
  ForEveryType([](DType t) {
    OpCase("Expand", 13)
        .InValue(Coded(t, {2, 1}, {b, c}))
        .In<int64_t>({3}, {1, 1, 3})
        .ExpectValue(Coded(t, {1, 2, 3}, {b, b, b, c, c, c}))
        .Near(0, 0)
        .Run();
    OpCase("Tile", 13)
        .InValue(Coded(t, {1, 2}, {b, c}))
        .In<int64_t>({2}, {2, 2})
        .ExpectValue(Coded(t, {2, 4}, {b, c, b, c, b, c, b, c}))
        .Near(0, 0)
        .Run();
  });
}

TEST(EveryType, ScatterAndTrilu) {
  ForEveryType([](DType t) {
    OpCase("ScatterND", 18)
        .InValue(Coded(t, {4}, {a, a, b, b}))
        .In<int64_t>({2, 1}, {3, 0})
        .InValue(Coded(t, {2}, {c, d}))
        .ExpectValue(Coded(t, {4}, {d, a, b, c}))
        .Near(0, 0)
        .Run();
    OpCase("Trilu", 14)
        .InValue(Coded(t, {2, 2}, {a, b, c, d}))
        .ExpectValue(Coded(t, {2, 2}, {a, b, 0, d}))
        .Near(0, 0)
        .Run();
  });
}

TEST(Transpose, Permutes) {
  std::vector<float> data(24);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  std::vector<float> want;
  for (size_t k = 0; k < 4; ++k) {
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 3; ++j) want.push_back(data[i * 12 + j * 4 + k]);
    }
  }
  OpCase("Transpose", 13)
      .In<float>({2, 3, 4}, data)
      .Ints("perm", {2, 0, 1})
      .Expect<float>({4, 2, 3}, want)
      .Run();
  OpCase("Transpose", 1).In<float>({}, {5}).Expect<float>({}, {5}).Run();
  OpCase("Transpose", 1).In<float>({2, 0}, {}).Expect<float>({0, 2}, {}).Run();
  OpCase("Transpose", 1)
      .In<float>({1, 1, 1, 1, 2, 1, 1, 1, 1, 2}, {1, 2, 3, 4})
      .Expect<float>({2, 1, 1, 1, 1, 2, 1, 1, 1, 1}, {1, 3, 2, 4})
      .Run();
  for (const std::vector<int64_t>& perm : {std::vector<int64_t>{0, 0}, {0}, {0, 2}}) {
    OpCase("Transpose", 13)
        .In<float>({1, 2}, {1, 2})
        .Ints("perm", perm)
        .Out(DType::kF32)
        .Fails(Code::kInvalidArgument, "perm");
  }
}

TEST(Concat, EmptyPartsAndErrors) {
  OpCase("Concat", 1)
      .In<float>({1, 1}, {1})
      .In<float>({1, 0}, {})
      .In<float>({1, 2}, {2, 3})
      .Expect<float>({1, 3}, {1, 2, 3})
      .Run();
  OpCase("Concat", 13)
      .In<float>({1, 2}, {1, 2})
      .In<float>({1, 3}, {1, 2, 3})
      .Attr("axis", 0)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 1 of input 1");
  OpCase("Concat", 13)
      .In<float>({2}, {1, 2})
      .In<float>({1, 2}, {1, 2})
      .Attr("axis", 0)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "differ in rank");
  OpCase("Concat", 13)
      .In<float>({}, {1})
      .Attr("axis", 0)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "axis 0 is out of range for rank 0");
}

TEST(Split, BySizesAttributeOrInput) {
  OpCase("Split", 2)
      .In<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Attr("axis", 1)
      .Ints("split", {2, 1})
      .Expect<float>({2, 2}, {1, 2, 4, 5})
      .Expect<float>({2, 1}, {3, 6})
      .Run();
  OpCase("Split", 13)
      .In<float>({3}, {1, 2, 3})
      .In<int64_t>({2}, {0, 3})
      .Expect<float>({0}, {})
      .Expect<float>({3}, {1, 2, 3})
      .Run();
  OpCase("Split", 13).In<float>({4}, {1, 2, 3, 4}).NoOut().Expect<float>({2}, {3, 4}).Run();
  OpCase("Split", 18)
      .In<float>({5}, {1, 2, 3, 4, 5})
      .Attr("num_outputs", 4)
      .Expect<float>({2}, {1, 2})
      .Expect<float>({2}, {3, 4})
      .Expect<float>({1}, {5})
      .Expect<float>({0}, {})
      .Run();
}

TEST(Split, SizesMustAddUp) {
  OpCase("Split", 13)
      .In<float>({3}, {1, 2, 3})
      .In<int64_t>({2}, {1, 1})
      .Out(DType::kF32)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "split sizes [1, 1] do not divide 3 elements");
  OpCase("Split", 13)
      .In<float>({3}, {1, 2, 3})
      .In<int64_t>({2}, {-1, 4})
      .Out(DType::kF32)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "split sizes");
  OpCase("Split", 13)
      .In<float>({3}, {1, 2, 3})
      .Out(DType::kF32)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "do not divide into 2 equal parts");
}

TEST(Expand, BroadcastsBothWays) {
  OpCase("Expand", 8)
      .In<float>({3, 1}, {1, 2, 3})
      .In<int64_t>({1}, {1})
      .Expect<float>({3, 1}, {1, 2, 3})
      .Run();
  OpCase("Expand", 8).In<float>({}, {4}).In<int64_t>({2}, {2, 0}).Expect<float>({2, 0}, {}).Run();
  OpCase("Expand", 8).In<float>({1}, {4}).In<int64_t>({0}, {}).Expect<float>({1}, {4}).Run();
  OpCase("Expand", 8)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1}, {3})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "do not broadcast");
  OpCase("Expand", 8)
      .In<float>({1}, {1})
      .In<int64_t>({1}, {-3})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "negative");
}

TEST(Tile, OldFormAndErrors) {
  OpCase("Tile", 1)
      .In<float>({2, 1}, {1, 2})
      .In<float>({}, {2})
      .In<float>({}, {1})
      .Expect<float>({2, 2}, {1, 1, 2, 2})
      .Run();
  OpCase("Tile", 6).In<float>({2}, {1, 2}).In<int64_t>({1}, {0}).Expect<float>({0}, {}).Run();
  OpCase("Tile", 6).In<float>({}, {1}).In<int64_t>({0}, {}).Expect<float>({}, {1}).Run();
  OpCase("Tile", 6)
      .In<float>({2}, {1, 2})
      .In<int64_t>({2}, {1, 1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "2 repeats for an input of rank 1");
  OpCase("Tile", 6)
      .In<float>({2}, {1, 2})
      .In<int64_t>({1}, {-1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "negative");
}

// Dimensions that fit no int64, and element counts that fit none.
TEST(Overflow, IsNamed) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const auto fails = [](OpCase& op, const char* words = "overflows") {
    op.Out(DType::kF32).Fails(Code::kInvalidArgument, words);
  };
  for (const int64_t repeats : {kHuge, int64_t{1} << 61}) {
    OpCase tile("Tile", 13);
    fails(tile.In<float>({4}, {1, 2, 3, 4}).In<int64_t>({1}, {repeats}));
  }
  OpCase old_tile("Tile", 1);
  fails(old_tile.In<float>({2}, {1, 2}).In<float>({}, {1e19}).In<float>({}, {0}));
  for (const int64_t first : {int64_t{-1}, int64_t{4}, kHuge}) {
    OpCase reshape("Reshape", 14);
    fails(reshape.In<float>({4}, {1, 2, 3, 4}).In<int64_t>({3}, {first, kHuge, kHuge}));
  }
  OpCase expand("Expand", 13);
  fails(expand.In<float>({1}, {1}).In<int64_t>({2}, {kHuge, 4}), "too many elements");
  OpCase fill("ConstantOfShape", 9);
  fails(fill.In<int64_t>({2}, {kHuge, 4}), "too many elements");
  OpCase one_hot("OneHot", 11);
  fails(one_hot.In<int64_t>({2}, {0, 1}).In<float>({}, {1e30}).In<float>({2}, {0, 1}),
        "too many elements");
  OpCase image("DepthToSpace", 13);
  fails(image.In<float>({0, 0, kHuge, 1}, {}).Attr("blocksize", 4));
}

}  // namespace
}  // namespace waybill::kernel
