#include "onnx/model/model_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/model/writer/model_writer.h"

namespace waybill::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelView MustRead(const std::string& bytes) {
  Result<ModelView> model = ReadModel(std::as_bytes(std::span(bytes.data(), bytes.size())));
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? std::move(*model) : ModelView();
}

const AttributeView& Find(const NodeView& node, std::string_view name) {
  for (const AttributeView& attribute : node.attributes) {
    if (attribute.name == name) return attribute;
  }
  static const AttributeView none;
  ADD_FAILURE() << "no attribute " << name;
  return none;
}

TEST(ModelView, ReadsTheHeader) {
  ModelWriter writer(9);
  writer.Opset("", 17).Opset("ai.onnx.ml", 3).Producer("maker", "1.2").Domain("d").Version(4);
  writer.DocString("doc").Metadata("key", "value");
  Encoder configuration;
  configuration.Bytes(1, "pair");
  configuration.Int(2, 2);
  configuration.Bytes(3, "gpu0");
  configuration.Bytes(3, "gpu1");
  writer.encoder().Bytes(26, configuration.bytes());
  const std::string bytes = writer.bytes();
  const ModelView model = MustRead(bytes);
  EXPECT_EQ(model.ir_version, 9);
  ASSERT_EQ(model.opset_imports.size(), 2u);
  EXPECT_EQ(model.opset_imports[1].domain, "ai.onnx.ml");
  EXPECT_EQ(model.opset_imports[0].version, 17);
  EXPECT_EQ(model.producer_name, "maker");
  EXPECT_EQ(model.producer_version, "1.2");
  EXPECT_EQ(model.domain, "d");
  EXPECT_EQ(model.model_version, 4);
  EXPECT_EQ(model.doc_string, "doc");
  EXPECT_EQ(model.metadata_props.at(0).value, "value");
  ASSERT_EQ(model.configurations.size(), 1u);
  EXPECT_EQ(model.configurations[0].num_devices, 2);
  EXPECT_THAT(model.configurations[0].devices, ElementsAre("gpu0", "gpu1"));
}

TEST(ModelView, ReadsAGraph) {
  ModelWriter writer;
  GraphWriter& graph = writer.graph();
  graph.Input("x", kFloat, {"batch", 3, DimWriter()}).Output("y").DocString("d");
  graph.ValueInfo("v", TypeWriter::TensorOfAnyRank(kInt8)).Metadata("k", "v");
  graph.Initializer(TensorWriter::Scalar<int64_t>("axis", 1));
  graph.SparseInitializer(SparseTensorWriter(TensorWriter::Of<float>("sparse", {1}, {1}),
                                             TensorWriter::Of<int64_t>("", {1}, {2}), {4}));
  graph.QuantizationAnnotation("x", {{"SCALE_TENSOR", "scale"}});
  graph.Node("Clip", {"x", "", "max"}, {"y", ""}).Name("n").Domain("dom").Overload("o");
  const std::string bytes = writer.bytes();
  const ModelView model = MustRead(bytes);
  const GraphView& view = model.graph;
  EXPECT_EQ(view.name, "graph");
  ASSERT_EQ(view.nodes.size(), 1u);
  EXPECT_THAT(view.nodes[0].inputs, ElementsAre("x", "", "max"));
  EXPECT_THAT(view.nodes[0].outputs, ElementsAre("y", ""));
  EXPECT_EQ(view.nodes[0].name, "n");
  EXPECT_EQ(view.nodes[0].domain, "dom");
  EXPECT_EQ(view.nodes[0].overload, "o");
  ASSERT_EQ(view.inputs.size(), 1u);
  const TypeView& type = view.inputs[0].type;
  EXPECT_EQ(type.kind, TypeView::Kind::kTensor);
  ASSERT_EQ(type.dims.size(), 3u);
  EXPECT_EQ(type.dims[0].param, "batch");
  EXPECT_EQ(type.dims[1].value, 3);
  EXPECT_EQ(type.dims[2].kind, DimView::Kind::kUnknown);
  EXPECT_EQ(view.outputs.at(0).type.kind, TypeView::Kind::kNone);
  EXPECT_FALSE(view.value_infos.at(0).type.has_shape);
  EXPECT_EQ(view.initializers.at(0).name, "axis");
  EXPECT_EQ(view.sparse_initializers.at(0).values.name, "sparse");
  EXPECT_EQ(view.quantization_annotations.at(0).parameters.at(0).value, "scale");
  EXPECT_EQ(view.metadata_props.at(0).key, "k");
}

