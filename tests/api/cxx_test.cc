// The C++ header at work.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include "onnxruntime_cxx_api.h"
#include "tests/api/models.h"

namespace waybill::api_test {
namespace {

TEST(Cxx, LoadRunRead) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "cxx");
  const std::string model = AddOneModel();
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1).SetGraphOptimizationLevel(ORT_ENABLE_ALL);
  Ort::Session session(env, model.data(), model.size(), options);
  EXPECT_EQ(session.GetInputNames(), std::vector<std::string>{"x"});
  EXPECT_EQ(session.GetOutputNames(), std::vector<std::string>{"y"});
  const Ort::TypeInfo type = session.GetInputTypeInfo(0);
  EXPECT_EQ(type.GetTensorTypeAndShapeInfo().GetShape(), (std::vector<int64_t>{-1, 2}));
  EXPECT_STREQ(type.GetTensorTypeAndShapeInfo().GetSymbolicDimensions()[0], "batch");
  EXPECT_EQ(type.GetSequenceTypeInfo(), nullptr);

  std::vector<float> data = {1, 2, 3, 4};
  const std::vector<int64_t> shape = {2, 2};
  auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  Ort::Value x =
      Ort::Value::CreateTensor<float>(memory, data.data(), data.size(), shape.data(), shape.size());
  Ort::AllocatorWithDefaultOptions allocator;
  const auto in = session.GetInputNameAllocated(0, allocator);
  const auto out = session.GetOutputNameAllocated(0, allocator);
  const char *ins[] = {in.get()}, *outs[] = {out.get()};
  const auto results = session.Run(Ort::RunOptions{nullptr}, ins, &x, 1, outs, 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].GetTensorData<float>()[3], 5);
  EXPECT_EQ(results[0].GetTensorTypeAndShapeInfo().GetElementCount(), 4u);
  EXPECT_EQ(results[0].GetTensorMemoryInfo().GetDeviceType(), OrtMemoryInfoDeviceType_CPU);

  Ort::Value place = Ort::Value::CreateTensor<float>(allocator, shape.data(), shape.size());
  session.Run(Ort::RunOptions(), ins, &x, 1, outs, &place, 1);
  EXPECT_EQ(place.At<float>({0, 1}), 3);

  Ort::IoBinding binding(session);
  binding.BindInput("x", x);
  binding.BindOutput("y", memory);
  session.Run(Ort::RunOptions{nullptr}, binding);
  EXPECT_EQ(binding.GetOutputNames(), std::vector<std::string>{"y"});
  EXPECT_EQ(binding.GetOutputValues()[0].GetTensorData<float>()[0], 2);

  const Ort::ModelMetadata metadata = session.GetModelMetadata();
  EXPECT_STREQ(metadata.GetProducerNameAllocated(allocator).get(), "tests");
  EXPECT_EQ(metadata.GetCustomMetadataMapKeysAllocated(allocator).size(), 2u);
  EXPECT_EQ(metadata.LookupCustomMetadataMapAllocated("no", allocator).get(), nullptr);
}

TEST(Cxx, ErrorsAreExceptions) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "cxx");
  try {
    Ort::Session session(env, "/no/such/model.onnx", Ort::SessionOptions());
    FAIL() << "no exception";
  } catch (const Ort::Exception& error) {
    EXPECT_EQ(error.GetOrtErrorCode(), ORT_NO_SUCHFILE);
    EXPECT_NE(std::strstr(error.what(), "/no/such/model.onnx"), nullptr);
  }
  const Ort::Status status("text", ORT_EP_FAIL);
  EXPECT_FALSE(status.IsOK());
  EXPECT_EQ(status.GetErrorMessage(), "text");
  EXPECT_TRUE(Ort::Status().IsOK());
}

