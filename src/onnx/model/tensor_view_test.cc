#include "onnx/model/tensor_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/model/writer/tensor_writer.h"

namespace waybill::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Payload = TensorProtoView::Payload;

Status Read(const std::string& bytes, TensorProtoView& out) {
  Cursor::Shared shared(bytes);
  Cursor cursor(bytes, "TensorProto", shared);
  WB_RETURN_IF_ERROR(ReadTensor(cursor, out));
  return CheckTensor(out);
}

// The raw layout of a tensor as text.
std::string Decoded(const TensorWriter& writer) {
  TensorProtoView view;
  const Status read = Read(writer.bytes(), view);
  EXPECT_TRUE(read.ok()) << read.ToString();
  std::string out(view.bytes, '?');
  const Status decoded = view.DecodeInto(std::as_writable_bytes(std::span(out.data(), out.size())));
  EXPECT_TRUE(decoded.ok()) << decoded.ToString();
  if (const auto direct = view.Direct()) {
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(direct->data()), direct->size()), out);
  }
  return out;
}

std::string Failure(const TensorWriter& writer) {
  TensorProtoView view;
  return Read(writer.bytes(), view).message();
}

template <typename T>
std::string Raw(const std::vector<T>& values) {
  Encoder out;
  for (const T value : values) out.RawFixed<T>(value);
  return out.bytes();
}

TEST(TensorView, RawDataIsUsedWhereItLies) {
  const TensorWriter writer = TensorWriter::Of<int16_t>("w", {2, 2}, {1, -2, 3, -4});
  TensorProtoView view;
  ASSERT_TRUE(Read(writer.bytes(), view).ok());
  EXPECT_EQ(view.name, "w");
  EXPECT_THAT(view.dims, ElementsAre(2, 2));
  EXPECT_EQ(view.elems, 4u);
  EXPECT_EQ(view.payload, Payload::kRaw);
  ASSERT_TRUE(view.Direct());
  const char* start = reinterpret_cast<const char*>(view.Direct()->data());
  EXPECT_GE(start, writer.bytes().data());
  EXPECT_LE(start + 8, writer.bytes().data() + writer.bytes().size());
}

TEST(TensorView, EveryTypeHasItsRawSize) {
  const std::vector<std::pair<int32_t, size_t>> bytes_of_five = {
      {kFloat, 20},     {kUint8, 5},       {kInt8, 5},           {kUint16, 10},
      {kInt16, 10},     {kInt32, 20},      {kInt64, 40},         {kBool, 5},
      {kFloat16, 10},   {kDouble, 40},     {kUint32, 20},        {kUint64, 40},
      {kComplex64, 40}, {kComplex128, 80}, {kBfloat16, 10},      {kFloat8E4M3FN, 5},
      {kFloat8E5M2, 5}, {kFloat8E8M0, 5},  {kFloat8E4M3FNUZ, 5}, {kFloat8E5M2FNUZ, 5},
      {kUint4, 3},      {kInt4, 3},        {kFloat4E2M1, 3},     {kUint2, 2},
      {kInt2, 2}};
  EXPECT_EQ(bytes_of_five.size(), static_cast<size_t>(kDataTypeCount) - 2);
  for (const auto& [type, bytes] : bytes_of_five) {
    const std::string raw(bytes, '\1');
    EXPECT_EQ(Decoded(TensorWriter("t", type, {5}).Raw(raw)), raw) << DataTypeName(type);
    EXPECT_THAT(Failure(TensorWriter("t", type, {5}).Raw(raw.substr(1))),
                HasSubstr(Format("and needs {}", bytes)));
    EXPECT_EQ(Decoded(TensorWriter("t", type, {5}).Raw(raw + "more")), raw);
  }
}

