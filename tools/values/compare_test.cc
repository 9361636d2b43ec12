#include "tools/values/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tools/values/elements.h"
#include "tools/values/generate.h"

namespace waybill::tools {
namespace {

Ort::Value Floats(std::vector<float> data, std::vector<int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<int64_t>(data.size())};
  Ort::AllocatorWithDefaultOptions allocator;
  Ort::Value value = Ort::Value::CreateTensor<float>(allocator, shape.data(), shape.size());
  std::copy(data.begin(), data.end(), value.GetTensorMutableData<float>());
  return value;
}

Ort::Value Ints(const std::vector<int64_t>& data) {
  Ort::AllocatorWithDefaultOptions allocator;
  const auto count = static_cast<int64_t>(data.size());
  Ort::Value value = Ort::Value::CreateTensor<int64_t>(allocator, &count, 1);
  std::copy(data.begin(), data.end(), value.GetTensorMutableData<int64_t>());
  return value;
}

TEST(Compare, FloatsWithinTheRule) {
  EXPECT_FALSE(Compare(Floats({1.0005f, 100}), Floats({1, 100}), {}));
  EXPECT_FALSE(Compare(Floats({0.0009f, 100}), Floats({0, 100}), {}));  // 1e-5 of the largest
  const auto difference =
      Compare(Floats({1, 2, 3.1f, 4}, {2, 2}), Floats({1, 2, 3, 4}, {2, 2}), {});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->where, "[1, 0]");
  EXPECT_EQ(difference->got, "3.1");
  EXPECT_EQ(difference->want, "3");
  EXPECT_NEAR(difference->largest_error, 0.1, 1e-6);
  EXPECT_EQ(difference->reason, "1 of 4 elements differ");
}

TEST(Compare, SpecialNumbers) {
  const float nan = NAN, infinity = INFINITY;
  EXPECT_FALSE(Compare(Floats({nan, infinity, -infinity}), Floats({nan, infinity, -infinity}), {}));
  EXPECT_TRUE(Compare(Floats({nan}), Floats({1}), {}));
  EXPECT_TRUE(Compare(Floats({1}), Floats({nan}), {}));
  EXPECT_TRUE(Compare(Floats({infinity}), Floats({-infinity}), {}));
  EXPECT_TRUE(Compare(Floats({1e30f}), Floats({infinity}), {}));
  EXPECT_FALSE(Compare(Floats({}, {0}), Floats({}, {0}), {}));
}

TEST(Compare, TypesAndShapesMustFit) {
  EXPECT_TRUE(Compare(Floats({1, 2}), Floats({1, 2}, {2, 1}), {}));
  EXPECT_TRUE(Compare(Ints({1}), Floats({1}), {}));
  const auto difference = Compare(Ints({1, 3}), Ints({1, 2}), {});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->where, "[1]");
}

TEST(Compare, Top1) {
  Tolerance near;
  near.absolute = 10;
  EXPECT_FALSE(Compare(Floats({1, 2, 3}), Floats({3, 2, 1}), near));
  near.top1 = true;
  EXPECT_TRUE(Compare(Floats({1, 2, 3}), Floats({3, 2, 1}), near));
  EXPECT_FALSE(Compare(Floats({0, 2, 1}), Floats({1, 2, 0}), near));
}

TEST(Compare, SequencesAndMaps) {
  const auto sequence = [](float last) {
    std::vector<Ort::Value> items;
    items.push_back(Floats({1}));
    items.push_back(Floats({last}));
    return Ort::Value::CreateSequence(items);
  };
  EXPECT_FALSE(Compare(sequence(2), sequence(2), {}));
  const auto difference = Compare(sequence(2), sequence(3), {});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->where, "[1][0]");
  const Ort::Value a = Ort::Value::CreateMap(Ints({1, 2}), Floats({10, 20}));
  const Ort::Value b = Ort::Value::CreateMap(Ints({2, 1}), Floats({20, 10}));
  const Ort::Value c = Ort::Value::CreateMap(Ints({2, 1}), Floats({20, 11}));
  const Ort::Value d = Ort::Value::CreateMap(Ints({2, 3}), Floats({20, 10}));
  EXPECT_FALSE(Compare(a, b, {}));
  EXPECT_TRUE(Compare(a, c, {}));
  EXPECT_TRUE(Compare(a, d, {}));
  EXPECT_FALSE(BitEqual(a, b));
  EXPECT_TRUE(BitEqual(a, a));
}

TEST(Generate, SameSeedSameBits) {
  for (int type = 1; type <= 26; ++type) {
    const auto element = static_cast<ONNXTensorElementDataType>(type);
    EXPECT_TRUE(BitEqual(Generate(element, {3, 5}, 1), Generate(element, {3, 5}, 1))) << type;
  }
  const auto type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  EXPECT_FALSE(BitEqual(Generate(type, {8}, 1), Generate(type, {8}, 2)));
}

// One code of each narrow type, by its definition.
TEST(Elements, NarrowFloats) {
  const auto number = [](ONNXTensorElementDataType type, uint8_t bits) {
    Ort::AllocatorWithDefaultOptions allocator;
    Ort::Value value = Ort::Value::CreateTensor(allocator, nullptr, 0, type);
    *static_cast<uint8_t*>(value.GetTensorMutableRawData()) = bits;
    return NumberAt(value, type, 0);
  };
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, 0x7E), 448);
  EXPECT_TRUE(std::isnan(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, 0x7F)));
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, 0x7F), 240);
  EXPECT_TRUE(std::isnan(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, 0x80)));
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, 0x7B), 57344);
  EXPECT_TRUE(std::isinf(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, 0x7C)));
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, 0x7F), 57344);
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, 0x7), 6);
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, 0xF), -6);
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, 127), 1);
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 0xF), -1);
  EXPECT_EQ(number(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, 0x3), 3);
}

}  // namespace
}  // namespace waybill::tools