TEST(Cxx, ValuesOfEveryKind) {
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t two = 2;
  Ort::Value strings =
      Ort::Value::CreateTensor(allocator, &two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  const char* texts[] = {"a", "bc"};
  strings.FillStringTensor(texts, 2);
  EXPECT_EQ(strings.GetStringTensorElement(1), "bc");
  EXPECT_EQ(strings.GetStringTensorDataLength(), 3u);
  std::memcpy(strings.GetResizedStringTensorElementBuffer(0, 4), "wxyz", 4);
  EXPECT_EQ(strings.GetStringTensorElement(0), "wxyz");

  Ort::Value halves = Ort::Value::CreateTensor<Ort::Float16_t>(allocator, &two, 1);
  halves.GetTensorMutableData<Ort::Float16_t>()[1] = Ort::Float16_t(0.5f);
  EXPECT_EQ(halves.GetTensorSizeInBytes(), 4u);
  EXPECT_EQ(halves.GetTensorData<Ort::Float16_t>()[1].ToFloat(), 0.5f);

  std::vector<Ort::Value> parts;
  parts.push_back(std::move(strings));
  Ort::Value sequence = Ort::Value::CreateSequence(parts);
  EXPECT_EQ(sequence.GetCount(), 1u);
  EXPECT_EQ(sequence.GetValue(0, allocator).GetStringTensorElement(1), "bc");
  EXPECT_FALSE(sequence.IsTensor());

  std::vector<int64_t> keys = {1, 2};
  std::vector<float> numbers = {3, 4};
  auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  const Ort::Value map =
      Ort::Value::CreateMap(Ort::Value::CreateTensor<int64_t>(memory, keys.data(), 2, &two, 1),
                            Ort::Value::CreateTensor<float>(memory, numbers.data(), 2, &two, 1));
  EXPECT_EQ(map.GetValue(1, allocator).GetTensorData<float>()[1], 4);
  const Ort::TypeInfo type = map.GetTypeInfo();
  EXPECT_EQ(type.GetMapTypeInfo().GetMapKeyType(), ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  EXPECT_EQ(type.GetMapTypeInfo().GetMapValueType().GetONNXType(), ONNX_TYPE_TENSOR);
}

TEST(Cxx, OwnersMove) {
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t one = 1;
  Ort::Value a = Ort::Value::CreateTensor<float>(allocator, &one, 1);
  OrtValue* raw = a;
  Ort::Value b = std::move(a);
  EXPECT_EQ(static_cast<OrtValue*>(b), raw);
  EXPECT_EQ(a, nullptr);  // NOLINT: what a moved-from owner holds
  a = std::move(b);
  EXPECT_EQ(a.release(), raw);
  Ort::GetApi().ReleaseValue(raw);
  const auto block = allocator.GetAllocation(16);
  EXPECT_EQ(block.size(), 16u);
}

TEST(Cxx, HalfFloatsRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = Ort::Float16_t::FromBits(static_cast<uint16_t>(bits));
    const float value = half.ToFloat();
    if (std::isnan(value)) {
      EXPECT_TRUE(half.IsNaN());
      EXPECT_TRUE(Ort::Float16_t(value).IsNaN());
    } else {
      EXPECT_EQ(Ort::Float16_t(value).val, bits);
    }
    const auto brain = Ort::BFloat16_t::FromBits(static_cast<uint16_t>(bits));
    if (!brain.IsNaN()) {
      EXPECT_EQ(Ort::BFloat16_t(brain.ToFloat()).val, bits);
    }
  }
  EXPECT_EQ(Ort::Float16_t(65520.0f).val, 0x7C00);
  EXPECT_EQ(Ort::Float16_t(65519.0f).val, 0x7BFF);
  EXPECT_EQ(Ort::Float16_t(0x1p-25f).val, 0);
  EXPECT_EQ(Ort::Float16_t(0x1.8p-25f).val, 1);
  EXPECT_EQ(Ort::BFloat16_t(1.00390625f).val, 0x3F80);  // half way, to even
}

TEST(Cxx, Versions) {
  EXPECT_EQ(Ort::GetVersionString().rfind("1.30.", 0), 0u);
  EXPECT_FALSE(Ort::GetBuildInfoString().empty());
  EXPECT_EQ(Ort::GetAvailableProviders().back(), "CPUExecutionProvider");
}

}  // namespace
}  // namespace waybill::api_test
