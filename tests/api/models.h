// Small models, written here, for tests of sessions.
#pragma once

#include <string>

#include "onnx/model/writer/model_writer.h"

namespace waybill::api_test {

// y = x + 1, or another number, on floats [batch, 2]; metadata, a graph name and a symbolic
// dimension.
inline std::string AddOneModel(float one = 1.0f) {
  onnx::ModelWriter model;
  model.Opset("", 17).Producer("tests", "1").Domain("test.domain").DocString("about the model");
  model.Version(7).Metadata("key", "value").Metadata("empty", "");
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {"batch", 2});
  graph.Initializer(onnx::TensorWriter::Scalar<float>("one", one));
  graph.Node("Add", {"x", "one"}, {"y"}).Name("/add");
  graph.Output("y", onnx::kFloat, {"batch", 2});
  graph.DocString("about the graph");
  return model.bytes();
}

// sum = a + b, difference = a - b, on floats [3].
inline std::string TwoOutputsModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("a", onnx::kFloat, {3});
  graph.Input("b", onnx::kFloat, {3});
  graph.Node("Add", {"a", "b"}, {"sum"});
  graph.Node("Sub", {"a", "b"}, {"difference"});
  graph.Output("sum", onnx::kFloat, {3});
  graph.Output("difference", onnx::kFloat, {3});
  return model.bytes();
}

// y = x + w where w lies in the external file "w.bin".
inline std::string ExternalModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {2});
  graph.Initializer(onnx::TensorWriter("w", onnx::kFloat, {2}).External("w.bin", 0, 8));
  graph.Node("Add", {"x", "w"}, {"y"});
  graph.Output("y", onnx::kFloat, {2});
  return model.bytes();
}

// A node with an operator that does not exist.
inline std::string UnknownOperatorModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {2});
  graph.Node("NoSuchOperator", {"x"}, {"y"});
  graph.Output("y", onnx::kFloat, {2});
  return model.bytes();
}

// A sequence of the input twice.
inline std::string SequenceModel() {
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kFloat, {2});
  graph.Node("SequenceConstruct", {"x", "x"}, {"s"});
  graph.Output("s", onnx::TypeWriter::Sequence(onnx::TypeWriter::TensorOfAnyRank(onnx::kFloat)));
  return model.bytes();
}

// Six tensors of 1 MiB in a chain, three of them alive at a time: elements of one by the numbers in
// another, which can neither overwrite an input nor needs scratch.
inline std::string GatherChainModel() {
  constexpr int64_t kMiBOfInts = (1 << 20) / 4;
  onnx::ModelWriter model;
  model.Opset("", 17);
  onnx::GraphWriter& graph = model.graph();
  graph.Input("x", onnx::kInt32, {kMiBOfInts});
  graph.Output("y", onnx::kInt32, {kMiBOfInts});
  graph.Node("Gather", {"x", "x"}, {"t1"});
  graph.Node("Gather", {"t1", "x"}, {"t2"});
  graph.Node("Gather", {"t2", "t1"}, {"t3"});
  graph.Node("Gather", {"t3", "t2"}, {"t4"});
  graph.Node("Gather", {"t4", "t3"}, {"t5"});
  graph.Node("Gather", {"t5", "t4"}, {"t6"});
  graph.Node("Gather", {"t6", "t5"}, {"y"});
  return model.bytes();
}

}  // namespace waybill::api_test
