// Row 30: weights that are rewritten while they are packed come out to the bit as those that are
// written out before, over all ways that they are rewritten in.
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/pains/loaded.h"
#include "tests/pains/models.h"
#include "waybill.h"

namespace waybill::pains {
namespace {

enum class Source { kInt8, kInt8Axis0, kInt8Axis1, kInt4, kInt4Axis0, kBlocked, kHalf, kFloat };
enum class Reader { kMatMul, kTransposed, kGemm, kGemmTurned, kScaled, kTransposedScaled, kConv };

struct Streamed {
  Source source;
  Reader reader;
  int64_t rows, columns;
};

std::vector<int8_t> Bytes(int64_t count) {
  std::vector<int8_t> out(static_cast<size_t>(count));
  uint32_t state = 7;
  for (int8_t& byte : out) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<int8_t>(state >> 24);
  }
  return out;
}

std::string Raw(const std::vector<int8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Writer {
 public:
  explicit Writer(const Streamed& c) : c_(c) { model_.Opset("", 21); }

  std::string Model() {
    const bool conv = c_.reader == Reader::kConv;
    if (conv) {
      graph().Input("x", onnx::kFloat, {1, c_.columns * 2, 5, 4});
      graph().Output("y", onnx::kFloat, {1, c_.rows, 5, 4});
    } else {
      const bool turned = c_.reader == Reader::kTransposed ||
                          c_.reader == Reader::kTransposedScaled ||
                          c_.reader == Reader::kGemmTurned;
      graph().Input("x", onnx::kFloat, {3, turned ? c_.columns : c_.rows});
      graph().Output("y", onnx::kFloat, {3, turned ? c_.rows : c_.columns});
    }
    Weights({c_.rows, conv ? c_.columns * 9 : c_.columns});
    Read();
    return model_.bytes();
  }

 private:
  onnx::GraphWriter& graph() { return model_.graph(); }

  // "w", [rows, columns] of floats; of a convolution [rows, columns, 3, 3].
  void Weights(const std::vector<int64_t>& matrix) {
    const bool conv = c_.reader == Reader::kConv;
    const std::vector<int64_t> dims =
        conv ? std::vector<int64_t>{c_.rows, c_.columns, 3, 3} : matrix;
    const int64_t count = matrix[0] * matrix[1];
    switch (c_.source) {
      case Source::kFloat:
        graph().Initializer(onnx::TensorWriter::Of<float>("w", dims, pains::Weights(count)));
        return;
      case Source::kHalf:
        graph().Initializer(onnx::TensorWriter("h", onnx::kFloat16, dims).Raw(Halves(count)));
        graph().Node("Cast", {"h"}, {"w"}).Int("to", onnx::kFloat);
        return;
      default:
        Quantized(dims, count);
    }
  }

  void Quantized(const std::vector<int64_t>& dims, int64_t count) {
    const bool nibbles = c_.source == Source::kInt4 || c_.source == Source::kInt4Axis0;
    const auto type = nibbles ? onnx::kInt4 : onnx::kInt8;
    graph().Initializer(
        onnx::TensorWriter("q", type, dims).Raw(Raw(Bytes(nibbles ? (count + 1) / 2 : count))));
    std::vector<int64_t> scales;
    int64_t axis = 0, block = 0;
    if (c_.source == Source::kInt8Axis0 || c_.source == Source::kInt4Axis0) scales = {dims[0]};
    if (c_.source == Source::kInt8Axis1) scales = {dims[axis = 1]};
    if (c_.source == Source::kBlocked) {
      scales = dims;
      scales[0] = (dims[0] + 2) / 3;
      block = 3;
    }
    int64_t total = 1;
    for (const int64_t dim : scales) total *= dim;
    graph().Initializer(onnx::TensorWriter::Of<float>("s", scales, pains::Weights(total)));
    graph().Initializer(
        onnx::TensorWriter("z", type, scales).Raw(Raw(Bytes(nibbles ? (total + 1) / 2 : total))));
    onnx::NodeWriter& node = graph().Node("DequantizeLinear", {"q", "s", "z"}, {"w"});
    node.Int("axis", axis);
    if (block != 0) node.Int("block_size", block);
  }

  static std::string Halves(int64_t count) {
    std::string out;
    for (int64_t i = 0; i < count; ++i) {  // between 2^-7 and 2, both signs
      const auto bits = static_cast<uint16_t>((i * 7919) % 0x2000 + 0x2000 + (i % 2 << 15));
      out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    return out;
  }

  void Read() {
    const int64_t n = c_.reader == Reader::kTransposedScaled ? c_.rows : c_.columns;
    switch (c_.reader) {
      case Reader::kMatMul:
        graph().Node("MatMul", {"x", "w"}, {"y"});
        return;
      case Reader::kTransposed:
        graph().Node("Transpose", {"w"}, {"t"}).Ints("perm", {1, 0});
        graph().Node("MatMul", {"x", "t"}, {"y"});
        return;
      case Reader::kGemm:
        graph().Node("Gemm", {"x", "w"}, {"y"}).Float("alpha", 0.75f);
        return;
      case Reader::kGemmTurned:
        graph().Node("Gemm", {"x", "w"}, {"y"}).Int("transB", 1);
        return;
      case Reader::kScaled:
      case Reader::kTransposedScaled: {
        const bool turned = c_.reader == Reader::kTransposedScaled;
        if (turned) graph().Node("Transpose", {"w"}, {"t"}).Ints("perm", {1, 0});
        graph().Node("MatMul", {"x", turned ? "t" : "w"}, {"m"});
        graph().Initializer(onnx::TensorWriter::Of<float>("f", {n}, pains::Weights(n, 3)));
        graph().Node("Mul", {"m", "f"}, {"y"});
        return;
      }
      case Reader::kConv:
        graph()
            .Node("Conv", {"x", "w"}, {"y"})
            .Ints("pads", {1, 1, 1, 1})
            .Ints("kernel_shape", {3, 3})
            .Int("group", 2);
    }
  }

  Streamed c_;
  onnx::ModelWriter model_;
};

std::vector<float> Outputs(const std::string& model, GraphOptimizationLevel level,
                           const char* stream_bytes, size_t inputs, std::vector<int64_t> shape) {
  const Owned<OrtEnv> env = api_test::NewEnv();
  const Owned<OrtSessionOptions> options = OptionsWith(1, {{"waybill.stream_bytes", stream_bytes}});
  EXPECT_OK(Api().SetSessionGraphOptimizationLevel(options.get(), level));
  const Owned<OrtSession> session = api_test::NewSession(env.get(), model, options.get());
  if (session == nullptr) return {};
  std::vector<float> x = Weights(static_cast<int64_t>(inputs), 1);
  const Owned<OrtValue> in = Wrap(x, kFloats, std::move(shape));
  const Owned<OrtValue> y = RunOne(session.get(), "x", in.get(), "y");
  if (y == nullptr) return {};
  OrtTensorTypeAndShapeInfo* info = nullptr;
  size_t count = 0;
  EXPECT_OK(Api().GetTensorTypeAndShape(y.get(), &info));
  EXPECT_OK(Api().GetTensorShapeElementCount(info, &count));
  Api().ReleaseTensorTypeAndShapeInfo(info);
  const float* data = Data<float>(y.get());
  return {data, data + count};
}

class Row30Streamed : public ::testing::TestWithParam<Source> {
 protected:
  static void Check(const Streamed& c) {
    SCOPED_TRACE(testing::Message() << "reader " << static_cast<int>(c.reader) << " of " << c.rows
                                    << " x " << c.columns);
    const std::string model = Writer(c).Model();
    const bool conv = c.reader == Reader::kConv;
    const bool turned = c.reader == Reader::kTransposed || c.reader == Reader::kTransposedScaled ||
                        c.reader == Reader::kGemmTurned;
    const int64_t k = turned ? c.columns : c.rows;
    const std::vector<int64_t> shape =
        conv ? std::vector<int64_t>{1, c.columns * 2, 5, 4} : std::vector<int64_t>{3, k};
    const auto inputs = static_cast<size_t>(conv ? c.columns * 40 : 3 * k);
    const std::vector<float> plain = Outputs(model, ORT_DISABLE_ALL, "1", inputs, shape);
    ASSERT_FALSE(plain.empty());
    for (const auto level : {ORT_ENABLE_BASIC, ORT_ENABLE_EXTENDED, ORT_ENABLE_ALL}) {
      const std::vector<float> whole = Outputs(model, level, "1000000000", inputs, shape);
      // One row at a time, and some.
      for (const char* block : {"1", "1500"}) {
        const std::vector<float> rows = Outputs(model, level, block, inputs, shape);
        ASSERT_EQ(rows.size(), plain.size());
        ASSERT_EQ(whole.size(), plain.size());
        EXPECT_EQ(std::memcmp(rows.data(), whole.data(), rows.size() * sizeof(float)), 0)
            << "level " << level << ", " << block << " bytes at a time";
        for (size_t i = 0; i < rows.size(); ++i) {
          ASSERT_NEAR(rows[i], plain[i], 2e-3 + 1e-4 * std::fabs(plain[i])) << i;
        }
      }
    }
  }
};

TEST_P(Row30Streamed, IsBitEqualToWhatIsWrittenOut) {
  for (const Reader reader :
       {Reader::kMatMul, Reader::kTransposed, Reader::kGemm, Reader::kGemmTurned, Reader::kScaled,
        Reader::kTransposedScaled, Reader::kConv}) {
    Check({GetParam(), reader, 4, 3});
    Check({GetParam(), reader, 70, 37});
  }
  // Several blocks of the sum.
  Check({GetParam(), Reader::kMatMul, 2100, 19});
  Check({GetParam(), Reader::kTransposed, 19, 2100});
}

// Scales that have too few rows for the data, or too many, are no part of a block that fits.
TEST(Row30, ScalesThatDoNotFitAreErrors) {
  constexpr int64_t kRows = 64, kColumns = 32;
  struct Misfit {
    int64_t axis, block;
    std::vector<int64_t> scale, zero;
  };
  const Misfit misfits[] = {
      {1, 8, {1, 4}, {1, 4}},    {1, 8, {65, 4}, {65, 4}}, {0, 16, {1, 32}, {1, 32}},
      {0, 16, {5, 32}, {5, 32}}, {0, 0, {2}, {2}},         {0, 0, {65}, {65}},
      {0, 0, {64}, {2}},         {0, 0, {64}, {1}},        {1, 8, {64, 4}, {1, 4}},
      {0, -1, {64}, {64}},       {1, 0, {31}, {31}},
  };
  const Owned<OrtEnv> env = api_test::NewEnv();
  for (const Misfit& m : misfits) {
    onnx::ModelWriter model;
    model.Opset("", 21);
    onnx::GraphWriter& graph = model.graph();
    graph.Input("x", onnx::kFloat, {3, kRows});
    graph.Output("y", onnx::kFloat, {3, kColumns});
    graph.Initializer(
        onnx::TensorWriter("q", onnx::kInt8, {kRows, kColumns}).Raw(Raw(Bytes(kRows * kColumns))));
    const auto elems = [](const std::vector<int64_t>& dims) {
      return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
    };
    graph.Initializer(onnx::TensorWriter::Of<float>("s", m.scale, Weights(elems(m.scale))));
    graph.Initializer(onnx::TensorWriter("z", onnx::kInt8, m.zero).Raw(Raw(Bytes(elems(m.zero)))));
    onnx::NodeWriter& node = graph.Node("DequantizeLinear", {"q", "s", "z"}, {"w"});
    node.Int("axis", m.axis);
    if (m.block != 0) node.Int("block_size", m.block);
    graph.Node("MatMul", {"x", "w"}, {"y"});
    const Owned<OrtSessionOptions> options = OptionsWith(1, {{"waybill.stream_bytes", "1"}});
    const std::string bytes = model.bytes();
    OrtSession* session = nullptr;
    Outcome outcome(Api().CreateSessionFromArray(env.get(), bytes.data(), bytes.size(),
                                                 options.get(), &session));
    if (outcome.code == ORT_OK) {
      std::vector<float> x = Weights(3 * kRows, 1);
      const Owned<OrtValue> in = Wrap(x, kFloats, {3, kRows});
      const OrtValue* const input = in.get();
      const char *x_name = "x", *y_name = "y";
      OrtValue* y = nullptr;
      outcome = Outcome(Api().Run(session, nullptr, &x_name, &input, 1, &y_name, 1, &y));
      Api().ReleaseValue(y);
      Api().ReleaseSession(session);
    }
    EXPECT_NE(outcome.code, ORT_OK) << "axis " << m.axis << ", block " << m.block << ", scale "
                                    << m.scale[0] << ", zero point " << m.zero[0];
    EXPECT_NE(outcome.text.find("DequantizeLinear"), std::string::npos) << outcome.text;
  }
}

// Weights of f16 whose kernel packs them as f32.
TEST(Row30, HalfWeightsAreWidenedWhileTheyArePacked) {
  constexpr int64_t kRows = 600, kColumns = 1024;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {2, kColumns});
  std::vector<uint16_t> halves(kRows * kColumns);
  for (size_t i = 0; i < halves.size(); ++i) {  // between 2^-7 and 2^-3, both signs
    halves[i] = static_cast<uint16_t>((i * 7919) % 0x1000 + 0x2000 + (i % 3 == 0 ? 0x8000 : 0));
  }
  graph.Initializer(
      onnx::TensorWriter("w", onnx::kFloat16, {kRows, kColumns})
          .Raw({reinterpret_cast<const char*>(halves.data()), halves.size() * sizeof(uint16_t)}));
  graph.Node("Cast", {"x"}, {"h"}).Int("to", onnx::kFloat16);
  graph.Node("Gemm", {"h", "w"}, {"g"}).Int("transB", 1);
  graph.Node("Cast", {"g"}, {"y"}).Int("to", onnx::kFloat);
  graph.Output("y", onnx::kFloat, {2, kRows});
  const std::string bytes = model.bytes();
  std::vector<float> results[2];
  for (const bool packs : {true, false}) {
    const Loaded loaded(bytes, 1, {{"session.disable_prepacking", packs ? "0" : "1"}});
    ASSERT_NE(loaded.session, nullptr);
    std::vector<float> x = Weights(2 * kColumns, 1);
    const Owned<OrtValue> in = Wrap(x, kFloats, {2, kColumns});
    const Owned<OrtValue> y = loaded.Run(in.get());
    ASSERT_NE(y, nullptr);
    const float* data = Data<float>(y.get());
    results[packs ? 0 : 1].assign(data, data + 2 * kRows);
  }
  for (size_t i = 0; i < results[0].size(); ++i) {
    ASSERT_NEAR(results[0][i], results[1][i], 1e-2 + 2e-3 * std::fabs(results[1][i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, Row30Streamed,
                         testing::Values(Source::kInt8, Source::kInt8Axis0, Source::kInt8Axis1,
                                         Source::kInt4, Source::kInt4Axis0, Source::kBlocked,
                                         Source::kHalf, Source::kFloat));

}  // namespace
}  // namespace waybill::pains
