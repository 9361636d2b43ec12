#include "tools/values/generate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "tools/values/elements.h"

namespace waybill::tools {
namespace {

std::string BytesOf(const Ort::Value& value) {
  return {static_cast<const char*>(value.GetTensorRawData()), value.GetTensorSizeInBytes()};
}

// Every numeric type of the interface: what is made varies, follows from the seed and is small.
TEST(Generate, EveryTypeVaries) {
  constexpr size_t kCount = 67;  // ends inside a byte where elements are less than one
  size_t types = 0;
  for (int i = 1; i < 32; ++i) {  // all that the enumeration has bits for
    const auto type = static_cast<ONNXTensorElementDataType>(i);
    const ElementInfo& element = InfoOf(type);
    if (element.bits == 0) continue;
    SCOPED_TRACE(element.name);
    ++types;
    const Ort::Value value = Generate(type, {kCount}, 1);
    EXPECT_EQ(BytesOf(value), BytesOf(Generate(type, {kCount}, 1)));
    EXPECT_NE(BytesOf(value), BytesOf(Generate(type, {kCount}, 2)));
    std::set<double> seen;
    for (size_t at = 0; at < kCount; ++at) seen.insert(NumberAt(value, type, at));
    EXPECT_GE(seen.size(), 2u);
    if (element.is_float) {
      EXPECT_GE(*seen.begin(), 0);
      EXPECT_LE(*seen.rbegin(), 1);
    } else if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8) {
      for (size_t at = 0; at < kCount; ++at) EXPECT_LE(BitsAt(value, type, at), 1u);
    }
  }
  EXPECT_EQ(types, 25u);
}

TEST(Generate, BothPartsOfComplexNumbers) {
  const Ort::Value value = Generate(ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, {1}, 1);
  float parts[2];
  std::memcpy(parts, value.GetTensorRawData(), sizeof parts);
  EXPECT_GT(parts[0], 0);
  EXPECT_GT(parts[1], 0);
}

}  // namespace
}  // namespace waybill::tools
