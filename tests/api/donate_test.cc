// The run config entry waybill.donate_inputs: a run may overwrite what its caller gives away.
#include <algorithm>
#include <string>
#include <vector>

#include "onnx/model/writer/model_writer.h"
#include "onnxruntime_cxx_api.h"
#include "tests/api/api_support.h"
#include "waybill.hpp"

namespace waybill::api_test {
namespace {

constexpr int64_t kRows = 64, kCols = 64;
constexpr size_t kCount = kRows * kCols;

// y = Transpose(x + a), z = a * b + 1, and a text as it is; x, a [64, 64]; b may be left out.
std::string Model() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {kRows, kCols});
  graph.Input("a", onnx::kFloat, {kRows, kCols});
  graph.Input("b", onnx::kFloat, {1});
  graph.Input("text", onnx::kString, {1});
  graph.Initializer(onnx::TensorWriter::Of<float>("b", {1}, {2}));
  graph.Initializer(onnx::TensorWriter::Of<float>("fixed", {1}, {1}));
  graph.Node("Add", {"x", "a"}, {"sum"});
  graph.Node("Transpose", {"sum"}, {"y"}).Ints("perm", {1, 0});
  graph.Node("Mul", {"a", "b"}, {"product"});
  graph.Node("Add", {"product", "fixed"}, {"z"});
  graph.Node("Identity", {"text"}, {"same"});
  graph.Output("y", onnx::kFloat, {kCols, kRows});
  graph.Output("z", onnx::kFloat, {kRows, kCols});
  graph.Output("same", onnx::kString, {1});
  return model.bytes();
}

// y = Sigmoid(Transpose(Relu(x))), of which the first may be made in place.
std::string Chain() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"rows", kCols});
  graph.Node("Relu", {"x"}, {"h"});
  graph.Node("Transpose", {"h"}, {"t"}).Ints("perm", {1, 0});
  graph.Node("Sigmoid", {"t"}, {"y"});
  graph.Output("y", onnx::kFloat, {kCols, "rows"});
  return model.bytes();
}

// y = Relu(x), which may be made in place.
std::string One() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {kRows, kCols});
  model.graph().Node("Relu", {"x"}, {"y"});
  model.graph().Output("y", onnx::kFloat, {kRows, kCols});
  return model.bytes();
}

class Donate : public ::testing::Test {
 protected:
  Ort::Session Open(const std::string& model, bool poison = false) {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
    if (poison) options.AddConfigEntry(kWaybillConfigPoisonFreed, "1");
    return {env_, model.data(), model.size(), options};
  }
  Ort::Value Wrap(std::vector<float>& bytes, std::vector<int64_t> shape = {kRows, kCols}) {
    return Ort::Value::CreateTensor<float>(here_, bytes.data(), bytes.size(), shape.data(),
                                           shape.size());
  }
  static Ort::RunOptions Giving(const char* names) {
    Ort::RunOptions options;
    options.AddConfigEntry(kWaybillRunDonateInputs, names);
    return options;
  }
  static std::vector<float> Numbers() {
    std::vector<float> out(kCount);
    for (size_t i = 0; i < kCount; ++i) out[i] = static_cast<float>(i % 13) - 6;
    return out;
  }

  Ort::Env env_{ORT_LOGGING_LEVEL_ERROR, "test"};
  const Ort::MemoryInfo here_ = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
};

TEST_F(Donate, ThePlanTellsWhatLiesInTheInput) {
  Ort::Session session = Open(Chain());
  std::vector<float> data = Numbers();
  const Ort::Value x = Wrap(data);
  const char *input = "x", *output = "y";
  session.Run(Giving("x"), &input, &x, 1, &output, 1);
  const std::string plan = waybill::PlanJson(session);
  for (
      const char* value :
      {R"({"name":"x","kind":"input","device":"cpu:0","bytes":16384,"first_step":0,"last_step":0,)",
       R"({"name":"h","kind":"in place","device":"cpu:0","bytes":16384,"first_step":0,"last_step":1,)"
       R"("is_output":false,"pitch_bytes":0,"buffer":null,"of":"x","offset":0})"}) {
    EXPECT_NE(plan.find(value), std::string::npos) << value << "\n" << plan;
  }
}

TEST_F(Donate, ARunWorksInTheInputAndGivesTheSame) {
  for (const bool poison : {false, true}) {
    Ort::Session session = Open(Chain(), poison);
    const char *in = "x", *out = "y";
    std::vector<float> x = Numbers(), expected(kCount), y(kCount);
    const Ort::Value input = Wrap(x);
    Ort::Value first = Wrap(expected), second = Wrap(y);
    session.Run(Ort::RunOptions{nullptr}, &in, &input, 1, &out, &first, 1);
    EXPECT_EQ(x, Numbers());
    const size_t without = GetPlanReport(session).planned_bytes;
    const uint64_t donated = GetMemoryAccount(env_).donated_bytes;
    session.Run(Giving("x"), &in, &input, 1, &out, &second, 1);
    EXPECT_EQ(y, expected);
    EXPECT_NE(x, Numbers());
    EXPECT_LE(GetPlanReport(session).planned_bytes + kCount * sizeof(float), without);
    EXPECT_EQ(GetMemoryAccount(env_).donated_bytes - donated, kCount * sizeof(float));
    // Not given away, it is not touched, whatever the run before did.
    std::ranges::copy(Numbers(), x.begin());
    session.Run(Giving(""), &in, &input, 1, &out, &second, 1);
    EXPECT_EQ(x, Numbers());
    EXPECT_EQ(y, expected);
  }
}

