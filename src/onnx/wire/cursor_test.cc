#include "onnx/wire/cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace waybill::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A message with one field of each kind, and itself inside.
struct Sample {
  int64_t number = 0;
  float real = 0;
  std::string_view text;
  FieldList<int64_t> ints;
  FieldList<float> floats;
  FieldList<double> doubles;
  FieldList<std::string_view> strings;
  std::vector<Sample> inner;
};

Status ReadSample(Cursor& in, Sample& out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.Int("number", out.number);
        break;
      case 2:
        in.Float("real", out.real);
        break;
      case 3:
        in.String("text", out.text);
        break;
      case 4:
        in.List("ints", out.ints);
        break;
      case 5:
        in.List("floats", out.floats);
        break;
      case 6:
        in.List("doubles", out.doubles);
        break;
      case 7:
        in.List("strings", out.strings);
        break;
      case 8:
        in.Message("inner", "Sample", ReadSample, out.inner.emplace_back());
        break;
      default:
        in.Skip();
    }
  }
  return in.TakeStatus();
}

Status Read(const std::string& bytes, Sample& out) {
  Cursor::Shared shared(bytes);
  Cursor cursor(bytes, "Sample", shared);
  return ReadSample(cursor, out);
}

std::string Failure(const std::string& bytes) {
  Sample out;
  const Status status = Read(bytes, out);
  EXPECT_TRUE(status.ok() || status.code() == Code::kInvalidProtobuf);
  return status.message();
}

TEST(Cursor, ReadsScalarsAndTheLastOneWins) {
  Encoder bytes;
  bytes.Int(1, 5);
  bytes.Float(2, 1.5f);
  bytes.Bytes(3, "old");
  bytes.Int(1, std::numeric_limits<int64_t>::min());
  bytes.Bytes(3, "new");
  Sample out;
  ASSERT_TRUE(Read(bytes.bytes(), out).ok());
  EXPECT_EQ(out.number, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(out.real, 1.5f);
  EXPECT_EQ(out.text, "new");
}

TEST(Cursor, ListsComePackedUnpackedAndInSeveralChunks) {
  const std::vector<int64_t> low = {1, -2};
  const std::vector<int64_t> high = {300, std::numeric_limits<int64_t>::max()};
  const std::vector<float> reals = {0.5f, -0.25f};
  const std::vector<double> wide = {1e300};
  Encoder bytes;
  bytes.Packed<int64_t>(4, low);
  bytes.Unpacked<int64_t>(4, high);
  bytes.Packed<int64_t>(4, {});
  bytes.Unpacked<float>(5, reals);
  bytes.Packed<float>(5, reals);
  bytes.Packed<double>(6, wide);
  bytes.Packed<int64_t>(4, low);
  bytes.Bytes(7, "a");
  bytes.Bytes(7, "");
  bytes.Bytes(3, "between");
  bytes.Bytes(7, "bc");
  Sample out;
  ASSERT_TRUE(Read(bytes.bytes(), out).ok());
  EXPECT_THAT(out.ints.ToVector(),
              ElementsAre(1, -2, 300, std::numeric_limits<int64_t>::max(), 1, -2));
  EXPECT_THAT(out.floats.ToVector(), ElementsAre(0.5f, -0.25f, 0.5f, -0.25f));
  EXPECT_FALSE(out.floats.Contiguous());
  EXPECT_THAT(out.doubles.ToVector(), ElementsAre(1e300));
  ASSERT_TRUE(out.doubles.Contiguous());
  EXPECT_EQ(out.doubles.Contiguous()->size(), 8u);
  EXPECT_THAT(out.strings.ToVector(), ElementsAre("a", "", "bc"));
}

TEST(Cursor, UnknownFieldsOfEveryWireTypeAreSkipped) {
  Encoder bytes;
  bytes.Int(100, -1);
  bytes.Float(101, 1);
  bytes.Double(102, 1);
  bytes.Bytes(0x1fffffff, "anything");
  bytes.Int(1, 7);
  Sample out;
  ASSERT_TRUE(Read(bytes.bytes(), out).ok());
  EXPECT_EQ(out.number, 7);
}

TEST(Cursor, ErrorsNameMessageFieldAndOffset) {
  Encoder inner;
  inner.Int(1, 1);
  inner.Bytes(1, "x");
  Encoder bytes;
  bytes.Int(1, 1);
  bytes.Bytes(8, inner.bytes());
  EXPECT_EQ(Failure(bytes.bytes()),
            "Sample.number: wire type length-delimited where varint belongs, at byte 6 | in "
            "Sample.inner at byte 2");
}

TEST(Cursor, RefusesWhatIsCutOff) {
  Encoder whole;
  whole.Int(1, 1000);
  whole.Float(2, 1);
  whole.Bytes(3, "text");
  whole.Double(6, 2);
  const std::string bytes = whole.bytes();
  const std::vector<size_t> field_ends = {0, 3, 8, 14, bytes.size()};
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const bool at_end = std::count(field_ends.begin(), field_ends.end(), size) != 0;
    EXPECT_EQ(Failure(bytes.substr(0, size)).empty(), at_end) << size;
  }
}

