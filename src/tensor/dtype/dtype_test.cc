#include "tensor/dtype/dtype.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace waybill {
namespace {

TEST(DType, NamesComeBack) {
  for (int code = 1; code < kDTypeCount; ++code) {
    const auto dtype = static_cast<DType>(code);
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
    EXPECT_TRUE(IsKnownDType(code));
  }
  EXPECT_EQ(DTypeFromName("FLOAT8E4M3FNUZ"), DType::kF8E4M3FNUZ);
  EXPECT_EQ(DTypeFromName("UNDEFINED"), std::nullopt);
  EXPECT_EQ(DTypeFromName("undefined"), std::nullopt);
  EXPECT_EQ(DTypeFromName("Float"), std::nullopt);
  EXPECT_EQ(DTypeFromName(""), std::nullopt);
  EXPECT_FALSE(IsKnownDType(0));
  EXPECT_FALSE(IsKnownDType(kDTypeCount));
  EXPECT_FALSE(IsKnownDType(-1));
}

TEST(DType, BytesRoundUpAndSayOverflow) {
  EXPECT_EQ(DTypeBytes(DType::kF32, 3), 12u);
  EXPECT_EQ(DTypeBytes(DType::kU4, 0), 0u);
  EXPECT_EQ(DTypeBytes(DType::kI4, 3), 2u);
  EXPECT_EQ(DTypeBytes(DType::kI2, 5), 2u);
  EXPECT_EQ(DTypeBytes(DType::kF4E2M1, 4), 2u);
  EXPECT_EQ(DTypeBytes(DType::kString, 2), 2 * sizeof(std::string));
  EXPECT_EQ(DTypeBytes(DType::kUndefined, 9), 0u);
  const size_t max = std::numeric_limits<size_t>::max();
  EXPECT_EQ(DTypeBytes(DType::kF64, max / 4), std::nullopt);
  EXPECT_EQ(DTypeBytes(DType::kU4, max), max / 2 + 1);
}

TEST(DType, Families) {
  int floats = 0;
  int ints = 0;
  for (int code = 0; code < kDTypeCount; ++code) {
    floats += IsFloatDType(static_cast<DType>(code));
    ints += IsIntDType(static_cast<DType>(code));
  }
  EXPECT_EQ(floats, 10);  // single, double, half, bfloat16, five float8, float4
  EXPECT_EQ(ints, 12);    // eight of 8 to 64 bits, two of 4, two of 2
  EXPECT_FALSE(IsIntDType(DType::kBool));
  EXPECT_FALSE(IsFloatDType(DType::kC64));
}

}  // namespace
}  // namespace waybill