TEST(TensorView, TypedFieldsDecodeToTheRawLayout) {
  EXPECT_EQ(Decoded(TensorWriter("t", kFloat, {2}).FloatData({1.5f, -2})), Raw<float>({1.5f, -2}));
  EXPECT_EQ(Decoded(TensorWriter("t", kComplex64, {1}).FloatData({1, 2})), Raw<float>({1, 2}));
  EXPECT_EQ(Decoded(TensorWriter("t", kDouble, {1}).DoubleData({0.1})), Raw<double>({0.1}));
  EXPECT_EQ(Decoded(TensorWriter("t", kComplex128, {1}).DoubleData({1, 2})), Raw<double>({1, 2}));
  EXPECT_EQ(Decoded(TensorWriter("t", kInt64, {2}).Int64Data({-1, INT64_MIN})),
            Raw<int64_t>({-1, INT64_MIN}));
  EXPECT_EQ(Decoded(TensorWriter("t", kUint64, {1}).Uint64Data({UINT64_MAX})),
            Raw<uint64_t>({UINT64_MAX}));
  EXPECT_EQ(Decoded(TensorWriter("t", kUint32, {1}).Uint64Data({0xfffffffe})),
            Raw<uint32_t>({0xfffffffe}));
  EXPECT_EQ(Decoded(TensorWriter("t", kInt32, {2}).Int32Data({-7, INT32_MIN})),
            Raw<int32_t>({-7, INT32_MIN}));
  EXPECT_EQ(Decoded(TensorWriter("t", kInt16, {1}).Int32Data({-300})), Raw<int16_t>({-300}));
  EXPECT_EQ(Decoded(TensorWriter("t", kUint16, {1}).Int32Data({65535})), Raw<uint16_t>({65535}));
  EXPECT_EQ(Decoded(TensorWriter("t", kInt8, {1}).Int32Data({-128})), "\x80");
  EXPECT_EQ(Decoded(TensorWriter("t", kUint8, {1}).Int32Data({200})), "\xc8");
  EXPECT_EQ(Decoded(TensorWriter("t", kBool, {3}).Int32Data({0, 1, 256})),
            std::string("\0\1\1", 3));
  EXPECT_EQ(Decoded(TensorWriter("t", kFloat16, {1}).Int32Data({0xbc00})), Raw<uint16_t>({0xbc00}));
  EXPECT_EQ(Decoded(TensorWriter("t", kBfloat16, {1}).Int32Data({0x3f80})),
            Raw<uint16_t>({0x3f80}));
  for (const int32_t type :
       {kFloat8E4M3FN, kFloat8E4M3FNUZ, kFloat8E5M2, kFloat8E5M2FNUZ, kFloat8E8M0}) {
    EXPECT_EQ(Decoded(TensorWriter("t", type, {2}).Int32Data({0xf8, 1})), "\xf8\x01");
  }
  for (const int32_t type : {kUint4, kInt4, kFloat4E2M1}) {
    EXPECT_EQ(Decoded(TensorWriter("t", type, {3}).Int32Data({0xa1, 0x0b})), "\xa1\x0b");
  }
  for (const int32_t type : {kUint2, kInt2}) {
    EXPECT_EQ(Decoded(TensorWriter("t", type, {5}).Int32Data({0xe4, 0x02})), "\xe4\x02");
  }
}

TEST(TensorView, TypedFieldsMayBeUnpackedOrSplit) {
  TensorWriter writer("t", kFloat, {3});
  const std::vector<float> single = {3};
  writer.encoder().Unpacked<float>(4, single);
  writer.FloatData({4, 5});
  EXPECT_EQ(Decoded(writer), Raw<float>({3, 4, 5}));
  TensorWriter packed_dims("t", kUint8, {});
  const std::vector<int64_t> dims = {2, 1};
  packed_dims.encoder().Packed<int64_t>(1, dims);
  EXPECT_EQ(Decoded(packed_dims.Raw("ab")), "ab");
}

TEST(TensorView, RawBoolsBecomeZeroAndOne) {
  const TensorWriter writer = TensorWriter("t", kBool, {3}).Raw(std::string("\0\7\1", 3));
  TensorProtoView view;
  ASSERT_TRUE(Read(writer.bytes(), view).ok());
  EXPECT_FALSE(view.Direct());
  EXPECT_EQ(Decoded(writer), std::string("\0\1\1", 3));
}

