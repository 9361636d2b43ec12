#include "bench/micro/cases.h"

#include <numeric>

#include "base/text/format.h"
#include "onnx/model/writer/model_writer.h"

namespace waybill::bench {

namespace {

using Dims = std::vector<int64_t>;

int64_t Product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

// Numbers in [-1, 1) without a pattern that a kernel could profit from.
std::vector<float> Noise(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  uint32_t state = 12345;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1.0f;
  }
  return values;
}

onnx::ModelWriter NewModel() {
  onnx::ModelWriter model(8);
  model.Opset("", 20);
  return model;
}

KernelCase MatMul(int64_t m, int64_t n, int64_t k, double wanted) {
  onnx::ModelWriter model = NewModel();
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {m, k});
  graph.Initializer(onnx::TensorWriter::Of<float>("w", {k, n}, Noise(k * n)));
  graph.Node("MatMul", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {m, n});
  KernelCase out{Format("gemm/{}x{}x{}", m, n, k),
                 model.bytes(),
                 {m, k},
                 {"MatMul", "Gemm"},
                 {{RoofKind::kFma, 2.0 * static_cast<double>(m * n * k)}},
                 wanted};
  // Few rows: an element of the weights is read for few operations.
  if (m <= 8) out.work.push_back({RoofKind::kRead, 4.0 * static_cast<double>(n * k)});
  return out;
}

struct ConvShape {
  int64_t channels_in, channels_out, size, kernel, group;
};

KernelCase Conv(const char* name, const ConvShape& s, double wanted) {
  const Dims in = {1, s.channels_in, s.size, s.size}, out = {1, s.channels_out, s.size, s.size};
  const Dims weights = {s.channels_out, s.channels_in / s.group, s.kernel, s.kernel};
  onnx::ModelWriter model = NewModel();
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {in[0], in[1], in[2], in[3]});
  graph.Initializer(onnx::TensorWriter::Of<float>("w", weights, Noise(Product(weights))));
  const int64_t pad = s.kernel / 2;
  graph.Node("Conv", {"x", "w"}, {"y"}).Ints("pads", {pad, pad, pad, pad}).Int("group", s.group);
  graph.Output("y", onnx::kFloat, {out[0], out[1], out[2], out[3]});
  const double operations = 2.0 * static_cast<double>(Product(out) * Product(weights)) /
                            static_cast<double>(s.channels_out);
  std::vector<Work> work = {{RoofKind::kFma, operations}};
  // Few operations for a pixel of a channel, which is read and written.
  if (s.group == s.channels_in) {
    work.push_back({RoofKind::kCopy, 4.0 * static_cast<double>(Product(in) + Product(out))});
  }
  return {Format("conv/{}", name), model.bytes(), in, {"Conv", "FusedConv"}, work, wanted};
}

// A node of one input that reads and writes as many elements.
template <typename Configure>
KernelCase Unary(const std::string& name, const char* op, const Dims& dims, const Dims& out_dims,
                 Configure&& configure) {
  onnx::ModelWriter model = NewModel();
  onnx::GraphWriter& graph = model.graph();
  onnx::ShapeWriter in_shape, out_shape;
  for (const int64_t dim : dims) in_shape.emplace_back(dim);
  for (const int64_t dim : out_dims) out_shape.emplace_back(dim);
  graph.Input("x", onnx::kFloat, in_shape);
  configure(graph, graph.Node(op, {"x"}, {"y"}));
  graph.Output("y", onnx::kFloat, out_shape);
  return {name,
          model.bytes(),
          dims,
          {op, "Elementwise"},
          {{RoofKind::kCopy, 8.0 * static_cast<double>(Product(dims))}},
          0};
}

KernelCase LayerNorm(const Dims& dims) {
  onnx::ModelWriter model = NewModel();
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {dims[0], dims[1]});
  graph.Initializer(onnx::TensorWriter::Of<float>("scale", {dims[1]}, Noise(dims[1])));
  graph.Initializer(onnx::TensorWriter::Of<float>("bias", {dims[1]}, Noise(dims[1])));
  graph.Node("LayerNormalization", {"x", "scale", "bias"}, {"y"});
  graph.Output("y", onnx::kFloat, {dims[0], dims[1]});
  return {Format("layernorm/{}x{}", dims[0], dims[1]),
          model.bytes(),
          dims,
          {"LayerNormalization"},
          {{RoofKind::kCopy, 8.0 * static_cast<double>(Product(dims))}},
          0};
}

void AddRest(std::vector<KernelCase>& cases) {
  const auto plain = [](onnx::GraphWriter&, onnx::NodeWriter&) {};
  const Dims flat = {128, 1024};
  for (const char* op : {"Exp", "Erf", "Tanh", "Sigmoid", "Relu"}) {
    std::string name = op;
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
    cases.push_back(Unary(Format("{}/128x1024", name), op, flat, flat, plain));
  }
  cases.push_back(Unary("softmax/128x1024", "Softmax", flat, flat, plain));
  cases.push_back(Unary("softmax/axis1_1x21x64x64", "Softmax", {1, 21, 64, 64}, {1, 21, 64, 64},
                        [](onnx::GraphWriter&, onnx::NodeWriter& node) { node.Int("axis", 1); }));
  cases.push_back(LayerNorm({128, 768}));
  const auto permute = [](std::vector<int64_t> perm) {
    return [perm](onnx::GraphWriter&, onnx::NodeWriter& node) { node.Ints("perm", perm); };
  };
  cases.push_back(
      Unary("transpose/1024x1024", "Transpose", {1024, 1024}, {1024, 1024}, permute({1, 0})));
  cases.push_back(Unary("transpose/nchw_nhwc_64x56x56", "Transpose", {1, 64, 56, 56},
                        {1, 56, 56, 64}, permute({0, 2, 3, 1})));
  cases.push_back(Unary("transpose/heads_128x12x64", "Transpose", {1, 128, 12, 64},
                        {1, 12, 128, 64}, permute({0, 2, 1, 3})));
}

}  // namespace

std::vector<KernelCase> AllCases() {
  std::vector<KernelCase> cases = {MatMul(128, 768, 768, 0.92),
                                   MatMul(128, 3072, 768, 0.92),
                                   MatMul(128, 768, 3072, 0.92),
                                   MatMul(1024, 1024, 1024, 0.92),
                                   MatMul(49, 2048, 512, 0.92),
                                   MatMul(4, 768, 768, 0.92),
                                   MatMul(1, 768, 768, 0.92),
                                   Conv("3x3_64_64_56", {64, 64, 56, 3, 1}, 0.88),
                                   Conv("1x1_64_256_56", {64, 256, 56, 1, 1}, 0.85),
                                   Conv("1x1_256_64_56", {256, 64, 56, 1, 1}, 0.85),
                                   Conv("depthwise3x3_144_56", {144, 144, 56, 3, 144}, 0.50)};
  AddRest(cases);
  return cases;
}

}  // namespace waybill::bench
