#include "graph/export/initializers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/export/testing/round_trip.h"
#include "tests/support/process.h"

namespace waybill::graph {
namespace {

using onnx::ModelWriter;
using onnx::TensorWriter;
using ::testing::HasSubstr;

Tensor Floats(const std::vector<float>& values) {
  Result<Tensor> tensor = Tensor::Allocate(DType::kF32, Shape{static_cast<int64_t>(values.size())},
                                           std::make_shared<SystemSource>(), MemoryTag::kWeights);
  EXPECT_TRUE(tensor.ok());
  std::copy(values.begin(), values.end(), tensor->span<float>().begin());
  return std::move(tensor).value();
}

// A model that gives the constant.
Model ConstantModel(Constant constant) {
  Model model;
  model.opset_imports[""] = 17;
  Value value;
  value.name = "c";
  value.type = ValueType::Tensor(constant.dtype(), SymShape(constant.shape()));
  value.constant = std::move(constant);
  model.main.outputs = {model.main.AddValue(std::move(value))};
  return model;
}

TEST(ExportInitializers, SplatsAreWrittenOut) {
  for (const int64_t elems : {1, 3, 100000}) {
    const Model before = ConstantModel(Constant::Splat(Floats({2.5f}), Shape{elems}));
    const auto after = LoadBytes(Written(before));
    ASSERT_TRUE(after.ok()) << after.status().ToString();
    const Constant& constant = after->main.value(after->main.outputs[0]).constant;
    const auto dense = constant.Materialize(std::make_shared<SystemSource>(), MemoryTag::kUser);
    ASSERT_TRUE(dense.ok());
    ASSERT_EQ(dense->shape(), Shape{elems});
    for (const float value : dense->span<float>()) ASSERT_EQ(value, 2.5f);
  }
}

TEST(ExportInitializers, LargeOnesGoToAnotherFile) {
  ModelWriter m;
  m.Opset("", 17);
  onnx::GraphWriter& g = m.graph();
  g.Initializer(TensorWriter::Of<float>("small", {3}, {1, 2, 3}));
  g.Initializer(TensorWriter::Of<float>("large", {4}, {1, 2, 3, 4}));
  g.Initializer(TensorWriter::Of<std::string>("text", {1}, {"longer than sixteen bytes"}));
  g.Initializer(TensorWriter::Of<double>("larger", {3}, {5, 6, 7}));
  g.Input("x", onnx::kFloat, {4});
  g.Initializer(TensorWriter::Of<float>("x", {4}, {8, 8, 8, 8}));
  for (const char* name : {"small", "large", "text", "larger", "x"}) g.Output(name);
  Model before = *LoadBytes(m.bytes());
  const Constant& large = before.main.value(FindValue(before.main, "large")).constant;
  before.main.value(FindValue(before.main, "small")).name = "first";
  Value twin;
  twin.name = "twin";
  twin.type = ValueType::Tensor(DType::kF32, SymShape(Shape{2, 2}));
  twin.constant = Constant(*large.tensor().Reshaped(Shape{2, 2}));
  before.main.outputs.push_back(before.main.AddValue(std::move(twin)));

  std::string file, beside;
  ExportOptions options;
  options.model = AppendTo(file);
  options.external = AppendTo(beside);
  options.external_location = "m.data";
  options.external_min_bytes = 16;
  ASSERT_TRUE(ExportModel(before, options).ok());
  EXPECT_EQ(beside.size(), 64u + 64 + 16) << "three contents, each on a boundary of 64 bytes";
  ImportOptions import;
  import.external = [&](const onnx::TensorProtoView& tensor)
                        ->Result<SharedView> {
                          size_t offset = 0;
  for (const auto& entry : tensor.external_data) {
    if (entry.key == "location") {
      EXPECT_EQ(entry.value, "m.data");
    }
    if (entry.key == "offset") offset = std::stoul(std::string(entry.value));
  }
  EXPECT_EQ(offset % 64, 0u);
  return SharedView::Unowned(
      {reinterpret_cast<std::byte*>(beside.data()) + offset, tensor.bytes, {}});
};
Result<Model> after = ImportBytes(file, import);
ASSERT_TRUE(after.ok()) << after.status().ToString();
ASSERT_TRUE(infer::InferModel(*after).ok());
EXPECT_EQ(exporting::TextOf(*after), exporting::TextOf(before));
}  // namespace

// protobuf has no messages of 2 GiB; the bytes of a splat need not exist to see that.
TEST(ExportInitializers, TwoGibibytesAreTooMany) {
  const Model model = ConstantModel(Constant::Splat(Floats({1}), Shape{int64_t{1} << 29}));
  uint64_t written = 0;
  const auto count = [&](std::span<const std::byte> bytes) {
    written += bytes.size();
    return Status::Ok();
  };
  ExportOptions options;
  options.model = count;
  const Status status = ExportModel(model, options);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("a file of their own"));
  EXPECT_EQ(written, 0u);
  options.external = count;
  options.external_location = "beside";
  EXPECT_TRUE(ExportModel(model, options).ok());
  EXPECT_GT(written, uint64_t{1} << 31);
}

// The bytes go from where they are to the file.
TEST(ExportInitializers, NoCopyOfTheModelIsMade) {
  constexpr size_t kBytes = size_t{64} << 20;
  const Model model = ConstantModel(Constant(Floats(std::vector<float>(kBytes / 4, 1.0f))));
  const size_t before = test::AnonymousBytes();
  size_t most = 0, written = 0;
  ExportOptions options;
  options.model = [&](std::span<const std::byte> bytes) {
    written += bytes.size();
    most = std::max(most, test::AnonymousBytes());
    return Status::Ok();
  };
  ASSERT_TRUE(ExportModel(model, options).ok());
  EXPECT_GT(written, kBytes);
  EXPECT_LT(most, before + kBytes / 8);
}

TEST(ExportInitializers, ErrorsOfTheFilesAreHandedOn) {
  const Model model = ConstantModel(Constant(Floats(std::vector<float>(1000, 1.0f))));
  const auto full = [](std::span<const std::byte>) { return Error(Code::kFail, "disk full"); };
  std::string file;
  ExportOptions options;
  options.model = full;
  EXPECT_EQ(ExportModel(model, options).message(), "disk full");
  options.model = AppendTo(file);
  options.external = full;
  options.external_location = "beside";
  EXPECT_EQ(ExportModel(model, options).message(), "disk full");
}

}  // namespace waybill::graph
}  // namespace waybill::graph
