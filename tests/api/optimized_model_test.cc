// The optimised model as a file: SetOptimizedModelFilePath and the config entries about it.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "onnx/model/model_file.h"
#include "onnxruntime_session_options_config_keys.h"
#include "tests/api/api_support.h"
#include "tests/api/models.h"
#include "tests/support/temp_dir.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr GraphOptimizationLevel kLevels[] = {
    ORT_DISABLE_ALL, ORT_ENABLE_BASIC, ORT_ENABLE_EXTENDED, ORT_ENABLE_LAYOUT, ORT_ENABLE_ALL};

// A convolution with what fuses to it, an Identity, a product and a constant sum, of [n, 2, 4, 4].
std::string NetworkModel() {
  onnx::ModelWriter model;
  model.Opset("", 17).Producer("tests", "1").Metadata("key", "value");
  onnx::GraphWriter& g = model.graph();
  g.Input("x", onnx::kFloat, {"n", 2, 4, 4});
  std::vector<float> k, w;
  for (int i = 0; i < 36; ++i) k.push_back(std::cos(static_cast<float>(i)));
  for (int i = 0; i < 96; ++i) w.push_back(std::sin(static_cast<float>(i)));
  g.Initializer(onnx::TensorWriter::Of<float>("k", {2, 2, 3, 3}, k));
  g.Initializer(onnx::TensorWriter::Of<float>("w", {8, 12}, w));
  g.Initializer(onnx::TensorWriter::Of<int64_t>("rows", {2}, {-1, 8}));
  g.Initializer(onnx::TensorWriter::Scalar<float>("one", 1));
  g.Node("Conv", {"x", "k"}, {"c"}).Ints("pads", {1, 1, 1, 1}).Name("/conv");
  g.Node("Add", {"one", "one"}, {"two"});
  g.Node("Mul", {"c", "two"}, {"m"});
  g.Node("Relu", {"m"}, {"r"});
  g.Node("Identity", {"r"}, {"i"});
  g.Node("MaxPool", {"i"}, {"p"}).Ints("kernel_shape", {2, 2}).Ints("strides", {2, 2});
  g.Node("Reshape", {"p", "rows"}, {"flat"});
  g.Node("MatMul", {"flat", "w"}, {"q"});
  g.Node("Sigmoid", {"q"}, {"y"});
  g.Output("y", onnx::kFloat, {"n", 12});
  return model.bytes();
}

class OptimizedModel : public ::testing::Test {
 protected:
  Owned<OrtSessionOptions> Options(GraphOptimizationLevel level, const std::string& path = {}) {
    Owned<OrtSessionOptions> options = NewOptions();
    EXPECT_OK(Api().SetSessionGraphOptimizationLevel(options.get(), level));
    if (!path.empty()) EXPECT_OK(Api().SetOptimizedModelFilePath(options.get(), path.c_str()));
    return options;
  }
  Owned<OrtSession> FromBytes(const std::string& model, const OrtSessionOptions* options) {
    return NewSession(env_.get(), model, options);
  }
  Owned<OrtSession> FromFile(const std::string& path, GraphOptimizationLevel level) {
    OrtSession* session = nullptr;
    EXPECT_OK(Api().CreateSession(env_.get(), path.c_str(), Options(level).get(), &session));
    return {session, Api().ReleaseSession};
  }
  Outcome Try(const std::string& model, const OrtSessionOptions* options) {
    OrtSession* session = nullptr;
    Outcome outcome(
        Api().CreateSessionFromArray(env_.get(), model.data(), model.size(), options, &session));
    if (session != nullptr) Api().ReleaseSession(session);
    return outcome;
  }
  std::vector<float> Run(OrtSession* session) {
    std::vector<float> data;
    for (int i = 0; i < 96; ++i) data.push_back(std::sin(0.3f * static_cast<float>(i)));
    const Owned<OrtValue> x = Wrap(data, kFloat, {3, 2, 4, 4});
    const char *in = "x", *out = "y";
    const OrtValue* inputs[] = {x.get()};
    OrtValue* y = nullptr;
    EXPECT_OK(Api().Run(session, nullptr, &in, inputs, 1, &out, 1, &y));
    if (y == nullptr) return {};
    const Owned<OrtValue> owned(y, Api().ReleaseValue);
    EXPECT_EQ(ShapeOf(y), (std::vector<int64_t>{3, 12}));
    const float* values = Data<float>(y);
    return {values, values + 36};
  }

  const Owned<OrtEnv> env_ = NewEnv();
  const test::TempDir dir_;
};

// Operators of the file's main graph, with their domain where it is not ONNX's.
std::vector<std::string> Operators(const std::string& path) {
  auto file = onnx::ModelFile::Open(path);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  std::vector<std::string> out;
  for (const onnx::NodeView& node : (*file)->view().graph.nodes) {
    const std::string domain(node.domain);
    out.push_back(domain.empty() ? std::string(node.op_type)
                                 : domain + ":" + std::string(node.op_type));
  }
  return out;
}