TEST(TensorView, EmptyTensorsNeedNoData) {
  EXPECT_EQ(Decoded(TensorWriter("t", kFloat, {2, 0})), "");
  EXPECT_EQ(Decoded(TensorWriter("t", kInt4, {0}).Raw("")), "");
  EXPECT_EQ(Decoded(TensorWriter("t", kFloat, {INT64_MAX, 0, INT64_MAX})), "");
  TensorProtoView strings;
  const TensorWriter writer("t", kString, {0});
  ASSERT_TRUE(Read(writer.bytes(), strings).ok());
  EXPECT_TRUE(strings.string_data.empty());
}

TEST(TensorView, StringsAreWalkedInPlace) {
  const TensorWriter writer =
      TensorWriter::Of<std::string>("t", {3}, {"a", "", std::string("\xff\0", 2)});
  TensorProtoView view;
  ASSERT_TRUE(Read(writer.bytes(), view).ok());
  EXPECT_EQ(view.payload, Payload::kStrings);
  EXPECT_THAT(view.string_data.ToVector(), ElementsAre("a", "", std::string_view("\xff\0", 2)));
  EXPECT_FALSE(view.Direct());
  EXPECT_EQ(view.DecodeInto({}).code(), Code::kInvalidArgument);
}

TEST(TensorView, DecodeIntoWantsTheExactSize) {
  TensorProtoView view;
  const TensorWriter writer = TensorWriter::Of<float>("t", {2}, {1, 2});
  ASSERT_TRUE(Read(writer.bytes(), view).ok());
  std::byte small[4];
  EXPECT_THAT(view.DecodeInto(small).message(), HasSubstr("takes 8 bytes, the destination has 4"));
}

TEST(TensorView, AnEmptyRawDataBesideATypedFieldIsIgnored) {
  EXPECT_EQ(Decoded(TensorWriter("t", kFloat, {1}).FloatData({1}).Raw("")), Raw<float>({1}));
}

Status ReadSparse(const SparseTensorWriter& writer, SparseTensorView& out) {
  Cursor::Shared shared(writer.bytes());
  Cursor cursor(writer.bytes(), "SparseTensorProto", shared);
  WB_RETURN_IF_ERROR(ReadSparseTensor(cursor, out));
  return CheckSparseTensor(out);
}

TEST(SparseTensorView, LinearAndCoordinateIndices) {
  const TensorWriter values = TensorWriter::Of<float>("s", {2}, {1, 2});
  const auto check = [&](const TensorWriter& indices) {
    SparseTensorView view;
    return ReadSparse(SparseTensorWriter(values, indices, {3, 4}), view).message();
  };
  EXPECT_EQ(check(TensorWriter::Of<int64_t>("", {2}, {0, 11})), "");
  EXPECT_EQ(check(TensorWriter("", kInt64, {2}).Int64Data({0, 11})), "");
  EXPECT_EQ(check(TensorWriter::Of<int64_t>("", {2, 2}, {0, 3, 2, 0})), "");
  EXPECT_THAT(check(TensorWriter::Of<int64_t>("", {2}, {0, 12})), HasSubstr("outside of [3, 4]"));
  EXPECT_THAT(check(TensorWriter::Of<int64_t>("", {2}, {-1, 2})), HasSubstr("outside"));
  EXPECT_THAT(check(TensorWriter("", kInt64, {2}).Int64Data({5, 5})), HasSubstr("come after"));
  EXPECT_THAT(check(TensorWriter::Of<int64_t>("", {2, 2}, {2, 0, 0, 3})), HasSubstr("come after"));
  EXPECT_THAT(check(TensorWriter::Of<int64_t>("", {2, 2}, {0, 4, 2, 0})), HasSubstr("outside"));
  EXPECT_THAT(check(TensorWriter::Of<int64_t>("", {3}, {0, 1, 2})), HasSubstr("[nnz]"));
  EXPECT_THAT(check(TensorWriter::Of<int32_t>("", {2}, {0, 1})), HasSubstr("not INT64"));
}

}  // namespace
}  // namespace waybill::onnx
