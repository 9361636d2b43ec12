// How many bytes values have, whose they are, and when they go back.
#include <algorithm>
#include <cstring>

#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "tests/support/temp_dir.h"
#include "waybill.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;

struct TypeBits {
  ONNXTensorElementDataType type;
  size_t bits;
};
constexpr TypeBits kTypes[] = {{ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 32},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, 16},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, 16},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, 32},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 64},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, 16},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, 64},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, 32},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, 64},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, 64},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, 128},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, 16},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4, 4},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 4},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, 4},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, 8},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, 2},
                               {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, 2}};

// Every type, owned and over the caller's bytes: exactly as many bytes as the elements take, the
// last byte rounded up.
TEST(ValueBytes, ElementsTimesTheirSize) {
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  const std::vector<std::pair<std::vector<int64_t>, size_t>> shapes = {
      {{3, 5}, 15}, {{}, 1}, {{1}, 1}, {{0, 7}, 0}, {{2, 0}, 0}, {{4, 2, 2}, 16}};
  std::vector<char> bytes(15 * 16 + 16);
  for (const TypeBits& t : kTypes) {
    for (const auto& entry : shapes) {
      const std::vector<int64_t>& shape = entry.first;
      const size_t elems = entry.second;
      const size_t expected = (elems * t.bits + 7) / 8;
      const Owned<OrtValue> owned = NewTensor(t.type, shape);
      ASSERT_NE(owned, nullptr) << t.type;
      size_t size = 99;
      EXPECT_OK(Api().GetTensorSizeInBytes(owned.get(), &size));
      EXPECT_EQ(size, expected) << "type " << t.type << " of " << elems;
      const auto wrap = [&](size_t length, OrtValue** out) {
        return Api().CreateTensorWithDataAsOrtValue(cpu.get(), bytes.data(), length, shape.data(),
                                                    shape.size(), t.type, out);
      };
      OrtValue* value = nullptr;
      ASSERT_OK(wrap(expected, &value));
      EXPECT_OK(Api().GetTensorSizeInBytes(value, &size));
      EXPECT_EQ(size, expected);
      Api().ReleaseValue(value);
      if (expected == 0) continue;
      value = nullptr;
      EXPECT_FAILS(ORT_INVALID_ARGUMENT, "not enough space", wrap(expected - 1, &value));
      EXPECT_EQ(value, nullptr);
    }
    // More than there can be, by each way of counting.
    const std::vector<std::vector<int64_t>> huge_shapes = {
        {INT64_MAX, 2}, {INT64_MAX}, {int64_t{1} << 32, int64_t{1} << 32}};
    for (const std::vector<int64_t>& huge : huge_shapes) {
      OrtValue* value = nullptr;
      EXPECT_NE(
          Outcome(Api().CreateTensorWithDataAsOrtValue(cpu.get(), bytes.data(), bytes.size(),
                                                       huge.data(), huge.size(), t.type, &value))
              .code,
          ORT_OK);
      EXPECT_NE(Outcome(Api().CreateTensorAsOrtValue(DefaultAllocator(), huge.data(), huge.size(),
                                                     t.type, &value))
                    .code,
                ORT_OK);
      EXPECT_EQ(value, nullptr);
    }
  }
}

TEST(ValueBytes, ManyValuesOverOneBuffer) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  std::vector<Owned<OrtValue>> values;
  for (int i = 0; i < 100; ++i) {
    values.push_back(
        Wrap(data, kFloat, i % 2 == 0 ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{6}));
  }
  data[4] = 50;
  for (const Owned<OrtValue>& value : values) {
    EXPECT_EQ(Data<float>(value.get()), data.data());
    EXPECT_EQ(Data<float>(value.get())[4], 50);
  }
}

// "bytes_in_use" of values that callers made.
size_t UserBytes(const OrtEnv* env) {
  char* text = nullptr;
  EXPECT_OK(WaybillEnvGetMemoryJson(env, DefaultAllocator(), &text));
  const std::string json(text);
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), text));
  const std::string key = "\"bytes_in_use\":";
  size_t at = json.find("\"user\"");
  at = json.find(key, at);
  return at == std::string::npos ? SIZE_MAX : std::stoull(json.substr(at + key.size()));
}

// After the last release, not before, the bytes are back at their source.
TEST(ValueBytes, GoBackWithTheLastHolder) {
  const Owned<OrtEnv> env = NewEnv();
  const size_t before = UserBytes(env.get());
  Owned<OrtValue> sequence(nullptr, Api().ReleaseValue), item(nullptr, Api().ReleaseValue);
  {
    const Owned<OrtValue> tensor = NewTensor(kFloat, {1 << 18});
    EXPECT_GE(UserBytes(env.get()), before + (size_t{1} << 20));
    const OrtValue* items[] = {tensor.get()};
    OrtValue* made = nullptr;
    ASSERT_OK(Api().CreateValue(items, 1, ONNX_TYPE_SEQUENCE, &made));
    sequence.reset(made);
  }
  EXPECT_GE(UserBytes(env.get()), before + (size_t{1} << 20)) << "the sequence holds it";
  EXPECT_LT(UserBytes(env.get()), before + (size_t{2} << 20)) << "and shares it";
  OrtValue* got = nullptr;
  ASSERT_OK(Api().GetValue(sequence.get(), 0, DefaultAllocator(), &got));
  item.reset(got);
  sequence.reset();
  EXPECT_GE(UserBytes(env.get()), before + (size_t{1} << 20)) << "the item holds it";
  item.reset();
  EXPECT_EQ(UserBytes(env.get()), before);
}

