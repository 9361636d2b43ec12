// Values: tensors over callers' memory and their own, strings, sequences, maps, type queries.
#include <array>
#include <cstdlib>
#include <cstring>

#include "tests/api/api_support.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr auto kInt64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
constexpr auto kString = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;

TEST(Tensor, OverTheCallersBytes) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const Owned<OrtValue> value = Wrap(data, kFloat, {2, 3});
  void* mutable_data = nullptr;
  ASSERT_OK(Api().GetTensorMutableData(value.get(), &mutable_data));
  EXPECT_EQ(mutable_data, data.data());
  EXPECT_EQ(Data<float>(value.get()), data.data());
  int is_tensor = 0;
  EXPECT_OK(Api().IsTensor(value.get(), &is_tensor));
  EXPECT_EQ(is_tensor, 1);
  EXPECT_EQ(ShapeOf(value.get()), (std::vector<int64_t>{2, 3}));
  size_t bytes = 0;
  EXPECT_OK(Api().GetTensorSizeInBytes(value.get(), &bytes));
  EXPECT_EQ(bytes, 24u);
  const int64_t at[] = {1, 2};
  void* element = nullptr;
  ASSERT_OK(Api().TensorAt(value.get(), at, 2, &element));
  EXPECT_EQ(element, &data[5]);
  for (const auto& bad : {std::array<int64_t, 2>{2, 0}, {0, 3}, {-1, 0}}) {
    EXPECT_FAILS(ORT_INVALID_ARGUMENT, "invalid location range",
                 Api().TensorAt(value.get(), bad.data(), 2, &element));
  }
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", Api().TensorAt(value.get(), at, 1, &element));
  const OrtMemoryInfo* where = nullptr;
  ASSERT_OK(Api().GetTensorMemoryInfo(value.get(), &where));
  OrtMemoryInfoDeviceType device;
  Api().MemoryInfoGetDeviceType(where, &device);
  EXPECT_EQ(device, OrtMemoryInfoDeviceType_CPU);
}

TEST(Tensor, BadBuffersAndShapes) {
  const Owned<OrtMemoryInfo> info = CpuInfo();
  float data[4];
  OrtValue* value = nullptr;
  const auto wrap = [&](size_t bytes, std::vector<int64_t> shape, ONNXTensorElementDataType type) {
    return Api().CreateTensorWithDataAsOrtValue(info.get(), data, bytes, shape.data(), shape.size(),
                                                type, &value);
  };
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "not enough space: expected 16, got 15",
               wrap(15, {4}, kFloat));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "tried creating tensor with negative value in shape",
               wrap(16, {-1}, kFloat));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "not enough space", wrap(16, {4}, kString));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", wrap(16, {INT64_MAX, INT64_MAX}, kFloat));
  EXPECT_FAILS(ORT_NOT_IMPLEMENTED, "tensor type 0 is not supported",
               wrap(16, {4}, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED));
  EXPECT_EQ(value, nullptr);
  const int64_t negative = -4;
  EXPECT_FAILS(ORT_FAIL, "",
               Api().CreateTensorAsOrtValue(DefaultAllocator(), &negative, 1, kFloat, &value));
  const int64_t four = 4;
  EXPECT_FAILS(ORT_NOT_IMPLEMENTED, "tensor type 0 is not supported",
               Api().CreateTensorAsOrtValue(DefaultAllocator(), &four, 1,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, &value));
}

TEST(Tensor, EveryElementTypeRoundTrips) {
  for (int type = 1; type <= 26; ++type) {
    const auto element = static_cast<ONNXTensorElementDataType>(type);
    const Owned<OrtValue> value = NewTensor(element, {3, 5});
    ASSERT_NE(value, nullptr) << type;
    ONNXTensorElementDataType seen = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    const int64_t* dims = nullptr;
    size_t rank = 0;
    EXPECT_OK(Api().GetTensorElementTypeAndShapeDataReference(value.get(), &seen, &dims, &rank));
    EXPECT_EQ(seen, element);
    ASSERT_EQ(rank, 2u);
    EXPECT_EQ(dims[1], 5);
  }
  size_t bytes = 0;
  const Owned<OrtValue> nibbles = NewTensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, {3});
  EXPECT_OK(Api().GetTensorSizeInBytes(nibbles.get(), &bytes));
  EXPECT_EQ(bytes, 2u);
  const Owned<OrtValue> two_bits = NewTensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, {5});
  EXPECT_OK(Api().GetTensorSizeInBytes(two_bits.get(), &bytes));
  EXPECT_EQ(bytes, 2u);
}

