// Sequences and optionals.
#include <memory>

#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

Value Item(std::vector<float> elements) {
  const Shape shape{static_cast<int64_t>(elements.size())};
  return Value(MakeCaseTensor<float>(shape, elements));
}

Value Sequence(std::vector<Value> items) {
  return Value(SequenceValue{ValueType::Tensor(DType::kF32), std::move(items)});
}

Value Some(const Value& value) {
  return Value(OptionalValue{value.type(), std::make_shared<const Value>(value)});
}

const ValueType kFloatSequence = ValueType::Sequence(ValueType::Tensor(DType::kF32));

TEST(Sequence, ConstructAndEmpty) {
  OpCase("SequenceConstruct", 11)
      .InValue(Item({1}))
      .InValue(Item({2, 3}))
      .ExpectValue(Sequence({Item({1}), Item({2, 3})}))
      .Run();
  OpCase("SequenceEmpty", 11).ExpectValue(Sequence({})).Run();
  const auto out = OpCase("SequenceEmpty", 11)
                       .Attr("dtype", static_cast<int64_t>(DType::kString))
                       .Out(ValueType::Sequence(ValueType::Tensor(DType::kString)))
                       .Outputs();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].sequence()->element.dtype, DType::kString);
}

TEST(Sequence, AtInsertErase) {
  const Value two = Sequence({Item({1}), Item({2})});
  OpCase("SequenceAt", 11).InValue(two).In<int64_t>({}, {-1}).ExpectValue(Item({2})).Run();
  OpCase("SequenceInsert", 11)
      .InValue(two)
      .InValue(Item({3}))
      .In<int32_t>({}, {-2})
      .ExpectValue(Sequence({Item({3}), Item({1}), Item({2})}))
      .Run();
  OpCase("SequenceInsert", 11)
      .InValue(two)
      .InValue(Item({3}))
      .ExpectValue(Sequence({Item({1}), Item({2}), Item({3})}))
      .Run();
  OpCase("SequenceErase", 11).InValue(two).ExpectValue(Sequence({Item({1})})).Run();
  OpCase("SequenceErase", 11)
      .InValue(two)
      .In<int64_t>({}, {0})
      .ExpectValue(Sequence({Item({2})}))
      .Run();
  OpCase("SequenceLength", 11).InValue(two).Expect<int64_t>({}, {2}).Run();
}

TEST(Sequence, PositionsAreChecked) {
  const Value one = Sequence({Item({1})});
  OpCase("SequenceAt", 11)
      .InValue(one)
      .In<int64_t>({}, {1})
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "position 1 is out of range [-1, 1)");
  OpCase("SequenceErase", 11)
      .InValue(Sequence({}))
      .Out(kFloatSequence)
      .Fails(Code::kInvalidArgument, "position -1 is out of range");
  OpCase("SequenceInsert", 11)
      .InValue(one)
      .InValue(Item({1}))
      .In<int64_t>({}, {2})
      .Out(kFloatSequence)
      .Fails(Code::kInvalidArgument, "position 2 is out of range [-1, 1]");
}

TEST(SplitToSequence, EveryKindOfSplit) {
  const auto matrix = [](Shape shape, std::vector<float> e) {
    return Value(MakeCaseTensor<float>(shape, e));
  };
  const Value data = matrix({2, 3}, {1, 2, 3, 4, 5, 6});
  OpCase("SplitToSequence", 11)
      .InValue(data)
      .In<int64_t>({}, {2})
      .Attr("axis", 1)
      .ExpectValue(Sequence({matrix({2, 2}, {1, 2, 4, 5}), matrix({2, 1}, {3, 6})}))
      .Run();
  OpCase("SplitToSequence", 24)
      .InValue(data)
      .In<int32_t>({2}, {1, 2})
      .Attr("axis", -1)
      .ExpectValue(Sequence({matrix({2, 1}, {1, 4}), matrix({2, 2}, {2, 3, 5, 6})}))
      .Run();
  OpCase("SplitToSequence", 11)
      .InValue(data)
      .Attr("keepdims", 0)
      .ExpectValue(Sequence({Item({1, 2, 3}), Item({4, 5, 6})}))
      .Run();
  OpCase("SplitToSequence", 11)
      .InValue(data)
      .ExpectValue(Sequence({matrix({1, 3}, {1, 2, 3}), matrix({1, 3}, {4, 5, 6})}))
      .Run();
  OpCase("SplitToSequence", 11)
      .InValue(data)
      .In<int64_t>({}, {0})
      .Out(kFloatSequence)
      .Fails(Code::kInvalidArgument, "split 0 is not positive");
  OpCase("SplitToSequence", 11)
      .InValue(data)
      .In<int64_t>({2}, {1, 2})
      .Out(kFloatSequence)
      .Fails(Code::kInvalidArgument, "split sizes [1, 2] do not divide 2 elements");
}

TEST(ConcatFromSequence, JoinsOrStacks) {
  const Value two = Sequence({Item({1, 2}), Item({3, 4})});
  OpCase("ConcatFromSequence", 11)
      .InValue(two)
      .Attr("axis", 0)
      .Expect<float>({4}, {1, 2, 3, 4})
      .Run();
  OpCase("ConcatFromSequence", 11)
      .InValue(two)
      .Attr("axis", -1)
      .Attr("new_axis", 1)
      .Expect<float>({2, 2}, {1, 3, 2, 4})
      .Run();
  OpCase("ConcatFromSequence", 11)
      .InValue(Sequence({}))
      .Attr("axis", 0)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "no items");
  OpCase("ConcatFromSequence", 11)
      .InValue(Sequence({Item({1, 2}), Item({3})}))
      .Attr("axis", 0)
      .Attr("new_axis", 1)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "cannot be joined");
}

TEST(Optional, MakeAskGet) {
  const Value none(OptionalValue{ValueType::Tensor(DType::kF32), nullptr});
  OpCase("Optional", 15).InValue(Item({1})).ExpectValue(Some(Item({1}))).Run();
  OpCase("Optional", 15).Attr("type", ValueType::Tensor(DType::kF32)).ExpectValue(none).Run();
  OpCase("OptionalHasElement", 15).InValue(none).Expect<bool>({}, {false}).Run();
  OpCase("OptionalHasElement", 15).InValue(Some(Item({1}))).Expect<bool>({}, {true}).Run();
  OpCase("OptionalHasElement", 18).Omit().Expect<bool>({}, {false}).Run();
  OpCase("OptionalHasElement", 18).InValue(Item({1})).Expect<bool>({}, {true}).Run();
  OpCase("OptionalHasElement", 18).InValue(Sequence({})).Expect<bool>({}, {true}).Run();
  OpCase("OptionalGetElement", 15).InValue(Some(Item({1}))).ExpectValue(Item({1})).Run();
  OpCase("OptionalGetElement", 15)
      .InValue(Some(Sequence({Item({2})})))
      .ExpectValue(Sequence({Item({2})}))
      .Run();
  OpCase("OptionalGetElement", 18).InValue(Item({1, 2})).ExpectValue(Item({1, 2})).Run();
  OpCase("OptionalGetElement", 18)
      .InValue(Sequence({Item({2})}))
      .ExpectValue(Sequence({Item({2})}))
      .Run();
  OpCase("OptionalGetElement", 15)
      .InValue(none)
      .Out(DType::kF32)
      .Fails(Code::kInvalidArgument, "has no element");
}

}  // namespace
}  // namespace waybill::kernel
