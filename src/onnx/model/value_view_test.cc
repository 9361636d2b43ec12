#include "onnx/model/value_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/model/writer/value_writer.h"

namespace waybill::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TensorWriter Scalar(float value) { return TensorWriter::Scalar<float>("", value); }

TEST(ValueView, Sequences) {
  SequenceWriter inner(kElementTensor, "inner");
  inner.Add(Scalar(1).bytes()).Add(Scalar(2).bytes());
  SequenceWriter outer(kElementSequence);
  outer.Add(inner.bytes()).Add(SequenceWriter(kElementTensor).bytes());
  const auto read = ReadSequenceProto(Bytes(outer.bytes()));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->kind, kElementSequence);
  EXPECT_EQ(read->size(), 2u);
  EXPECT_EQ(read->sequences.at(0).name, "inner");
  EXPECT_EQ(read->sequences.at(0).tensors.at(1).elems, 1u);
  EXPECT_EQ(read->sequences.at(1).kind, kElementTensor);
}

TEST(ValueView, TheKindOfASequenceIsGuessedWhenItIsNotSaid) {
  Encoder bytes;
  bytes.Bytes(3, Scalar(1).bytes());
  const auto read = ReadSequenceProto(Bytes(bytes.bytes()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->kind, kElementTensor);
}

TEST(ValueView, Maps) {
  SequenceWriter values(kElementTensor);
  values.Add(Scalar(1).bytes()).Add(Scalar(2).bytes());
  const MapWriter numbers(kInt32, {-1, 5}, values);
  const auto map = ReadMapProto(Bytes(numbers.bytes()));
  ASSERT_TRUE(map.ok()) << map.status().ToString();
  EXPECT_THAT(map->keys.ToVector(), ElementsAre(-1, 5));
  const MapWriter names({"a", "b"}, values);
  const auto named = ReadMapProto(Bytes(names.bytes()));
  ASSERT_TRUE(named.ok()) << named.status().ToString();
  EXPECT_THAT(named->string_keys.ToVector(), ElementsAre("a", "b"));
}

TEST(ValueView, Optionals) {
  const OptionalWriter none(kElementTensor);
  const auto empty = ReadOptionalProto(Bytes(none.bytes()));
  ASSERT_TRUE(empty.ok());
  EXPECT_FALSE(empty->has_value());
  EXPECT_FALSE(ReadOptionalProto({})->has_value());
  const OptionalWriter inner(kElementTensor, Scalar(3).bytes());
  const OptionalWriter outer(kElementOptional, inner.bytes());
  const auto read = ReadOptionalProto(Bytes(outer.bytes()));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->optional->tensor->elems, 1u);
}

TEST(ValueView, ContradictionsAreRefused) {
  SequenceWriter one(kElementTensor);
  one.Add(Scalar(1).bytes());
  EXPECT_THAT(ReadMapProto(Bytes(MapWriter(kInt64, {1, 2}, one).bytes())).status().message(),
              HasSubstr("2 keys and 1 values"));
  EXPECT_THAT(ReadMapProto(Bytes(MapWriter(kString, {1}, one).bytes())).status().message(),
              HasSubstr("keys of another type"));
  EXPECT_THAT(ReadMapProto(Bytes(MapWriter(70, {1}, one).bytes())).status().message(),
              HasSubstr("unknown key type 70"));
  Encoder mixed;
  mixed.Int(2, kElementMap);
  mixed.Bytes(3, Scalar(1).bytes());
  EXPECT_THAT(ReadSequenceProto(Bytes(mixed.bytes())).status().message(),
              HasSubstr("another kind"));
  Encoder unknown;
  unknown.Int(2, 9);
  EXPECT_THAT(ReadOptionalProto(Bytes(unknown.bytes())).status().message(),
              HasSubstr("unknown elem_type 9"));
  SequenceWriter bad(kElementTensor);
  bad.Add(TensorWriter("t", kFloat, {2}).Raw("abc").bytes());
  EXPECT_THAT(ReadSequenceProto(Bytes(bad.bytes())).status().message(), HasSubstr("3 bytes"));
}

}  // namespace
}  // namespace waybill::onnx