// What is held is nobody else's: blocks that are made and freed beside it never touch it.
TEST(ValueBytes, HeldBytesAreNotGivenOutAgain) {
  const Owned<OrtEnv> env = NewEnv();
  std::vector<std::pair<Owned<OrtValue>, uint8_t>> held;  // with the byte that fills it alone
  for (uint8_t i = 0; i < 200; ++i) {
    held.emplace_back(NewTensor(kFloat, {1000}), i);
    void* data = nullptr;
    ASSERT_OK(Api().GetTensorMutableData(held.back().first.get(), &data));
    std::memset(data, i, 4000);
    if (i % 3 == 0) held.erase(held.begin() + i / 3);
  }
  for (const auto& [value, byte] : held) {
    EXPECT_EQ(std::count(Data<uint8_t>(value.get()), Data<uint8_t>(value.get()) + 4000, byte),
              4000);
  }
}

TEST(ValueFromFile, MapsAndNeverWritesTheFile) {
  const test::TempDir dir;
  const float numbers[] = {1, 2, 3, 4, 5};
  const std::string text(reinterpret_cast<const char*>(numbers), sizeof numbers);
  const std::string path = dir.Write("numbers.bin", "xyz!" + text);
  const int64_t shape[] = {2, 2};
  OrtValue* made = nullptr;
  ASSERT_OK(WaybillValueFromFile(path.c_str(), 8, shape, 2, kFloat, &made));
  const Owned<OrtValue> value(made, Api().ReleaseValue);
  EXPECT_EQ(Data<float>(value.get())[3], 5);
  void* data = nullptr;
  ASSERT_OK(Api().GetTensorMutableData(value.get(), &data));
  static_cast<float*>(data)[0] = 77;
  EXPECT_EQ(test::ReadWholeFile(path), "xyz!" + text);
  made = nullptr;
  ASSERT_OK(WaybillValueFromFile(path.c_str(), 8, shape, 2, kFloat, &made));
  EXPECT_EQ(Data<float>(made)[0], 2) << "another value does not see it";
  Api().ReleaseValue(made);
}

TEST(ValueFromFile, IsAnInputAtAnyOffsetAndAnOutput) {
  const test::TempDir dir;
  const float numbers[] = {1, 2, 3, 4};
  const std::string text(reinterpret_cast<const char*>(numbers), sizeof numbers);
  const std::string path = dir.Write("numbers.bin", "?" + text);
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
  const int64_t shape[] = {2, 2};
  OrtValue *x = nullptr, *y = nullptr;
  ASSERT_OK(WaybillValueFromFile(path.c_str(), 1, shape, 2, kFloat, &x));
  ASSERT_OK(WaybillValueFromFile(path.c_str(), 0, shape, 2, kFloat, &y));
  const Owned<OrtValue> in(x, Api().ReleaseValue), out(y, Api().ReleaseValue);
  const char *input = "x", *output = "y";
  const OrtValue* given = in.get();
  OrtValue* place = out.get();
  ASSERT_OK(Api().Run(session.get(), nullptr, &input, &given, 1, &output, 1, &place));
  EXPECT_EQ(Data<float>(out.get())[3], 5);
  EXPECT_EQ(test::ReadWholeFile(path), "?" + text);
}

TEST(ValueFromFile, SaysWhatIsWrong) {
  const test::TempDir dir;
  const std::string path = dir.Write("ten.bin", "0123456789");
  const std::string empty = dir.Write("empty.bin", "");
  const auto open = [](const std::string& file, uint64_t offset, std::vector<int64_t> shape,
                       ONNXTensorElementDataType type = kFloat) {
    OrtValue* value = nullptr;
    Outcome outcome(
        WaybillValueFromFile(file.c_str(), offset, shape.data(), shape.size(), type, &value));
    Api().ReleaseValue(value);
    return outcome;
  };
  EXPECT_TRUE(open(path, 0, {2}).Says(ORT_OK));
  EXPECT_TRUE(open(path, 2, {2}).Says(ORT_OK));
  EXPECT_TRUE(open(path, 10, {0, 3}).Says(ORT_OK));
  EXPECT_TRUE(open(empty, 0, {0}).Says(ORT_OK));
  const Outcome short_file = open(path, 3, {2});
  EXPECT_TRUE(short_file.Says(ORT_INVALID_ARGUMENT, "expected 8, got 7")) << short_file;
  EXPECT_TRUE(short_file.Says(ORT_INVALID_ARGUMENT, "ten.bin")) << short_file;
  EXPECT_TRUE(open(path, 11, {0}).Says(ORT_INVALID_ARGUMENT, "10 bytes"));
  EXPECT_TRUE(open(path, UINT64_MAX, {1}).Says(ORT_INVALID_ARGUMENT, "10 bytes"));
  EXPECT_TRUE(open(path, 0, {-1}).Says(ORT_INVALID_ARGUMENT, "negative"));
  EXPECT_TRUE(open(path, 0, {INT64_MAX, 4}).Says(ORT_INVALID_ARGUMENT));
  EXPECT_TRUE(open(path, 0, {0}, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING).Says(ORT_INVALID_ARGUMENT));
  EXPECT_TRUE(open(dir / "none.bin", 0, {1}).Says(ORT_NO_SUCHFILE, "none.bin"));
  EXPECT_TRUE(open(dir / "", 0, {1}).Says(ORT_NO_SUCHFILE));
}

}  // namespace
}  // namespace waybill::api_test