TEST(ModelView, ReadsEveryKindOfAttribute) {
  GraphWriter branch("branch");
  branch.Node("Identity", {"x"}, {"z"});
  branch.Output("z");
  const TensorWriter tensor = TensorWriter::Of<float>("", {1}, {2});
  const SparseTensorWriter sparse(tensor, TensorWriter::Of<int64_t>("", {1}, {0}), {3});
  const TypeWriter type = TypeWriter::Map(kString, TypeWriter::Tensor(kFloat, {2}));
  ModelWriter writer;
  writer.graph()
      .Node("Everything", {}, {"y"})
      .Float("f", 1.5f)
      .Int("i", -3)
      .String("s", "text")
      .Tensor("t", tensor)
      .Graph("g", branch)
      .Type("tp", type)
      .SparseTensor("st", sparse)
      .Floats("fs", {1, 2})
      .Ints("is", {3, -4})
      .Strings("ss", {"a", "b"})
      .Tensors("ts", {tensor, tensor})
      .Graphs("gs", {branch, branch})
      .Types("tps", {type, TypeWriter::Sequence(type), TypeWriter::Optional(type)})
      .SparseTensors("sts", {sparse})
      .Ref("r", "outer", kAttrTensor)
      .Ints("none", {});
  const std::string bytes = writer.bytes();
  const ModelView model = MustRead(bytes);
  const NodeView& node = model.graph.nodes.at(0);
  EXPECT_EQ(node.attributes.size(), 16u);
  EXPECT_EQ(Find(node, "f").f, 1.5f);
  EXPECT_EQ(Find(node, "i").i, -3);
  EXPECT_EQ(Find(node, "s").s, "text");
  EXPECT_EQ(Find(node, "t").t->elems, 1u);
  EXPECT_EQ(Find(node, "g").g->nodes.at(0).op_type, "Identity");
  EXPECT_EQ(Find(node, "tp").tp->key_type, kString);
  EXPECT_EQ(Find(node, "tp").tp->element->elem_type, kFloat);
  EXPECT_THAT(Find(node, "st").sparse_tensor->dims, ElementsAre(3));
  EXPECT_THAT(Find(node, "fs").floats.ToVector(), ElementsAre(1, 2));
  EXPECT_THAT(Find(node, "is").ints.ToVector(), ElementsAre(3, -4));
  EXPECT_THAT(Find(node, "ss").strings.ToVector(), ElementsAre("a", "b"));
  EXPECT_EQ(Find(node, "ts").tensors().size(), 2u);
  EXPECT_EQ(Find(node, "gs").graphs().size(), 2u);
  EXPECT_EQ(Find(node, "tps").types().size(), 3u);
  EXPECT_EQ(Find(node, "tps").types()[1].kind, TypeView::Kind::kSequence);
  EXPECT_EQ(Find(node, "tps").types()[2].kind, TypeView::Kind::kOptional);
  EXPECT_EQ(Find(node, "sts").sparse_tensors().size(), 1u);
  EXPECT_EQ(Find(node, "r").ref_attr_name, "outer");
  EXPECT_EQ(Find(node, "none").type, kAttrInts);
  EXPECT_TRUE(Find(node, "none").ints.empty());
}

TEST(ModelView, AnAttributeWithoutATypeIsWhatItHolds) {
  Encoder attribute;
  attribute.Bytes(1, "pads");
  const std::vector<int64_t> values = {1, 2};
  attribute.Packed<int64_t>(8, values);
  ModelWriter writer;
  writer.graph().Node("Pad", {"x"}, {"y"}).AttributeBytes(attribute.bytes());
  const std::string bytes = writer.bytes();
  EXPECT_EQ(MustRead(bytes).graph.nodes.at(0).attributes.at(0).type, kAttrInts);
}

