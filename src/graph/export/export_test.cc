#include "graph/export/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/export/testing/round_trip.h"

namespace waybill::graph {
namespace {

using exporting::TextOf;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;
using ::testing::HasSubstr;

// Read, written, read: the same model. Returns it.
Model ExpectSame(const ModelWriter& writer) {
  const Model before = Load(writer.bytes());
  Model after = Load(Written(before));
  EXPECT_EQ(TextOf(after), TextOf(before));
  return after;
}

TEST(Export, ModelAndGraph) {
  ModelWriter m;
  m.Opset("", 17).Opset("ai.onnx.ml", 3).Producer("tests", "1.2").Domain("d").Version(5);
  m.DocString("about").Metadata("key", "value").Metadata("empty", "");
  GraphWriter& g = m.graph();
  g.DocString("about the graph");
  g.Input("x", onnx::kFloat, {"batch", 4, onnx::DimWriter()});
  g.Input("any", onnx::TypeWriter::TensorOfAnyRank(onnx::kInt64));
  g.Input("list", onnx::TypeWriter::Sequence(onnx::TypeWriter::Tensor(onnx::kFloat, {"n"})));
  g.Input("maybe", onnx::TypeWriter::Optional(onnx::TypeWriter::Tensor(onnx::kFloat, {2})));
  g.Input("w", onnx::kFloat, {3});
  g.Initializer(TensorWriter::Of<float>("w", {3}, {1, 2, 3}));
  g.Initializer(TensorWriter::Scalar<float>("max", 6.0f));
  g.Node("Clip", {"x", "", "max"}, {"c"}).Name("/clip");
  g.Node("Split", {"c"}, {"", "s"}).Int("axis", 1).Name("/split");
  g.Node("SequenceAt", {"list", "at"}, {"item"});
  g.Node("OptionalGetElement", {"maybe"}, {"got"});
  g.Node("Normalizer", {"s"}, {"m"}).Domain("ai.onnx.ml").String("norm", "L2");
  g.Initializer(TensorWriter::Scalar<int64_t>("at", 0));
  g.Node("Shape", {"any"}, {"shape"});
  g.ValueInfo("s", onnx::TypeWriter::Tensor(onnx::kFloat, {"batch", "half", "rest"}));
  for (const char* name : {"m", "item", "got", "shape", "x", "max", "m"}) g.Output(name);
  const Model after = ExpectSame(m);
  EXPECT_EQ(after.ir_version, 10);
}

TEST(Export, ConstantsOfAllTypes) {
  ModelWriter m;
  m.Opset("", 25);
  GraphWriter& g = m.graph();
  for (int type = 1; type < kDTypeCount; ++type) {
    const auto dtype = static_cast<DType>(type);
    const std::string name(DTypeName(dtype));
    if (dtype == DType::kString) {
      g.Initializer(TensorWriter::Of<std::string>(name, {3}, {"a", "", std::string("b\0c", 3)}));
    } else {  // an odd count, so that packed types end within a byte
      std::string raw(*DTypeBytes(dtype, 5), '\1');
      raw.back() = 0;
      g.Initializer(TensorWriter(name, type, {5, 1}).Raw(raw));
    }
    g.Output(name);
    const std::string none = name + "_none";
    g.Initializer(TensorWriter(none, type, {2, 0}).Raw(std::string_view()));
    g.Output(none);
  }
  ExpectSame(m);
}

TEST(Export, AttributesOfAllTypes) {
  ModelWriter m;
  m.Opset("", 17).Opset("ai.onnx.ml", 3);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {1, 3, 4, 4});
  g.Input("n", onnx::kInt64, {1});
  g.Input("i", onnx::kInt64, {2});
  g.Input("t", onnx::kString, {2});
  g.Node("LRN", {"x"}, {"l"}).Int("size", 3).Float("alpha", 0.1f);
  g.Node("MaxPool", {"l"}, {"p"}).Ints("kernel_shape", {2, 2}).String("auto_pad", "SAME_UPPER");
  g.Node("ConstantOfShape", {"n"}, {"c"}).Tensor("value", TensorWriter::Of<int32_t>("", {1}, {7}));
  g.Node("LabelEncoder", {"i"}, {"e"})
      .Domain("ai.onnx.ml")
      .Ints("keys_int64s", {1, 2})
      .Floats("values_floats", {0.5f, -1.0f})
      .Float("default_float", 2.0f);
  g.Node("LabelEncoder", {"t"}, {"u"})
      .Domain("ai.onnx.ml")
      .Strings("keys_strings", {"a", ""})
      .Strings("values_strings", {"b", "c"});
  g.Node("Optional", {}, {"o"}).Type("type", onnx::TypeWriter::Tensor(onnx::kFloat, {"k", 2}));
  for (const char* name : {"p", "c", "e", "u", "o"}) g.Output(name);
  ExpectSame(m);
}

GraphWriter Branch(const std::string& op, const std::string& value, const std::string& out) {
  GraphWriter body("branch");
  body.Initializer(TensorWriter::Of<float>(value, {2}, {3, 4}));
  body.Node(op, {"a", value}, {out + "_t"});
  body.Node(op, {out + "_t", "shared"}, {out});
  body.Output(out);
  return body;
}

TEST(Export, BodiesWithCaptures) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("cond", onnx::kBool, {});
  g.Input("x", onnx::kFloat, {2});
  g.Initializer(TensorWriter::Of<float>("shared", {2}, {1, 2}));
  g.Node("Neg", {"x"}, {"a"});
  g.Node("If", {"cond"}, {"y"})
      .Graph("then_branch", Branch("Add", "then_w", "then_y"))
      .Graph("else_branch", Branch("Mul", "else_w", "else_y"));
  GraphWriter loop("loop");
  loop.Input("i", onnx::kInt64, {});
  loop.Input("go", onnx::kBool, {});
  loop.Input("sum", onnx::kFloat, {2});
  GraphWriter inner("inner");  // reads what is two graphs out
  inner.Node("Add", {"sum", "y"}, {"inner_y"});
  inner.Output("inner_y");
  loop.Node("If", {"go"}, {"next"}).Graph("then_branch", inner).Graph("else_branch", inner);
  loop.Output("go");
  loop.Output("next");
  loop.Output("sum");
  g.Initializer(TensorWriter::Scalar<int64_t>("trips", 3));
  g.Node("Loop", {"trips", "cond", "a"}, {"z", "all"}).Graph("body", loop);
  for (const char* name : {"y", "z", "all"}) g.Output(name);
  const Model before = Load(m.bytes());
  const std::string bytes = Written(before);
  const Model after = Load(bytes);
  // The second branch of the inner If has values of the same names as the first: they get numbers.
  std::string text = TextOf(after);
  const size_t at = text.find("inner_y_1");
  ASSERT_NE(at, std::string::npos);
  for (size_t i = text.find("inner_y_1"); i != std::string::npos; i = text.find("inner_y_1")) {
    text.erase(i + 7, 2);
  }
  EXPECT_EQ(text, TextOf(before));
}

