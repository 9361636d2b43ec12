#include "tests/fuzz/seeds.h"

#include "onnx/model/writer/model_writer.h"
#include "onnx/model/writer/value_writer.h"

namespace waybill::fuzz {
namespace {

using namespace waybill::onnx;  // NOLINT: builds with most names of it

TensorWriter Weights() { return TensorWriter::Of<float>("w", {2, 2}, {1, 2, 3, 4}); }

std::string ChainModel() {
  ModelWriter model;
  model.Opset("", 17).Producer("seed", "1").Metadata("key", "value");
  GraphWriter& graph = model.graph();
  graph.Input("x", kFloat, {"n", 2}).Output("y", kFloat, {"n", 2});
  graph.ValueInfo("t", TypeWriter::Tensor(kFloat, {DimWriter(), 2}));
  graph.Initializer(Weights());
  graph.Node("MatMul", {"x", "w"}, {"t"}).Name("first");
  graph.Node("Clip", {"t", "", "w"}, {"y"}).DocString("last");
  graph.QuantizationAnnotation("x", {{"SCALE_TENSOR", "w"}});
  return model.bytes();
}

std::string PayloadModel() {
  ModelWriter model;
  GraphWriter& graph = model.graph();
  for (int32_t type = 1; type < kDataTypeCount; ++type) {
    const std::string name = "t" + std::to_string(type);
    if (type == kString) {
      graph.Initializer(TensorWriter::Of<std::string>(name, {2}, {"a", "bc"}));
    } else {
      graph.Initializer(TensorWriter(name, type, {3}).Raw(std::string(*RawBytes(type, 3), '\1')));
    }
  }
  graph.Initializer(TensorWriter("f", kFloat, {2}).FloatData({1, 2}));
  graph.Initializer(TensorWriter("d", kComplex128, {1}).DoubleData({1, 2}));
  graph.Initializer(TensorWriter("i", kInt4, {3}).Int32Data({0x21, 3}));
  graph.Initializer(TensorWriter("l", kInt64, {2}).Int64Data({-1, 300}));
  graph.Initializer(TensorWriter("u", kUint32, {2}).Uint64Data({1, 0xffffffff}));
  graph.SparseInitializer(SparseTensorWriter(TensorWriter::Of<float>("s", {2}, {1, 2}),
                                             TensorWriter::Of<int64_t>("", {2, 2}, {0, 1, 2, 0}),
                                             {3, 3}));
  return model.bytes();
}

// Never loads: there is no such file.
std::string ExternalDataModel() {
  ModelWriter model;
  model.graph().Initializer(TensorWriter("e", kFloat, {2}).External("w.data", 16, 8));
  return model.bytes();
}

// Common operators with the attributes and constants that they read while a model is loaded.
std::string OperatorModel() {
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("x", kFloat, {1, 2, 4, 4}).Output("y", kFloat, {"n", 4});
  graph.Initializer(TensorWriter::Of<float>("k", {2, 2, 1, 1}, {1, 2, 3, 4}));
  graph.Initializer(TensorWriter::Of<int64_t>("target", {2}, {0, -1}));
  graph.Initializer(TensorWriter::Of<int64_t>("starts", {1}, {0}));
  graph.Initializer(TensorWriter::Of<int64_t>("ends", {1}, {4}));
  graph.Initializer(TensorWriter::Of<int64_t>("last", {1}, {-1}));
  graph.Initializer(TensorWriter::Of<int64_t>("pads", {8}, {0, 0, 1, 1, 0, 0, 1, 1}));
  graph.Node("Conv", {"x", "k"}, {"c"}).Ints("kernel_shape", {1, 1}).Ints("strides", {1, 1});
  graph.Node("Pad", {"c", "pads"}, {"p"}).String("mode", "reflect");
  graph.Node("MaxPool", {"p"}, {"m"}).Ints("kernel_shape", {2, 2}).String("auto_pad", "VALID");
  graph.Node("Transpose", {"m"}, {"t"}).Ints("perm", {0, 2, 3, 1});
  graph.Node("Reshape", {"t", "target"}, {"r"});
  graph.Node("Slice", {"r", "starts", "ends", "last"}, {"s"});
  graph.Node("Constant", {}, {"four"}).Floats("value_floats", {1, 2, 3, 4});
  graph.Node("Einsum", {"s", "four"}, {"e"}).String("equation", "ab,b->ab");
  graph.Node("Split", {"e"}, {"u", "v"}).Int("axis", 1);
  graph.Node("Concat", {"u", "v"}, {"w"}).Int("axis", 1);
  graph.Node("TopK", {"w", "ends"}, {"top", "places"}).Int("axis", 1);
  graph.Node("Cast", {"top"}, {"half"}).Int("to", kFloat16);
  graph.Node("Cast", {"half"}, {"y"}).Int("to", kFloat);
  return model.bytes();
}

// Operators that only rewrites make, as they are in a model that was saved after them.
std::string RewrittenModel() {
  ModelWriter model;
  model.Opset("", 17).Opset("waybill", 1);
  GraphWriter& graph = model.graph();
  graph.Input("x", kFloat, {1, 4, 4, 2}).Output("y", kFloat, {"n", 3}).Output("q", kUint8, {1, 2});
  graph.Initializer(TensorWriter::Of<float>("k", {2, 2, 1, 1}, {1, 2, 3, 4}));
  graph.Initializer(TensorWriter::Of<float>("b", {2}, {1, -1}));
  graph.Initializer(TensorWriter::Of<float>("w", {2, 3}, {1, 2, 3, 4, 5, 6}));
  graph.Initializer(TensorWriter::Of<int64_t>("rows", {2}, {-1, 2}));
  graph.Initializer(TensorWriter::Scalar<float>("scale", 0.5f));
  graph.Initializer(TensorWriter::Scalar<uint8_t>("zero", 3));
  graph.Initializer(TensorWriter::Of<uint8_t>("qw", {2, 2}, {1, 2, 3, 4}));
  graph.Initializer(TensorWriter::Of<int32_t>("qb", {2}, {5, 6}));
  const auto add = [&](const char* op, const std::vector<std::string>& inputs,
                       const char* output) -> NodeWriter& {
    return graph.Node(op, inputs, {output}).Domain("waybill");
  };
  add("Conv", {"x", "k", "b", "x"}, "c")
      .String("expr", "Add(x0,x1);Relu(t0)")
      .Int("channels_last", 1);
  add("MaxPool", {"c"}, "m").Ints("kernel_shape", {2, 2}).Ints("strides", {1, 1});
  add("LRN", {"m"}, "l").Int("size", 1);
  add("LayerNormalization", {"l", "b", "b"}, "n").Int("axis", 3).Float("epsilon", 0.1f);
  graph.Node("Reshape", {"n", "rows"}, {"r"});
  add("Elementwise", {"r", "b"}, "e").String("expr", "Mul(x0,x1);Sigmoid(t0)");
  add("MatMul", {"e", "w"}, "p").Int("transB", 0);
  graph.Node("Cast", {"p"}, {"i"}).Int("to", kInt64);
  graph.Node("ReduceMax", {"i"}, {"picks"}).Ints("axes", {1}).Int("keepdims", 0);
  add("OneHotMatMul", {"picks", "w"}, "y");
  graph.Node("QuantizeLinear", {"e", "scale", "zero"}, {"eq"});
  add("QLinearGemm", {"eq", "scale", "zero", "qw", "scale", "zero", "scale", "zero", "qb"}, "g");
  add("QLinearAdd", {"g", "scale", "zero", "eq", "scale", "zero", "scale", "zero"}, "s");
  graph.Node("Transpose", {"s"}, {"t"}).Ints("perm", {1, 0});
  graph.Initializer(TensorWriter::Of<int64_t>("image", {3}, {1, 2, -1}));
  graph.Node("Reshape", {"t", "image"}, {"u"});
  add("QLinearGlobalAveragePool", {"u", "scale", "zero", "scale", "zero"}, "v");
  graph.Node("Squeeze", {"v", "last"}, {"q"});
  graph.Initializer(TensorWriter::Of<int64_t>("last", {1}, {2}));
  return model.bytes();
}

// Graphs in graphs.
std::string ControlFlowModel() {
  GraphWriter then_branch("then"), else_branch("else"), body("body");
  then_branch.Node("Neg", {"x"}, {"a"});
  then_branch.Output("a", kFloat, {2});
  else_branch.Node("Abs", {"x"}, {"b"});
  else_branch.Output("b", kFloat, {2});
  body.Input("i", kInt64, {}).Input("go", kBool, {}).Input("carried", kFloat, {2});
  body.Node("Identity", {"go"}, {"on"});
  body.Node("If", {"go"}, {"chosen"})
      .Graph("then_branch", then_branch)
      .Graph("else_branch", else_branch);
  body.Node("Add", {"carried", "chosen"}, {"next"});
  body.Output("on", kBool, {}).Output("next", kFloat, {2}).Output("chosen", kFloat, {2});
  ModelWriter model;
  model.Opset("", 17);
  GraphWriter& graph = model.graph();
  graph.Input("x", kFloat, {2}).Output("y", kFloat, {2}).Output("all", kFloat, {"n", 2});
  graph.Initializer(TensorWriter::Scalar<int64_t>("trips", 3));
  graph.Node("Loop", {"trips", "", "x"}, {"y", "all"}).Graph("body", body);
  return model.bytes();
}

// Every kind of attribute, given to a function that ignores them.
std::string AttributeModel() {
  GraphWriter branch("branch");
  branch.Node("Identity", {"x"}, {"z"});
  branch.Output("z");
  const TypeWriter type = TypeWriter::Map(
      kString, TypeWriter::Sequence(TypeWriter::Optional(TypeWriter::SparseTensor(kFloat, {2}))));
  const SparseTensorWriter good(TensorWriter::Of<float>("", {1}, {1}),
                                TensorWriter::Of<int64_t>("", {1}, {0}), {3});
  FunctionWriter function("custom", "Everything", {"x"}, {"y"});
  function.Opset("", 18);
  for (const char* name : {"f", "i", "s", "t", "g", "tp", "st"}) function.Attribute(name);
  for (const char* name : {"fs", "is", "ss", "ts", "gs", "tps", "sts"}) function.Attribute(name);
  function.Node("Identity", {"x"}, {"y"});
  ModelWriter model;
  model.Opset("", 18).Opset("custom", 1).Function(function);
  model.graph().Input("x", kFloat, {2}).Output("y", kFloat, {2});
  NodeWriter& node = model.graph().Node("Everything", {"x"}, {"y"}).Domain("custom");
  node.Float("f", 1).Int("i", -1).String("s", "text").Tensor("t", Weights());
  node.Graph("g", branch).Type("tp", type).SparseTensor("st", good);
  node.Floats("fs", {1, 2}).Ints("is", {1, -1}).Strings("ss", {"a", "b"});
  node.Tensors("ts", {Weights()}).Graphs("gs", {branch, branch}).Types("tps", {type});
  node.SparseTensors("sts", {good}).Metadata("k", "v");
  return model.bytes();
}

std::string FunctionModel() {
  FunctionWriter function("custom", "Twice", {"x"}, {"y"});
  function.Overload("a").Opset("", 18).Attribute("alpha").IntDefault("beta", 2);
  function.Node("LeakyRelu", {"x"}, {"y"}).Ref("alpha", "alpha", kAttrFloat);
  ModelWriter model;
  model.Opset("", 18).Opset("custom", 1).Function(function);
  model.graph().Input("x", kFloat, {2}).Output("y", kFloat, {2});
  model.graph().Node("Twice", {"x"}, {"y"}).Domain("custom").Overload("a").Float("alpha", 2);
  Encoder training;
  training.Bytes(1, GraphWriter("init").bytes());
  training.Bytes(3, StringEntryBytes("a", "b"));
  model.encoder().Bytes(20, training.bytes());
  return model.bytes();
}

std::string SequencePb() {
  SequenceWriter tensors(kElementTensor, "name");
  tensors.Add(Weights().bytes()).Add(TensorWriter::Scalar<float>("", 1).bytes());
  SequenceWriter maps(kElementMap);
  maps.Add(MapWriter(kInt64, {-1, 2}, tensors).bytes());
  maps.Add(MapWriter({"a", "b"}, tensors).bytes());
  SequenceWriter optionals(kElementOptional);
  optionals.Add(OptionalWriter(kElementTensor, Weights().bytes()).bytes());
  optionals.Add(OptionalWriter(kElementSequence, maps.bytes()).bytes());
  optionals.Add(OptionalWriter(kElementSequence).bytes());
  SequenceWriter outer(kElementSequence);
  outer.Add(tensors.bytes()).Add(maps.bytes()).Add(optionals.bytes());
  return outer.bytes();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> SeedModels() {
  return {{"chain.onnx", ChainModel()},           {"payloads.onnx", PayloadModel()},
          {"attributes.onnx", AttributeModel()},  {"operators.onnx", OperatorModel()},
          {"rewritten.onnx", RewrittenModel()},   {"control_flow.onnx", ControlFlowModel()},
          {"external.onnx", ExternalDataModel()}, {"functions.onnx", FunctionModel()}};
}

std::vector<std::pair<std::string, std::string>> SeedValues() {
  return {{"sequence.pb", SequencePb()}, {"tensor.pb", Weights().bytes()}};
}

}  // namespace waybill::fuzz