TEST(Cursor, ReadsLengthsAsSixtyFourBits) {
  Encoder bytes;
  bytes.Tag(3, WireType::kLength);
  bytes.RawVarint((uint64_t{1} << 32) + 1);
  bytes.RawBytes("x");
  EXPECT_THAT(Failure(bytes.bytes()), HasSubstr("length 4294967297 is 4 GiB or more"));
  Encoder long_way;
  long_way.Tag(3, WireType::kLength);
  long_way.RawVarint(~uint64_t{0});
  EXPECT_THAT(Failure(long_way.bytes()), HasSubstr("4 GiB or more"));
}

TEST(Cursor, RefusesGroupsAndBadTagsByName) {
  Encoder group;
  group.Tag(9, WireType::kGroup);
  EXPECT_THAT(Failure(group.bytes()), HasSubstr("field 9 is a group"));
  Encoder end;
  end.Tag(9, WireType::kGroupEnd);
  EXPECT_THAT(Failure(end.bytes()), HasSubstr("field 9 is a group"));
  EXPECT_THAT(Failure(std::string("\x0e\x00", 2)), HasSubstr("unknown wire type 6"));
  EXPECT_THAT(Failure(std::string("\x00\x00", 2)), HasSubstr("0 is no valid field number"));
  Encoder reserved;
  reserved.Int(19500, 1);
  EXPECT_THAT(Failure(reserved.bytes()), HasSubstr("19500 is no valid field number"));
  Encoder wide;  // would be field 1 if only 32 bits of the tag were read
  wide.RawVarint((uint64_t{1} << 32) | 1 << 3);
  wide.RawVarint(5);
  EXPECT_THAT(Failure(wide.bytes()), HasSubstr("no valid field number"));
}

TEST(Cursor, RefusesVarintsOfMoreThanTenBytes) {
  EXPECT_THAT(Failure("\x08" + std::string(10, '\xff') + "\x01"), HasSubstr("longer than ten"));
  Encoder packed;
  packed.Bytes(4, std::string(10, '\xff') + "\x01");
  EXPECT_THAT(Failure(packed.bytes()), HasSubstr("packed varint"));
}

TEST(Cursor, BoundsTheDepth) {
  std::string bytes;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    Encoder outer;
    outer.Bytes(8, bytes);
    bytes = outer.bytes();
  }
  EXPECT_EQ(Failure(bytes), "");
  Encoder outer;
  outer.Bytes(8, bytes);
  EXPECT_THAT(Failure(outer.bytes()), HasSubstr("nest deeper than 100"));
}

TEST(Cursor, PackedChunksOfFixedWidthMustBeWhole) {
  Encoder bytes;
  bytes.Bytes(5, "abcde");
  EXPECT_THAT(Failure(bytes.bytes()), AllOf(HasSubstr("5 bytes"), HasSubstr("4-byte")));
}

TEST(FieldList, StaysInsideItsRunsWhenTheBytesChange) {
  Encoder encoder;
  const std::vector<int64_t> values = {1, 2, 3, 4};
  encoder.Unpacked<int64_t>(4, values);
  encoder.Bytes(7, "abc");
  std::string bytes = encoder.bytes();
  Sample out;
  ASSERT_TRUE(Read(bytes, out).ok());
  std::fill(bytes.begin(), bytes.end(), '\xff');
  EXPECT_EQ(out.ints.ToVector().size(), 4u);
  EXPECT_THAT(out.strings.ToVector(), ElementsAre(""));
}

}  // namespace
}  // namespace waybill::onnx
