// Weights that a caller can ask about, give instead of the file's, or feed; allocators of sessions.
#include "tests/api/api_support.h"
#include "tests/api/models.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;

// y[0] for inputs of one element each.
float RunFirst(OrtSession* session, const std::vector<const char*>& names,
               const std::vector<const OrtValue*>& values) {
  const char* output = "y";
  OrtValue* y = nullptr;
  EXPECT_OK(Api().Run(session, nullptr, names.data(), values.data(), names.size(), &output, 1, &y));
  const Owned<OrtValue> owner(y, Api().ReleaseValue);
  return y != nullptr ? Data<float>(y)[0] : -1;
}

// y = x + bias, where bias has a default, 10, that callers may override.
std::string OverridableModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {1}).Input("bias", onnx::kFloat, {1});
  model.graph().Initializer(onnx::TensorWriter::Of<float>("bias", {1}, {10}));
  model.graph().Node("Add", {"x", "bias"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {1});
  return model.bytes();
}

TEST(OverridableInitializers, NameTypeAndUse) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), OverridableModel());
  ASSERT_NE(session, nullptr);
  size_t count = 0;
  EXPECT_OK(Api().SessionGetInputCount(session.get(), &count));
  EXPECT_EQ(count, 1u);
  EXPECT_OK(Api().SessionGetOverridableInitializerCount(session.get(), &count));
  ASSERT_EQ(count, 1u);
  char* name = nullptr;
  ASSERT_OK(
      Api().SessionGetOverridableInitializerName(session.get(), 0, DefaultAllocator(), &name));
  EXPECT_STREQ(name, "bias");
  EXPECT_OK(Api().AllocatorFree(DefaultAllocator(), name));
  OrtTypeInfo* type = nullptr;
  ASSERT_OK(Api().SessionGetOverridableInitializerTypeInfo(session.get(), 0, &type));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  ASSERT_OK(Api().CastTypeInfoToTensorInfo(type, &tensor));
  ONNXTensorElementDataType element;
  EXPECT_OK(Api().GetTensorElementType(tensor, &element));
  EXPECT_EQ(element, kFloat);
  int64_t dim = 0;
  EXPECT_OK(Api().GetDimensionsCount(tensor, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_OK(Api().GetDimensions(tensor, &dim, 1));
  EXPECT_EQ(dim, 1);
  Api().ReleaseTypeInfo(type);
  EXPECT_NE(Outcome(Api().SessionGetOverridableInitializerTypeInfo(session.get(), 1, &type)).code,
            ORT_OK);
  EXPECT_NE(Outcome(Api().SessionGetOverridableInitializerName(session.get(), 1, DefaultAllocator(),
                                                               &name))
                .code,
            ORT_OK);

  std::vector<float> one = {1}, five = {5};
  const Owned<OrtValue> x = Wrap(one, kFloat, {1}), bias = Wrap(five, kFloat, {1});
  EXPECT_EQ(RunFirst(session.get(), {"x"}, {x.get()}), 11);
  EXPECT_EQ(RunFirst(session.get(), {"x", "bias"}, {x.get(), bias.get()}), 6);
}

TEST(AddInitializer, TakesThePlaceOfTheFiles) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSessionOptions> options = NewOptions();
  std::vector<float> ten = {10}, zeros = {0, 0};
  const Owned<OrtValue> weight = Wrap(ten, kFloat, {}), x = Wrap(zeros, kFloat, {1, 2});
  ASSERT_OK(Api().AddInitializer(options.get(), "one", weight.get()));
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "'one'",
               Api().AddInitializer(options.get(), "one", weight.get()));
  for (int i = 0; i < 2; ++i) {  // sessions share it
    const Owned<OrtSession> session = NewSession(env.get(), AddOneModel(), options.get());
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(RunFirst(session.get(), {"x"}, {x.get()}), 10);
  }
}

TEST(SessionAllocator, GivesBlocksAndItsPlace) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  OrtAllocator* allocator = nullptr;
  {
    const Owned<OrtSession> session = NewSession(env.get(), AddOneModel());
    ASSERT_NE(session, nullptr);
    ASSERT_OK(Api().CreateAllocator(session.get(), cpu.get(), &allocator));
    OrtMemoryInfo* gpu = nullptr;
    ASSERT_OK(Api().CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &gpu));
    OrtAllocator* none = nullptr;
    EXPECT_FAILS(ORT_INVALID_ARGUMENT, "Cuda", Api().CreateAllocator(session.get(), gpu, &none));
    Api().ReleaseMemoryInfo(gpu);
  }
  const OrtMemoryInfo* where = nullptr;
  ASSERT_OK(Api().AllocatorGetInfo(allocator, &where));
  int different = -1;
  EXPECT_OK(Api().CompareMemoryInfo(where, cpu.get(), &different));
  EXPECT_EQ(different, 0);
  const int64_t shape[] = {3};
  OrtValue* value = nullptr;
  ASSERT_OK(Api().CreateTensorAsOrtValue(allocator, shape, 1, kFloat, &value));
  void* data = nullptr;
  ASSERT_OK(Api().GetTensorMutableData(value, &data));
  static_cast<float*>(data)[2] = 3;
  Api().ReleaseValue(value);
  Api().ReleaseAllocator(allocator);
  Api().ReleaseAllocator(nullptr);
}

}  // namespace
}  // namespace waybill::api_test