TEST_F(Donate, AnOutputIsTheInputWhereItIsAskedFor) {
  Ort::Session session = Open(One());
  const char *in = "x", *out = "y";
  std::vector<float> x = Numbers(), expected = Numbers();
  for (float& number : expected) number = std::max(number, 0.0f);
  const Ort::Value input = Wrap(x);
  Ort::Value over = Wrap(x);
  // Not asked for: the output is the run's own.
  const auto made = session.Run(Giving("x"), &in, &input, 1, &out, 1);
  EXPECT_NE(made[0].GetTensorRawData(), x.data());
  EXPECT_EQ(x, Numbers());
  const uint64_t served = GetMemoryAccount(env_).served_bytes;
  session.Run(Giving("x"), &in, &input, 1, &out, &over, 1);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(GetMemoryAccount(env_).served_bytes, served);  // no copy, no slab
  // By a binding too.
  std::ranges::copy(Numbers(), x.begin());
  Ort::IoBinding binding(session);
  binding.BindInput("x", input);
  binding.BindOutput("y", over);
  session.Run(Giving("x"), binding);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(GetMemoryAccount(env_).served_bytes, served);
  // Without the entry the input is copied first.
  std::ranges::copy(Numbers(), x.begin());
  session.Run(Ort::RunOptions{nullptr}, binding);
  EXPECT_EQ(x, expected);
  EXPECT_GT(GetMemoryAccount(env_).served_bytes, served);
}

// Where steps can not make the output there, it is right all the same.
TEST_F(Donate, AnOutputOverAnInputThatIsNeeded) {
  Ort::Session session = Open(Chain());
  const char *in = "x", *out = "y";
  std::vector<float> x = Numbers(), expected(kCount);
  const Ort::Value input = Wrap(x);
  Ort::Value first = Wrap(expected), over = Wrap(x);
  session.Run(Ort::RunOptions{nullptr}, &in, &input, 1, &out, &first, 1);
  session.Run(Giving("x"), &in, &input, 1, &out, &over, 1);
  EXPECT_EQ(x, expected);
}

TEST_F(Donate, WhatCanNotBeGivenAwayIsNamed) {
  Ort::Session session = Open(Model());
  std::vector<float> x = Numbers(), a = Numbers(), twice(2 * kCount, 1.0f);
  const auto run = [&](const char* names, Ort::Value left, Ort::Value right, Ort::Value given) {
    Ort::AllocatorWithDefaultOptions allocator;
    const int64_t one = 1;
    Ort::Value text =
        Ort::Value::CreateTensor(allocator, &one, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    const char *in[] = {"x", "a", "text"}, *out[] = {"y", "z", "same"};
    const Ort::Value inputs[] = {std::move(left), std::move(right), std::move(text)};
    Ort::Value outputs[] = {std::move(given), Ort::Value{nullptr}, Ort::Value{nullptr}};
    try {
      session.Run(Giving(names), in, inputs, 3, out, outputs, 3);
    } catch (const Ort::Exception& e) {
      EXPECT_EQ(e.GetOrtErrorCode(), ORT_INVALID_ARGUMENT);
      return std::string(e.what());
    }
    return std::string();
  };
  const auto none = [] { return Ort::Value{nullptr}; };
  const auto says = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(run("x;a", Wrap(x), Wrap(a), none()), "");
  says(run("nobody", Wrap(x), Wrap(a), none()), {"no input nobody"});
  says(run("fixed", Wrap(x), Wrap(a), none()), {"no input fixed", "initializers"});
  says(run("b", Wrap(x), Wrap(a), none()), {"input b is not given"});
  says(run("x;", Wrap(x), Wrap(a), none()), {"no input ;"});
  says(run("x;x", Wrap(x), Wrap(a), none()), {"input x is named twice"});
  says(run("text", Wrap(x), Wrap(a), none()), {"input text", "string"});
  says(run("a", Wrap(x), Wrap(x), none()), {"input a shares bytes with input x"});
  // An output over some of the bytes.
  const auto half = [&](size_t from) {
    const int64_t shape[] = {kRows, kCols};
    return Ort::Value::CreateTensor<float>(here_, twice.data() + from, kCount, shape, 2);
  };
  says(run("x", half(0), Wrap(a), half(kCols)), {"input x", "output y", "16384 bytes"});
  EXPECT_EQ(run("x", half(0), Wrap(a), half(0)), "");
  EXPECT_EQ(run("x", half(0), Wrap(a), half(kCount)), "");
}

}  // namespace
}  // namespace waybill::api_test
