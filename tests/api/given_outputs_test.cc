// Outputs in memory of the caller's that lie over each other.
#include <vector>

#include "tests/api/api_support.h"
#include "tests/api/models.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr size_t kBytes = 3 * sizeof(float);

Owned<OrtValue> Over(float* data, size_t bytes, std::vector<int64_t> shape) {
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  OrtValue* out = nullptr;
  EXPECT_OK(Api().CreateTensorWithDataAsOrtValue(cpu.get(), data, bytes, shape.data(), shape.size(),
                                                 kFloat, &out));
  return Owned<OrtValue>(out, Api().ReleaseValue);
}

class GivenOutputs : public ::testing::Test {
 protected:
  // a + b and a - b into two given values, by a call or by a binding.
  Outcome Run(OrtValue* sum, OrtValue* difference, const char* second = "difference") {
    const char* inputs[] = {"a", "b"};
    const OrtValue* feeds[] = {a_.get(), b_.get()};
    const char* outputs[] = {"sum", second};
    OrtValue* values[] = {sum, difference};
    return Outcome(Api().Run(session_.get(), nullptr, inputs, feeds, 2, outputs, 2, values));
  }
  Outcome RunBound(const OrtValue* sum, const OrtValue* difference) {
    OrtIoBinding* binding = nullptr;
    EXPECT_OK(Api().CreateIoBinding(session_.get(), &binding));
    EXPECT_OK(Api().BindInput(binding, "a", a_.get()));
    EXPECT_OK(Api().BindInput(binding, "b", b_.get()));
    EXPECT_OK(Api().BindOutput(binding, "sum", sum));
    EXPECT_OK(Api().BindOutput(binding, "difference", difference));
    Outcome outcome(Api().RunWithBinding(session_.get(), nullptr, binding));
    Api().ReleaseIoBinding(binding);
    return outcome;
  }

  const Owned<OrtEnv> env_ = NewEnv();
  const Owned<OrtSession> session_ = NewSession(env_.get(), TwoOutputsModel());
  std::vector<float> x_ = {10, 20, 30}, y_ = {1, 2, 3};
  const Owned<OrtValue> a_ = Wrap(x_, kFloat, {3}), b_ = Wrap(y_, kFloat, {3});
};

TEST_F(GivenOutputs, ThatShareBytesAreRefusedByName) {
  std::vector<float> place(6, -1);
  const Owned<OrtValue> first = Over(place.data(), kBytes, {3});
  for (const size_t at : {0u, 1u, 2u}) {
    const Owned<OrtValue> second = Over(place.data() + at, kBytes, {3});
    for (const Outcome& outcome : {Run(first.get(), second.get()), Run(second.get(), first.get()),
                                   RunBound(first.get(), second.get())}) {
      EXPECT_EQ(outcome.code, ORT_INVALID_ARGUMENT);
      EXPECT_NE(outcome.text.find("sum"), std::string::npos) << outcome.text;
      EXPECT_NE(outcome.text.find("share bytes"), std::string::npos) << outcome.text;
    }
    EXPECT_NE(Run(first.get(), second.get()).text.find("difference"), std::string::npos);
    if (at == 0) continue;
    EXPECT_NE(Run(first.get(), second.get(), "sum").text.find("share bytes"), std::string::npos);
  }
  EXPECT_EQ(place, std::vector<float>(6, -1)) << "nothing ran";
}

TEST_F(GivenOutputs, OneOutputMayGoToOnePlaceTwice) {
  std::vector<float> place(3, -1);
  const Owned<OrtValue> first = Over(place.data(), kBytes, {3});
  const Owned<OrtValue> second = Over(place.data(), kBytes, {3});
  EXPECT_EQ(Run(first.get(), second.get(), "sum").code, ORT_OK);
  EXPECT_EQ(place, (std::vector<float>{11, 22, 33}));
}

// A buffer's length is more than the tensor in it needs: what is not written may be shared.
TEST_F(GivenOutputs, NextToEachOtherAreWritten) {
  std::vector<float> place(6, -1);
  const Owned<OrtValue> first = Over(place.data(), 6 * sizeof(float), {3}),
                        second = Over(place.data() + 3, kBytes, {3});
  for (const bool bound : {false, true}) {
    place.assign(6, -1);
    const Outcome outcome =
        bound ? RunBound(first.get(), second.get()) : Run(first.get(), second.get());
    EXPECT_EQ(outcome.code, ORT_OK) << outcome.text;
    EXPECT_EQ(place, (std::vector<float>{11, 22, 33, 9, 18, 27}));
  }
}

// p = x + 1, q = x + x, on floats [n].
std::string AnyLengthModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  model.graph().Input("x", onnx::kFloat, {"n"});
  model.graph().Initializer(onnx::TensorWriter::Scalar<float>("one", 1));
  model.graph().Node("Add", {"x", "one"}, {"p"});
  model.graph().Node("Add", {"x", "x"}, {"q"});
  model.graph().Output("p", onnx::kFloat, {"n"});
  model.graph().Output("q", onnx::kFloat, {"n"});
  return model.bytes();
}

class ResizedOutputs : public ::testing::Test {
 protected:
  Outcome Run(const OrtValue* feed, OrtValue* p, OrtValue* q) {
    const char *input = "x", *outputs[] = {"p", "q"};
    OrtValue* values[] = {p, q};
    return Outcome(Api().Run(session_.get(), nullptr, &input, &feed, 1, outputs, 2, values));
  }

  const Owned<OrtEnv> env_ = NewEnv();
  const Owned<OrtSession> session_ = NewSession(env_.get(), AnyLengthModel());
};

TEST_F(ResizedOutputs, WithoutElementsMayLieAnywhere) {
  std::vector<float> place(4);
  const Owned<OrtValue> x = Over(place.data(), 0, {0}), p = Over(place.data(), 0, {0}),
                        q = Over(place.data(), 0, {0});
  EXPECT_OK(Run(x.get(), p.get(), q.get()));
}

// How much is written into a buffer that is larger than its tensor, only the run knows.
TEST_F(ResizedOutputs, ThatGrowOverEachOtherAreTold) {
  std::vector<float> place(6), in = {1, 2, 3};
  const Owned<OrtValue> x = Wrap(in, kFloat, {3});
  for (const size_t at : {2u, 3u}) {
    const Owned<OrtValue> p = Over(place.data(), 6 * sizeof(float), {1}),
                          q = Over(place.data() + at, kBytes, {1});
    const Outcome outcome = Run(x.get(), p.get(), q.get());
    EXPECT_EQ(outcome.code, at < 3 ? ORT_INVALID_ARGUMENT : ORT_OK) << outcome.text;
  }
}

}  // namespace
}  // namespace waybill::api_test
