#include "session/io/pb_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "memory/source/system_source.h"
#include "onnx/model/writer/value_writer.h"

namespace waybill {
namespace {

using ::testing::HasSubstr;

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Tensor Make(DType dtype, Shape shape) {
  auto tensor =
      Tensor::Allocate(dtype, std::move(shape), std::make_shared<SystemSource>(), MemoryTag::kUser);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  return *tensor;
}

template <typename T>
Tensor Of(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor = Make(dtype, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.view().as<T>());
  return tensor;
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == DType::kString) {
    const auto left = a.span<std::string>();
    return std::equal(left.begin(), left.end(), b.span<std::string>().begin());
  }
  const size_t bytes = a.view().bytes();
  return bytes == 0 || std::memcmp(a.view().data, b.view().data, bytes) == 0;
}

// To bytes and back.
Value RoundTrip(const Value& value, const ValueType& expected) {
  const auto bytes = ValueToPb(value);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  if (!bytes.ok()) return {};
  auto back = ValueFromPb(*bytes, expected);
  EXPECT_TRUE(back.ok()) << back.status().ToString();
  return back.ok() ? *back : Value();
}

TEST(PbValue, TensorsOfEveryTypeRoundTrip) {
  for (int code = 1; code < kDTypeCount; ++code) {
    const auto dtype = static_cast<DType>(code);
    for (const Shape& shape : {Shape({3, 3}), Shape(), Shape({0, 2})}) {
      Tensor tensor = Make(dtype, shape);
      if (dtype == DType::kString) {
        for (std::string& text : tensor.span<std::string>()) text = std::string("a\0b", 3);
      } else {
        std::memset(tensor.view().data, 1, tensor.view().bytes());
      }
      const Value back = RoundTrip(Value(tensor), ValueType::Tensor(dtype));
      ASSERT_NE(back.tensor(), nullptr);
      EXPECT_TRUE(SameBytes(*back.tensor(), tensor)) << tensor.view().Describe();
    }
  }
}

TEST(PbValue, TypedFieldsAreDecoded) {
  const onnx::TensorWriter writer =
      onnx::TensorWriter("x", onnx::kFloat16, {2}).Int32Data({0x3c00, 0xbc00});
  const auto value = ValueFromPb(Bytes(writer.bytes()), ValueType());
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_EQ(value->tensor()->span<uint16_t>()[1], 0xbc00);
}

TEST(PbValue, SequencesRoundTrip) {
  SequenceValue sequence;
  sequence.element = ValueType::Tensor(DType::kF32);
  sequence.items.emplace_back(Of<float>(DType::kF32, Shape({2}), {1, 2}));
  sequence.items.emplace_back(Of<float>(DType::kF32, Shape({1, 1}), {3}));
  const ValueType expected = ValueType::Sequence(ValueType::Tensor(DType::kF32));
  const Value back = RoundTrip(Value(sequence), expected);
  ASSERT_NE(back.sequence(), nullptr);
  ASSERT_EQ(back.sequence()->items.size(), 2u);
  EXPECT_EQ(back.sequence()->items[1].tensor()->span<float>()[0], 3.0f);

  sequence.items.clear();
  const Value empty = RoundTrip(Value(sequence), expected);
  EXPECT_TRUE(empty.sequence()->items.empty());
  EXPECT_EQ(empty.sequence()->element.dtype, DType::kF32);
  SequenceValue outer;
  outer.element = expected;
  outer.items.emplace_back(sequence);
  EXPECT_EQ(RoundTrip(Value(outer), ValueType::Sequence(expected)).sequence()->items.size(), 1u);
}

TEST(PbValue, MapsRoundTrip) {
  MapValue map;
  map.keys = Of<int64_t>(DType::kI64, Shape({2}), {-5, 7});
  map.values = std::make_shared<const Value>(Of<float>(DType::kF32, Shape({2}), {1, 2}));
  const ValueType expected = ValueType::Map(DType::kI64, ValueType::Tensor(DType::kF32));
  const Value back = RoundTrip(Value(map), expected);
  ASSERT_NE(back.map(), nullptr);
  EXPECT_TRUE(SameBytes(back.map()->keys, map.keys));
  EXPECT_TRUE(SameBytes(*back.map()->values->tensor(), *map.values->tensor()));

  map.keys = Of<std::string>(DType::kString, Shape({2}), {"a", ""});
  EXPECT_TRUE(SameBytes(RoundTrip(Value(map), expected).map()->keys, map.keys));
  map.keys = Of<int8_t>(DType::kI8, Shape({2}), {-1, 1});
  EXPECT_TRUE(SameBytes(RoundTrip(Value(map), expected).map()->keys, map.keys));
  map.keys = Of<uint32_t>(DType::kU32, Shape({2}), {0xffffffff, 1});
  EXPECT_TRUE(SameBytes(RoundTrip(Value(map), expected).map()->keys, map.keys));

  map.keys = Make(DType::kI64, Shape({0}));
  map.values = std::make_shared<const Value>(Make(DType::kF32, Shape({0})));
  EXPECT_EQ(RoundTrip(Value(map), expected).map()->values->tensor()->dtype(), DType::kF32);
}

TEST(PbValue, OptionalsRoundTrip) {
  const ValueType expected = ValueType::Optional(ValueType::Tensor(DType::kI32));
  OptionalValue optional;
  optional.element = ValueType::Tensor(DType::kI32);
  const Value none = RoundTrip(Value(optional), expected);
  ASSERT_NE(none.optional(), nullptr);
  EXPECT_EQ(none.optional()->value, nullptr);
  EXPECT_EQ(none.optional()->element.dtype, DType::kI32);
  optional.value = std::make_shared<const Value>(Of<int32_t>(DType::kI32, Shape({1}), {9}));
  const Value some = RoundTrip(Value(optional), expected);
  ASSERT_NE(some.optional()->value, nullptr);
  EXPECT_EQ(some.optional()->value->tensor()->span<int32_t>()[0], 9);
}

TEST(PbValue, SparseTensorsRoundTrip) {
  SparseValue sparse;
  sparse.dense_shape = Shape({2, 2});
  sparse.values = Of<float>(DType::kF32, Shape({1}), {4});
  sparse.indices = Of<int64_t>(DType::kI64, Shape({1, 2}), {1, 0});
  const Value back = RoundTrip(Value(sparse), ValueType::Sparse(DType::kF32));
  ASSERT_NE(back.sparse(), nullptr);
  EXPECT_EQ(back.sparse()->dense_shape, Shape({2, 2}));
  EXPECT_TRUE(SameBytes(back.sparse()->indices, sparse.indices));
}

TEST(PbValue, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(ValueToPb(Value()).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ValueFromPb(Bytes("\x0f"), ValueType()).status().code(), Code::kInvalidProtobuf);
  onnx::SequenceWriter tensors(onnx::kElementTensor);
  tensors.Add(onnx::TensorWriter::Scalar<float>("", 1).bytes());
  EXPECT_THAT(ValueFromPb(Bytes(tensors.bytes()),
                          ValueType::Sequence(ValueType::Map(DType::kI64, ValueType())))
                  .status()
                  .message(),
              HasSubstr("holds a tensor where a map belongs"));
  EXPECT_THAT(ValueFromPb(Bytes(onnx::MapWriter(onnx::kFloat, {1}, tensors).bytes()),
                          ValueType::Map(DType::kI64, ValueType()))
                  .status()
                  .message(),
              HasSubstr("keys of type float"));
  const onnx::TensorWriter external = onnx::TensorWriter("x", onnx::kFloat, {1}).External("f");
  EXPECT_THAT(ValueFromPb(Bytes(external.bytes()), ValueType()).status().message(),
              HasSubstr("external data"));
}

}  // namespace
}  // namespace waybill
