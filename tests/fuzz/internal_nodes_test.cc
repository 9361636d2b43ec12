// Operators that only rewrites make, in files that no rewrite made: shapes, attributes and inputs
// near right ones. Each model is refused or runs; what it gives does not matter.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "cpu/kernels/table.h"
#include "kernel/reference/reference.h"
#include "onnx/model/writer/model_writer.h"
#include "session/session.h"
#include "tests/fuzz/choices.h"

namespace waybill::fuzz {
namespace {

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>>;

struct Input {
  onnx::DataType type;
  std::vector<int64_t> dims;
  bool omitted = false;
};
struct NodeCase {
  std::string op;
  std::vector<Input> inputs;
  std::map<std::string, Attribute> attributes;
};

Input F(std::vector<int64_t> dims) { return {onnx::kFloat, std::move(dims)}; }
Input Q(std::vector<int64_t> dims) { return {onnx::kUint8, std::move(dims)}; }

std::vector<NodeCase> RightCases() {
  const std::string sum = "Add(x0,x1);Relu(t0)", scaled = "Mul(x0,x1);Sigmoid(t0);Sub(t1,x2)";
  const std::vector<int64_t> two = {2, 2}, ones = {1, 1, 1, 1};
  return {
      {"AveragePool",
       {F({1, 4, 4, 3})},
       {{"kernel_shape", two}, {"count_include_pad", int64_t{1}}}},
      {"MaxPool", {F({1, 4, 4, 3})}, {{"kernel_shape", two}, {"pads", ones}, {"strides", two}}},
      {"LRN", {F({1, 3, 3, 5})}, {{"size", int64_t{3}}, {"beta", 0.5f}}},
      {"LayerNormalization",
       {F({2, 3, 4}), F({3}), F({1, 3, 1})},
       {{"axis", int64_t{1}}, {"epsilon", 0.5f}}},
      {"Conv",
       {F({1, 4, 4, 2}), F({3, 2, 3, 3}), F({3}), F({1, 4, 4, 3})},
       {{"channels_last", int64_t{1}}, {"expr", sum}, {"pads", ones}}},
      {"Conv",
       {F({1, 2, 4, 4}), F({3, 2, 3, 3}), F({3}), F({3, 1, 1}), F({1})},
       {{"expr", scaled}, {"kernel_shape", std::vector<int64_t>{3, 3}}}},
      {"Conv",
       {F({1, 4, 4, 2}), F({2, 1, 3, 3})},
       {{"channels_last", int64_t{1}}, {"group", int64_t{2}}, {"dilations", two}, {"pads", ones}}},
      {"ConvTranspose",
       {F({1, 4, 4, 2}), F({2, 3, 3, 3}), F({3})},
       {{"channels_last", int64_t{1}}, {"strides", two}, {"output_padding", two}}},
      {"MatMul", {F({2, 3, 4}), F({4, 5}), F({5}), F({2, 3, 5})}, {{"expr", sum}}},
      {"MatMul", {F({3, 4}), F({5, 4})}, {{"transB", int64_t{1}}}},
      {"Elementwise", {F({2, 3, 4}), F({3, 1}), F({4})}, {{"expr", scaled}}},
      {"OneHotMatMul", {{onnx::kInt64, {2, 3}}, F({4, 5})}, {}},
      {"QLinearAdd", {Q({2, 3}), F({}), Q({}), Q({2, 3}), F({}), Q({}), F({}), Q({})}, {}},
      {"QLinearConv",
       {Q({1, 4, 4, 2}),
        F({}),
        Q({}),
        Q({3, 2, 3, 3}),
        F({3}),
        Q({3}),
        F({}),
        Q({}),
        {onnx::kInt32, {3}}},
       {{"channels_last", int64_t{1}}, {"pads", ones}}},
      {"QLinearGemm",
       {Q({2, 4}), F({}), Q({}), Q({4, 3}), F({3}), Q({3}), F({}), Q({}), {onnx::kInt32, {3}}},
       {}},
      {"QLinearGlobalAveragePool",
       {Q({1, 4, 4, 3}), F({}), Q({}), F({}), Q({})},
       {{"channels_last", int64_t{1}}}},
  };
}

void BreakInput(Choices& choices, NodeCase& node) {
  Input& input = node.inputs[choices.Below(node.inputs.size())];
  switch (choices.Below(7)) {
    case 0:
      if (!input.dims.empty()) input.dims[choices.Below(input.dims.size())] = choices.Between(0, 6);
      break;
    case 1:
      if (!input.dims.empty()) input.dims.erase(input.dims.begin());
      break;
    case 2:
      input.dims.insert(input.dims.begin(), choices.Between(0, 2));
      break;
    case 3:
      input.dims.clear();
      break;
    case 4:
      node.inputs.push_back(input);
      break;
    case 5:
      input.omitted = true;
      break;
    default:
      node.inputs.resize(choices.Below(node.inputs.size()) + 1, F({}));
  }
}

void BreakAttribute(Choices& choices, NodeCase& node) {
  const char* names[] = {"axis",   "channels_last", "group",        "size",
                         "transB", "ceil_mode",     "storage_order"};
  const char* lists[] = {"kernel_shape", "pads", "strides", "dilations", "output_shape"};
  const char* expressions[] = {"Add(x0,x1)", "Exp(x0)", "Mul(x0,x0);Add(t0,x15)", "Neg(t0)", ""};
  if (choices.Chance(20) && !node.attributes.empty())
    node.attributes.erase(node.attributes.begin());
  switch (choices.Below(4)) {
    case 0:
      node.attributes[names[choices.Below(std::size(names))]] = choices.Between(-1, 4);
      break;
    case 1: {
      std::vector<int64_t> list(choices.Below(6));
      for (int64_t& item : list) item = choices.Between(-1, 5);
      node.attributes[lists[choices.Below(std::size(lists))]] = list;
      break;
    }
    case 2:
      node.attributes["expr"] = std::string(expressions[choices.Below(std::size(expressions))]);
      break;
    default:
      node.attributes["auto_pad"] = std::string(choices.Chance(50) ? "SAME_UPPER" : "VALID");
  }
}

size_t Elems(const Input& input) {
  size_t count = 1;
  for (const int64_t dim : input.dims) count *= static_cast<size_t>(dim);
  return count;
}

template <typename T>
std::vector<T> Numbers(Choices& choices, size_t count) {
  std::vector<T> out(count);
  for (T& item : out) item = static_cast<T>(choices.Between(1, 4));
  return out;
}

onnx::TensorWriter Content(Choices& choices, const std::string& name, const Input& input) {
  const size_t count = Elems(input);
  switch (input.type) {
    case onnx::kFloat:
      return onnx::TensorWriter::Of<float>(name, input.dims, Numbers<float>(choices, count));
    case onnx::kUint8:
      return onnx::TensorWriter::Of<uint8_t>(name, input.dims, Numbers<uint8_t>(choices, count));
    case onnx::kInt32:
      return onnx::TensorWriter::Of<int32_t>(name, input.dims, Numbers<int32_t>(choices, count));
    default:
      return onnx::TensorWriter::Of<int64_t>(name, input.dims, Numbers<int64_t>(choices, count));
  }
}

struct Built {
  std::string bytes;
  std::vector<std::string> names;  // of inputs that a run is given
  std::vector<Input> inputs;
};

Built Build(Choices& choices, const NodeCase& node) {
  onnx::ModelWriter model;
  model.Opset("", 17).Opset("waybill", 1);
  onnx::GraphWriter& graph = model.graph();
  Built out;
  std::vector<std::string> names;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Input& input = node.inputs[i];
    names.push_back(input.omitted ? std::string() : "i" + std::to_string(i));
    if (names.back().empty()) continue;
    if (choices.Chance(i == 0 ? 10 : 70)) {
      graph.Initializer(Content(choices, names.back(), input));
      continue;
    }
    onnx::ShapeWriter shape;  // what is declared need not be all
    for (const int64_t dim : input.dims) {
      shape.push_back(choices.Chance(50) ? onnx::DimWriter(dim) : onnx::DimWriter());
    }
    graph.Input(names.back(), choices.Chance(30) ? onnx::TypeWriter::TensorOfAnyRank(input.type)
                                                 : onnx::TypeWriter::Tensor(input.type, shape));
    out.names.push_back(names.back());
    out.inputs.push_back(input);
  }
  onnx::NodeWriter& writer = graph.Node(node.op, names, {"y"}).Domain("waybill");
  for (const auto& [name, value] : node.attributes) {
    if (const auto* v = std::get_if<int64_t>(&value)) writer.Int(name, *v);
    if (const auto* v = std::get_if<float>(&value)) writer.Float(name, *v);
    if (const auto* v = std::get_if<std::string>(&value)) writer.String(name, *v);
    if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) writer.Ints(name, *v);
  }
  graph.Output("y");
  out.bytes = model.bytes();
  return out;
}