TEST(ModelView, ReadsFunctionsAndTraining) {
  FunctionWriter function("custom", "Twice", {"x"}, {"y"});
  function.Overload("v2").Opset("", 18).Attribute("alpha").IntDefault("beta", 2);
  function.ValueInfo("t", TypeWriter::Tensor(kFloat, {}));
  function.Node("Add", {"x", "x"}, {"y"}).Ref("alpha", "alpha", kAttrFloat);
  ModelWriter writer;
  writer.Function(function);
  Encoder training;
  training.Bytes(1, GraphWriter("init").bytes());
  training.Bytes(4, StringEntryBytes("w", "w_new"));
  writer.encoder().Bytes(20, training.bytes());
  const std::string bytes = writer.bytes();
  const ModelView model = MustRead(bytes);
  const FunctionView& view = model.functions.at(0);
  EXPECT_EQ(view.domain, "custom");
  EXPECT_EQ(view.name, "Twice");
  EXPECT_EQ(view.overload, "v2");
  EXPECT_THAT(view.inputs, ElementsAre("x"));
  EXPECT_THAT(view.outputs, ElementsAre("y"));
  EXPECT_THAT(view.attributes, ElementsAre("alpha"));
  EXPECT_EQ(view.attribute_defaults.at(0).i, 2);
  EXPECT_EQ(view.opset_imports.at(0).version, 18);
  EXPECT_TRUE(view.value_infos.at(0).type.has_shape);
  EXPECT_EQ(view.nodes.at(0).attributes.at(0).ref_attr_name, "alpha");
  EXPECT_EQ(model.training_infos.at(0).initialization.name, "init");
  EXPECT_EQ(model.training_infos.at(0).update_bindings.at(0).value, "w_new");
}

TEST(ModelView, ReadsDeviceConfigurationsOfNodes) {
  Encoder simple;
  simple.Bytes(2, "N");
  simple.Int(3, 2);
  Encoder sharded;
  sharded.Int(1, -1);
  sharded.Bytes(2, simple.bytes());
  Encoder group;
  group.Int(1, 7);
  const std::vector<int64_t> devices = {0, 1};
  group.Packed<int64_t>(2, devices);
  Encoder spec;
  spec.Bytes(1, "x");
  spec.Unpacked<int64_t>(2, devices);
  spec.Bytes(3, group.bytes());
  spec.Bytes(4, sharded.bytes());
  Encoder configuration;
  configuration.Bytes(1, "pair");
  configuration.Bytes(2, spec.bytes());
  configuration.Int(3, 5);
  ModelWriter writer;
  writer.graph().Node("Relu", {"x"}, {"y"}).encoder().Bytes(10, configuration.bytes());
  const std::string bytes = writer.bytes();
  const ModelView model = MustRead(bytes);
  const auto& view = model.graph.nodes.at(0).device_configurations.at(0);
  EXPECT_EQ(view.configuration_id, "pair");
  EXPECT_EQ(view.pipeline_stage, 5);
  const ShardingSpecView& read = view.sharding_specs.at(0);
  EXPECT_EQ(read.tensor_name, "x");
  EXPECT_THAT(read.devices.ToVector(), ElementsAre(0, 1));
  EXPECT_EQ(read.device_groups.at(0).key, 7);
  EXPECT_THAT(read.device_groups.at(0).values.ToVector(), ElementsAre(0, 1));
  EXPECT_EQ(read.sharded_dims.at(0).axis, -1);
  EXPECT_EQ(read.sharded_dims.at(0).simple_shardings.at(0).dim_param, "N");
  EXPECT_EQ(read.sharded_dims.at(0).simple_shardings.at(0).num_shards, 2);
}

TEST(ModelView, ASecondGraphMergesIntoTheFirst) {
  ModelWriter writer;
  writer.graph().Node("Relu", {"x"}, {"y"});
  GraphWriter more("more");
  more.Node("Abs", {"y"}, {"z"});
  std::string bytes = writer.bytes();
  Encoder tail;
  tail.Bytes(7, more.bytes());
  bytes += tail.bytes();
  const ModelView model = MustRead(bytes);
  EXPECT_EQ(model.graph.nodes.size(), 2u);
  EXPECT_EQ(model.graph.name, "more");
}

TEST(ModelView, TheLastMemberOfAOneofWins) {
  Encoder type;
  type.RawBytes(TypeWriter::Tensor(kFloat, {1}).bytes());
  type.RawBytes(TypeWriter::Sequence(TypeWriter::Tensor(kInt8, {})).bytes());
  Encoder info;
  info.Bytes(1, "x");
  info.Bytes(2, type.bytes());
  ModelWriter writer;
  writer.graph().encoder().Bytes(11, info.bytes());
  const std::string bytes = writer.bytes();
  const ModelView model = MustRead(bytes);
  const TypeView& view = model.graph.inputs.at(0).type;
  EXPECT_EQ(view.kind, TypeView::Kind::kSequence);
  EXPECT_TRUE(view.dims.empty());
}

}  // namespace
}  // namespace waybill::onnx