TEST(Export, ConstantsAndPassedValuesAsOutputsOfBodies) {
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("cond", onnx::kBool, {});
  g.Input("x", onnx::kFloat, {2});
  GraphWriter yes("yes"), no("no");
  yes.Initializer(TensorWriter::Of<float>("k", {2}, {3, 4}));
  yes.Node("Neg", {"k"}, {"minus"});
  yes.Output("k");
  yes.Output("minus");
  no.Output("x");
  no.Output("x");
  g.Node("If", {"cond"}, {"y", "z"}).Graph("then_branch", yes).Graph("else_branch", no);
  g.Output("y");
  g.Output("z");
  const Model before = Load(m.bytes());
  const Model after = Load(Written(before));
  const Graph& kept = *after.main.node(0).attrs.Subgraph("then_branch");
  EXPECT_EQ(TextOf(kept), TextOf(*before.main.node(0).attrs.Subgraph("then_branch")));
  const Graph& passed = *after.main.node(0).attrs.Subgraph("else_branch");
  EXPECT_EQ(passed.outputs.size(), 2u);
  EXPECT_EQ(passed.captures.size(), 1u);
}

// What bodies and the main graph share is in the file once.
TEST(Export, SharedConstantsAreWrittenOnce) {
  constexpr int64_t kElems = 1 << 14;
  ModelWriter m;
  m.Opset("", 17);
  GraphWriter& g = m.graph();
  g.Input("cond", onnx::kBool, {});
  g.Input("x", onnx::kFloat, {kElems});
  g.Initializer(TensorWriter::Of<float>("w", {kElems}, std::vector<float>(kElems, 2.0f)));
  GraphWriter body("b");
  body.Node("Mul", {"x", "w"}, {"by"});
  body.Output("by");
  g.Node("If", {"cond"}, {"y"}).Graph("then_branch", body).Graph("else_branch", body);
  g.Output("y");
  const Model before = Load(m.bytes());
  const std::string bytes = Written(before);
  EXPECT_LT(bytes.size(), kElems * sizeof(float) + 2000);
  const Model after = Load(bytes);
  EXPECT_EQ(after.main.node(0).attrs.Subgraph("else_branch")->captures.size(), 1u);
}

TEST(Export, NamesThatRepeatOrLack) {
  ModelWriter m;
  m.Opset("", 17).Opset("f", 1);
  onnx::FunctionWriter f("f", "F", {"a"}, {"b"});
  f.Opset("", 17);
  f.Node("Neg", {"a"}, {"t"});
  f.Node("Abs", {"t"}, {"b"});
  m.Function(f);
  GraphWriter& g = m.graph();
  g.Input("x", onnx::kFloat, {2});
  g.Node("F", {"x"}, {"u"}).Domain("f");  // both calls name their values F/t
  g.Node("F", {"u"}, {"y"}).Domain("f");
  g.Output("y");
  Model before = Load(m.bytes());
  before.main.value(FindValue(before.main, "u")).name.clear();
  const Model after = Load(Written(before));
  ASSERT_EQ(after.main.order().size(), 4u);
  EXPECT_NE(FindValue(after.main, "F/t"), kNoValue);
  EXPECT_NE(FindValue(after.main, "F/t_1"), kNoValue);
  EXPECT_EQ(after.main.value(after.main.outputs[0]).name, "y");
  EXPECT_EQ(after.opset_imports.count("f"), 0u) << "nothing of it is left";
}

TEST(Export, OldInitializersOfInputs) {
  ModelWriter m(3);
  m.Opset("", 9);
  m.graph().Input("x", onnx::kFloat, {2});
  m.graph().Input("w", onnx::kFloat, {2});
  m.graph().Initializer(TensorWriter::Of<float>("w", {2}, {1, 2}));
  m.graph().Node("Add", {"x", "w"}, {"y"});
  m.graph().Output("y", onnx::kFloat, {2});
  EXPECT_EQ(ExpectSame(m).ir_version, 4) << "where initializers are no inputs";
}

}  // namespace
}  // namespace waybill::graph