TEST(Tensor, ScalarsAndEmptyOnes) {
  const Owned<OrtValue> scalar = NewTensor(kFloat, {});
  ONNXTensorElementDataType type;
  const int64_t unset = 0;
  const int64_t* dims = &unset;
  size_t rank = 9;
  EXPECT_OK(Api().GetTensorElementTypeAndShapeDataReference(scalar.get(), &type, &dims, &rank));
  EXPECT_EQ(dims, nullptr);
  EXPECT_EQ(rank, 0u);
  void* element = nullptr;
  EXPECT_OK(Api().TensorAt(scalar.get(), nullptr, 0, &element));
  const Owned<OrtValue> empty = NewTensor(kFloat, {0, 3});
  size_t bytes = 1;
  EXPECT_OK(Api().GetTensorSizeInBytes(empty.get(), &bytes));
  EXPECT_EQ(bytes, 0u);
  const Owned<OrtMemoryInfo> info = CpuInfo();
  OrtValue* over_null = nullptr;
  const int64_t zero = 0;
  ASSERT_OK(
      Api().CreateTensorWithDataAsOrtValue(info.get(), nullptr, 0, &zero, 1, kFloat, &over_null));
  Api().ReleaseValue(over_null);
}

// An allocator of the caller that counts.
struct Counting : OrtAllocator {
  int live = 0;
  const OrtMemoryInfo* where;
  explicit Counting(const OrtMemoryInfo* info) : OrtAllocator{}, where(info) {
    version = ORT_API_VERSION;
    OrtAllocator::Alloc = [](OrtAllocator* self, size_t size) {
      ++static_cast<Counting*>(self)->live;
      return std::malloc(size);
    };
    OrtAllocator::Free = [](OrtAllocator* self, void* p) {
      --static_cast<Counting*>(self)->live;
      std::free(p);
    };
    OrtAllocator::Info = [](const OrtAllocator* self) {
      return static_cast<const Counting*>(self)->where;
    };
  }
};

TEST(Tensor, FromTheCallersAllocator) {
  const Owned<OrtMemoryInfo> info = CpuInfo();
  Counting allocator(info.get());
  const int64_t shape[] = {2, 2};
  OrtValue* value = nullptr;
  ASSERT_OK(Api().CreateTensorAsOrtValue(&allocator, shape, 2, kFloat, &value));
  EXPECT_EQ(allocator.live, 1);
  Api().ReleaseValue(value);
  EXPECT_EQ(allocator.live, 0);

  void* bytes = allocator.Alloc(&allocator, 16);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "not enough space",
               Api().CreateTensorWithDataAndDeleterAsOrtValue(&allocator, bytes, 8, shape, 2,
                                                              kFloat, &value));
  EXPECT_EQ(allocator.live, 1);  // still the caller's
  ASSERT_OK(Api().CreateTensorWithDataAndDeleterAsOrtValue(&allocator, bytes, 16, shape, 2, kFloat,
                                                           &value));
  EXPECT_EQ(Data<void>(value), bytes);
  Api().ReleaseValue(value);
  EXPECT_EQ(allocator.live, 0);
}

TEST(Strings, FillAndRead) {
  const Owned<OrtValue> value = Strings({"ab", "", "cde"});
  size_t length = 0;
  EXPECT_OK(Api().GetStringTensorDataLength(value.get(), &length));
  EXPECT_EQ(length, 5u);
  char text[5];
  size_t offsets[3];
  EXPECT_OK(Api().GetStringTensorContent(value.get(), text, 5, offsets, 3));
  EXPECT_EQ(std::string(text, 5), "abcde");
  EXPECT_EQ(offsets[2], 2u);
  EXPECT_FAILS(ORT_FAIL, "output buffer is too small. Use GetStringTensorDataLength.",
               Api().GetStringTensorContent(value.get(), text, 4, offsets, 3));
  EXPECT_FAILS(ORT_FAIL, "", Api().GetStringTensorContent(value.get(), text, 5, offsets, 2));
  EXPECT_OK(Api().GetStringTensorElementLength(value.get(), 2, &length));
  EXPECT_EQ(length, 3u);
  EXPECT_OK(Api().GetStringTensorElement(value.get(), 3, 2, text));
  EXPECT_EQ(std::string(text, 3), "cde");
  EXPECT_FAILS(ORT_FAIL, "buffer size is too small for string element",
               Api().GetStringTensorElement(value.get(), 2, 2, text));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "",
               Api().GetStringTensorElementLength(value.get(), 3, &length));
  EXPECT_OK(Api().FillStringTensorElement(value.get(), "z", 1));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", Api().FillStringTensorElement(value.get(), "z", 3));
  char* buffer = nullptr;
  ASSERT_OK(Api().GetResizedStringTensorElementBuffer(value.get(), 0, 100, &buffer));
  std::memset(buffer, 'x', 100);
  EXPECT_OK(Api().GetStringTensorDataLength(value.get(), &length));
  EXPECT_EQ(length, 104u);
}