Status LoadAndRun(const std::shared_ptr<session::Env>& env, const Built& built,
                  kernel::Provider provider) {
  session::SessionOptions options;
  options.providers = {std::move(provider)};
  WB_ASSIGN_OR_RETURN(const auto session,
                      session::Session::LoadBytes(env, std::as_bytes(std::span(built.bytes)), true,
                                                  std::move(options)));
  std::vector<Value> inputs;
  for (const Input& input : built.inputs) {
    WB_ASSIGN_OR_RETURN(Tensor tensor,
                        Tensor::Allocate(static_cast<DType>(input.type), Shape(input.dims),
                                         env->cpu_source(), MemoryTag::kUser));
    std::fill_n(tensor.view().data, tensor.view().bytes(), std::byte{1});
    inputs.emplace_back(std::move(tensor));
  }
  const std::vector<std::string_view> names(built.names.begin(), built.names.end());
  const std::string_view output = "y";
  Value result;
  return session->Run({}, names, inputs, {&output, 1}, {&result, 1});
}

TEST(InternalNodes, AreRefusedOrRun) {
  const auto env = *session::Env::Create({.severity = session::Severity::kError, .threads = 2});
  kernel::Provider fast{"CPUExecutionProvider", kernel::reference::AllTables()};
  const kernel::Provider reference = fast;
  fast.tables.insert(fast.tables.begin(), cpu::Kernels());
  const std::vector<NodeCase> right = RightCases();
  size_t ran = 0, refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choices choices(seed);
    NodeCase node = right[seed % right.size()];
    const size_t changes = seed < right.size() ? 0 : choices.Below(3) + 1;
    for (size_t i = 0; i < changes; ++i) {
      choices.Chance(60) ? BreakInput(choices, node) : BreakAttribute(choices, node);
    }
    const Built built = Build(choices, node);
    SCOPED_TRACE(Format("seed {}, {}", seed, node.op));
    for (const kernel::Provider& provider : {reference, fast}) {
      const Status status = LoadAndRun(env, built, provider);
      EXPECT_NE(status.code(), Code::kInternal) << status.ToString();
      EXPECT_TRUE(changes > 0 || status.ok()) << status.ToString();
      ++(status.ok() ? ran : refused);
    }
  }
  EXPECT_GT(ran, 500u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace waybill::fuzz