TEST_F(OptimizedModel, GivesTheSameAtEveryLevel) {
  for (const GraphOptimizationLevel level : kLevels) {
    SCOPED_TRACE(level);
    const std::string path = dir_ / "m.onnx";
    const auto session = FromBytes(NetworkModel(), Options(level, path).get());
    const std::vector<float> expected = Run(session.get());
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(Run(FromFile(path, level).get()), expected);
    EXPECT_EQ(Run(FromFile(path, ORT_DISABLE_ALL).get()), expected) << "as it is";
    const std::vector<float> again = Run(FromFile(path, ORT_ENABLE_ALL).get());
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(again[i], expected[i], 1e-5);
  }
}

TEST_F(OptimizedModel, HoldsWhatTheLevelMakes) {
  const std::string path = dir_ / "m.onnx";
  FromBytes(NetworkModel(), Options(ORT_DISABLE_ALL, path).get());
  EXPECT_EQ(Operators(path), (std::vector<std::string>{"Conv", "Add", "Mul", "Relu", "Identity",
                                                       "MaxPool", "Reshape", "MatMul", "Sigmoid"}));
  FromBytes(NetworkModel(), Options(ORT_ENABLE_BASIC, path).get());
  EXPECT_EQ(Operators(path), (std::vector<std::string>{"Conv", "Mul", "Relu", "MaxPool", "Reshape",
                                                       "MatMul", "Sigmoid"}));
  FromBytes(NetworkModel(), Options(ORT_ENABLE_EXTENDED, path).get());
  EXPECT_EQ(Operators(path),
            (std::vector<std::string>{"waybill:Conv", "MaxPool", "Reshape", "waybill:MatMul"}));
  FromBytes(NetworkModel(), Options(ORT_ENABLE_ALL, path).get());
  EXPECT_EQ(Operators(path),
            (std::vector<std::string>{"Transpose", "waybill:Conv", "waybill:MaxPool", "Transpose",
                                      "Reshape", "waybill:MatMul"}));
  const auto file = onnx::ModelFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->view().producer_name, "tests");
  ASSERT_EQ((*file)->view().metadata_props.size(), 1u);
}

TEST_F(OptimizedModel, ByConfigEntry) {
  const Owned<OrtSessionOptions> options = Options(ORT_ENABLE_BASIC);
  const std::string path = dir_ / "m.onnx";
  EXPECT_OK(
      Api().AddSessionConfigEntry(options.get(), "session.optimized_model_filepath", path.c_str()));
  FromBytes(AddOneModel(), options.get());
  EXPECT_EQ(Operators(path), (std::vector<std::string>{"Add"}));
}

TEST_F(OptimizedModel, InitializersInAFileBesideIt) {
  const std::string path = dir_ / "m.onnx", beside = dir_ / "m.data";
  Owned<OrtSessionOptions> options = Options(ORT_ENABLE_BASIC, path);
  EXPECT_OK(Api().AddSessionConfigEntry(
      options.get(), kOrtSessionOptionsOptimizedModelExternalInitializersFileName, "m.data"));
  const auto session = FromBytes(NetworkModel(), options.get());
  EXPECT_EQ(std::filesystem::file_size(beside), 0u) << "none has 1024 bytes";
  EXPECT_OK(Api().AddSessionConfigEntry(
      options.get(), kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes, "384"));
  FromBytes(NetworkModel(), options.get());
  EXPECT_EQ(std::filesystem::file_size(beside), 384u) << "w alone";
  EXPECT_EQ(Run(FromFile(path, ORT_ENABLE_BASIC).get()), Run(session.get()));
  for (const char* bad : {"../m.data", "/tmp/m.data", "m.onnx", "./m.onnx"}) {
    EXPECT_OK(Api().AddSessionConfigEntry(
        options.get(), kOrtSessionOptionsOptimizedModelExternalInitializersFileName, bad));
    EXPECT_NE(Try(NetworkModel(), options.get()).code, ORT_OK) << bad;
  }
  EXPECT_OK(Api().AddSessionConfigEntry(
      options.get(), kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes, "few"));
  EXPECT_TRUE(Try(NetworkModel(), options.get()).Says(ORT_INVALID_ARGUMENT, "min_size_in_bytes"));
}

TEST_F(OptimizedModel, SaysWhereItCanNotBeWritten) {
  const std::string missing = dir_ / "no/m.onnx";
  const Outcome unmade = Try(AddOneModel(), Options(ORT_ENABLE_ALL, missing).get());
  EXPECT_TRUE(unmade.Says(ORT_FAIL, missing)) << unmade;
  const std::string folder = dir_.path().string();
  const Outcome no_file = Try(AddOneModel(), Options(ORT_ENABLE_ALL, folder).get());
  EXPECT_TRUE(no_file.Says(ORT_INVALID_ARGUMENT, folder)) << no_file;
}

// A model may take the place of the file it was loaded from: the session keeps what it mapped.
TEST_F(OptimizedModel, OverTheModelItself) {
  const std::string path = dir_.Write("m.onnx", NetworkModel());
  OrtSession* raw = nullptr;
  ASSERT_OK(
      Api().CreateSession(env_.get(), path.c_str(), Options(ORT_ENABLE_ALL, path).get(), &raw));
  const Owned<OrtSession> session(raw, Api().ReleaseSession);
  const std::vector<float> expected = Run(session.get());
  EXPECT_EQ(Run(FromFile(path, ORT_ENABLE_ALL).get()), expected);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
    ++files;
  }
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace waybill::api_test