TEST(Strings, WrongUses) {
  const Owned<OrtValue> strings = NewTensor(kString, {2});
  const Owned<OrtValue> floats = NewTensor(kFloat, {2});
  const char* texts[] = {"a", "b", "c"};
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "input array doesn't equal tensor size",
               Api().FillStringTensor(strings.get(), texts, 3));
  EXPECT_FAILS(ORT_FAIL, "", Api().FillStringTensor(floats.get(), texts, 2));
  size_t size = 0;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "String tensors are not supported by this API",
               Api().GetTensorSizeInBytes(strings.get(), &size));
  void* element = nullptr;
  const int64_t at = 0;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "", Api().TensorAt(strings.get(), &at, 1, &element));
}

TEST(Sequence, BuildAndTakeApart) {
  std::vector<float> first = {1, 2}, second = {3};
  Owned<OrtValue> a = Wrap(first, kFloat, {2}), b = Wrap(second, kFloat, {1});
  const OrtValue* items[] = {a.get(), b.get()};
  OrtValue* made = nullptr;
  ASSERT_OK(Api().CreateValue(items, 2, ONNX_TYPE_SEQUENCE, &made));
  const Owned<OrtValue> sequence(made, Api().ReleaseValue);
  // The sequence outlives the values and buffers it was made of.
  a.reset();
  b.reset();
  first.assign(2, 0);
  ONNXType kind;
  EXPECT_OK(Api().GetValueType(sequence.get(), &kind));
  EXPECT_EQ(kind, ONNX_TYPE_SEQUENCE);
  size_t count = 0;
  EXPECT_OK(Api().GetValueCount(sequence.get(), &count));
  EXPECT_EQ(count, 2u);
  OrtValue* item = nullptr;
  ASSERT_OK(Api().GetValue(sequence.get(), 0, DefaultAllocator(), &item));
  EXPECT_EQ(Data<float>(item)[1], 2);
  Api().ReleaseValue(item);
  EXPECT_FAILS(ORT_FAIL, "", Api().GetValue(sequence.get(), 2, DefaultAllocator(), &item));
  EXPECT_FAILS(ORT_FAIL, "", Api().GetValue(sequence.get(), -1, DefaultAllocator(), &item));
  void* data = nullptr;
  EXPECT_FAILS(ORT_RUNTIME_EXCEPTION, "", Api().GetTensorMutableData(sequence.get(), &data));

  OrtTypeInfo* type = nullptr;
  ASSERT_OK(Api().GetTypeInfo(sequence.get(), &type));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  EXPECT_OK(Api().CastTypeInfoToTensorInfo(type, &tensor));
  EXPECT_EQ(tensor, nullptr);
  const OrtSequenceTypeInfo* sequence_type = nullptr;
  ASSERT_OK(Api().CastTypeInfoToSequenceTypeInfo(type, &sequence_type));
  ASSERT_NE(sequence_type, nullptr);
  OrtTypeInfo* element = nullptr;
  ASSERT_OK(Api().GetSequenceElementType(sequence_type, &element));
  EXPECT_OK(Api().GetOnnxTypeFromTypeInfo(element, &kind));
  EXPECT_EQ(kind, ONNX_TYPE_TENSOR);
  Api().ReleaseTypeInfo(element);
  Api().ReleaseTypeInfo(type);
}

TEST(Sequence, WrongParts) {
  const Owned<OrtValue> floats = NewTensor(kFloat, {1}), ints = NewTensor(kInt64, {1});
  const OrtValue* items[] = {floats.get(), ints.get()};
  OrtValue* made = nullptr;
  EXPECT_FAILS(ORT_FAIL, "", Api().CreateValue(items, 2, ONNX_TYPE_SEQUENCE, &made));
  EXPECT_FAILS(ORT_FAIL, "Number of values should be at least 1.",
               Api().CreateValue(items, 0, ONNX_TYPE_SEQUENCE, &made));
  size_t count = 0;
  EXPECT_FAILS(ORT_FAIL, "Input is not of type sequence or map.",
               Api().GetValueCount(floats.get(), &count));
}

