// Optional types and values.
#include "tests/api/api_support.h"
#include "tests/api/models.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;

// `there` holds x, `empty` nothing.
std::string OptionalModel() {
  const onnx::TypeWriter tensor = onnx::TypeWriter::Tensor(onnx::kFloat, {2});
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", tensor);
  graph.Node("Optional", {"x"}, {"there"});
  graph.Node("Optional", {}, {"empty"}).Type("type", tensor);
  graph.Output("there", onnx::TypeWriter::Optional(tensor));
  graph.Output("empty", onnx::TypeWriter::Optional(tensor));
  return model.bytes();
}

ONNXType KindOf(const OrtTypeInfo* type) {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  EXPECT_OK(Api().GetOnnxTypeFromTypeInfo(type, &kind));
  return kind;
}

TEST(OptionalType, ContainedTypeOfAnOutput) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), OptionalModel());
  ASSERT_NE(session, nullptr);
  OrtTypeInfo *type = nullptr, *inner = nullptr;
  ASSERT_OK(Api().SessionGetOutputTypeInfo(session.get(), 0, &type));
  EXPECT_EQ(KindOf(type), ONNX_TYPE_OPTIONAL);
  const OrtOptionalTypeInfo* optional = nullptr;
  ASSERT_OK(Api().CastTypeInfoToOptionalTypeInfo(type, &optional));
  ASSERT_NE(optional, nullptr);
  const OrtSequenceTypeInfo* sequence = nullptr;
  EXPECT_OK(Api().CastTypeInfoToSequenceTypeInfo(type, &sequence));
  EXPECT_EQ(sequence, nullptr);
  ASSERT_OK(Api().GetOptionalContainedTypeInfo(optional, &inner));
  Api().ReleaseTypeInfo(type);  // the inner one is its own object
  EXPECT_EQ(KindOf(inner), ONNX_TYPE_TENSOR);
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  ASSERT_OK(Api().CastTypeInfoToTensorInfo(inner, &tensor));
  int64_t dim = 0;
  EXPECT_OK(Api().GetDimensions(tensor, &dim, 1));
  EXPECT_EQ(dim, 2);
  EXPECT_OK(Api().CastTypeInfoToOptionalTypeInfo(inner, &optional));
  EXPECT_EQ(optional, nullptr);
  Api().ReleaseTypeInfo(inner);
}

TEST(OptionalValue, HasValueTellsEmptyOnes) {
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), OptionalModel());
  ASSERT_NE(session, nullptr);
  std::vector<float> data = {1, 2};
  const Owned<OrtValue> x = Wrap(data, kFloat, {2});
  const char *input = "x", *outputs[] = {"there", "empty"};
  const OrtValue* value = x.get();
  OrtValue* out[2] = {};
  ASSERT_OK(Api().Run(session.get(), nullptr, &input, &value, 1, outputs, 2, out));
  int has = -1;
  EXPECT_OK(Api().HasValue(x.get(), &has));
  EXPECT_EQ(has, 1);
  EXPECT_OK(Api().HasValue(out[0], &has));
  EXPECT_EQ(has, 1);
  EXPECT_OK(Api().HasValue(out[1], &has));
  EXPECT_EQ(has, 0);
  for (OrtValue* made : out) Api().ReleaseValue(made);
}

}  // namespace
}  // namespace waybill::api_test