TEST(Map, BuildAndTakeApart) {
  std::vector<int64_t> numbers = {7, 8};
  std::vector<float> scores = {0.5f, 0.25f};
  const Owned<OrtValue> keys = Wrap(numbers, kInt64, {2}), values = Wrap(scores, kFloat, {2});
  const OrtValue* parts[] = {keys.get(), values.get()};
  OrtValue* made = nullptr;
  ASSERT_OK(Api().CreateValue(parts, 2, ONNX_TYPE_MAP, &made));
  const Owned<OrtValue> map(made, Api().ReleaseValue);
  size_t count = 0;
  EXPECT_OK(Api().GetValueCount(map.get(), &count));
  EXPECT_EQ(count, 2u);
  OrtValue* part = nullptr;
  ASSERT_OK(Api().GetValue(map.get(), 0, DefaultAllocator(), &part));
  EXPECT_EQ(Data<int64_t>(part)[1], 8);
  Api().ReleaseValue(part);
  ASSERT_OK(Api().GetValue(map.get(), 1, DefaultAllocator(), &part));
  EXPECT_EQ(Data<float>(part)[0], 0.5f);
  Api().ReleaseValue(part);
  EXPECT_FAILS(ORT_FAIL, "Invalid index requested for map type.",
               Api().GetValue(map.get(), 2, DefaultAllocator(), &part));
  OrtTypeInfo* type = nullptr;
  ASSERT_OK(Api().GetTypeInfo(map.get(), &type));
  const OrtMapTypeInfo* map_type = nullptr;
  ASSERT_OK(Api().CastTypeInfoToMapTypeInfo(type, &map_type));
  ONNXTensorElementDataType key_type;
  EXPECT_OK(Api().GetMapKeyType(map_type, &key_type));
  EXPECT_EQ(key_type, kInt64);
  OrtTypeInfo* value_type = nullptr;
  ASSERT_OK(Api().GetMapValueType(map_type, &value_type));
  Api().ReleaseTypeInfo(value_type);
  Api().ReleaseTypeInfo(type);
  EXPECT_FAILS(ORT_FAIL, "", Api().CreateValue(parts, 1, ONNX_TYPE_MAP, &made));
}

TEST(TensorInfo, FreshOneAndUnknownDimensions) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  ASSERT_OK(Api().CreateTensorTypeAndShapeInfo(&info));
  ONNXTensorElementDataType type;
  EXPECT_OK(Api().GetTensorElementType(info, &type));
  EXPECT_EQ(type, kFloat);
  size_t number = 9;
  EXPECT_OK(Api().GetDimensionsCount(info, &number));
  EXPECT_EQ(number, 0u);
  EXPECT_OK(Api().GetTensorShapeElementCount(info, &number));
  EXPECT_EQ(number, 0u);
  EXPECT_FALSE(Api().TensorTypeAndShape_HasShape(info));

  const int64_t dims[] = {-1, 10};
  EXPECT_OK(Api().SetDimensions(info, dims, 2));
  EXPECT_TRUE(Api().TensorTypeAndShape_HasShape(info));
  EXPECT_FAILS(ORT_FAIL, "", Api().GetTensorShapeElementCount(info, &number));
  const char* names[] = {"batch", nullptr};
  EXPECT_OK(Api().SetSymbolicDimensions(info, names, 2));
  const char* seen[3] = {};
  EXPECT_OK(Api().GetSymbolicDimensions(info, seen, 3));
  EXPECT_STREQ(seen[0], "batch");
  EXPECT_STREQ(seen[1], "");
  int64_t longer[3] = {7, 7, 7};
  EXPECT_OK(Api().GetDimensions(info, longer, 3));
  EXPECT_EQ(longer[0], -1);
  EXPECT_EQ(longer[2], 7);
  EXPECT_OK(Api().SetDimensions(info, nullptr, 0));
  EXPECT_OK(Api().GetTensorShapeElementCount(info, &number));
  EXPECT_EQ(number, 1u);
  Api().ReleaseTensorTypeAndShapeInfo(info);
}

}  // namespace
}  // namespace waybill::api_test
