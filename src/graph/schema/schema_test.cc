#include "graph/schema/schema.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace waybill::graph::schema {
namespace {

TEST(Schema, TablesAreSortedAndSound) {
  std::tuple<std::string_view, std::string_view, int> last{"", "", 0};
  for (const OpSchema* schema : AllSchemas()) {
    const std::tuple key{schema->domain, schema->name, schema->since_version};
    EXPECT_LT(last, key) << schema->name;
    last = key;
    for (const auto params : {schema->inputs, schema->outputs}) {
      for (const Param& param : params) {
        ASSERT_LT(param.type, schema->types.size()) << schema->name;
        EXPECT_FALSE(schema->types[param.type].ToString().empty()) << schema->name;
        const bool last_param = &param == &params.back();
        EXPECT_TRUE(param.option != Option::kVariadic || last_param) << schema->name;
      }
    }
    EXPECT_EQ(Find(schema->domain, schema->name, schema->since_version), schema);
    EXPECT_LE(schema->since_version, NewestOpset(schema->domain)) << schema->name;
  }
  EXPECT_GE(AllSchemas().size(), 642u);
}

TEST(Schema, VersionsBind) {
  EXPECT_EQ(Find("", "Add", 6)->since_version, 6);
  EXPECT_EQ(Find("", "Add", 12)->since_version, 7);
  EXPECT_EQ(Find("ai.onnx", "Add", 27)->since_version, 14);
  EXPECT_EQ(Find("", "Gelu", 19), nullptr);
  EXPECT_TRUE(KnownOperator("", "Gelu"));
  EXPECT_EQ(FirstVersion("", "Gelu"), 20);
  EXPECT_EQ(Find("", "LayerNormalization", 17)->since_version, 17);
  EXPECT_EQ(Find("", "LayerNormalization", 16)->since_version, 1) << "of files optimised before";
  EXPECT_FALSE(KnownOperator("", "Addd"));
  EXPECT_FALSE(KnownOperator("ai.onnx.ml", "Add"));
  EXPECT_EQ(Find("ai.onnx.ml", "TreeEnsemble", 5)->since_version, 5);
  EXPECT_TRUE(Find("", "Upsample", 13)->deprecated);
  EXPECT_FALSE(Find("", "Upsample", 9)->deprecated);
  EXPECT_TRUE(Find("", "Scatter", 11)->deprecated);
}

TEST(Schema, ExtrasAreFound) {
  EXPECT_NE(Find("com.microsoft", "FusedMatMul", 1), nullptr);
  EXPECT_NE(Find("com.microsoft", "SkipSimplifiedLayerNormalization", 1), nullptr);
  EXPECT_EQ(Find("", "SimplifiedLayerNormalization", 17)->since_version, 1);
  EXPECT_EQ(Find("com.microsoft", "Nothing", 1), nullptr);
  for (const OpSchema& schema : ExtraSchemas()) {
    EXPECT_EQ(Find(schema.domain, schema.name, 1), &schema);
  }
}

TEST(Schema, DefaultsOfTheBoundVersion) {
  EXPECT_EQ(Find("", "Softmax", 12)->FindAttr("axis")->fallback->i, 1);
  EXPECT_EQ(Find("", "Softmax", 13)->FindAttr("axis")->fallback->i, -1);
  EXPECT_EQ(Find("", "Cast", 1)->FindAttr("to")->type, AttrType::kString);
  EXPECT_EQ(Find("", "Cast", 9)->FindAttr("to")->type, AttrType::kInt);
  EXPECT_TRUE(Find("", "Cast", 9)->FindAttr("to")->required);
  EXPECT_EQ(Find("", "RNN", 22)->FindAttr("activations")->fallback->strings.size(), 2u);
  EXPECT_EQ(Find("", "LeakyRelu", 16)->FindAttr("alpha")->fallback->f, 0.01f);
  EXPECT_EQ(Find("", "Conv", 11)->FindAttr("pads")->fallback, nullptr);
  EXPECT_EQ(Find("", "Conv", 11)->FindAttr("nothing"), nullptr);
}

TEST(Schema, Constraints) {
  const OpSchema* add = Find("", "Add", 14);
  const TypeConstraint& t = add->types[add->Input(0)->type];
  EXPECT_EQ(t.letter, "T");
  EXPECT_TRUE(t.Allows(ValueType::Tensor(DType::kBF16)));
  EXPECT_FALSE(t.Allows(ValueType::Tensor(DType::kString)));
  EXPECT_FALSE(t.Allows(ValueType::Sequence(ValueType::Tensor(DType::kF32))));
  EXPECT_EQ(add->Input(2), nullptr);

  const OpSchema* identity = Find("", "Identity", 16);
  const TypeConstraint& v = identity->types[identity->Input(0)->type];
  EXPECT_TRUE(v.Allows(ValueType::Sequence(ValueType::Tensor(DType::kF32))));
  EXPECT_TRUE(
      v.Allows(ValueType::Optional(ValueType::Sequence(ValueType::Tensor(DType::kString)))));

  const OpSchema* zip = Find("ai.onnx.ml", "ZipMap", 1);
  const TypeConstraint& z = zip->types[zip->Output(0)->type];
  EXPECT_TRUE(
      z.Allows(ValueType::Sequence(ValueType::Map(DType::kI64, ValueType::Tensor(DType::kF32)))))
      << ValueType::Sequence(ValueType::Map(DType::kI64, ValueType::Tensor(DType::kF32)))
             .TypeString();

  EXPECT_EQ(Find("", "Concat", 13)->Input(99)->name, "inputs");
  EXPECT_EQ(Find("", "Concat", 13)->max_inputs, kUnlimited);
  EXPECT_FALSE(Find("", "Loop", 13)->Input(5)->homogeneous);
}

TEST(Schema, Domains) {
  EXPECT_TRUE(KnownDomain("ai.onnx"));
  EXPECT_TRUE(KnownDomain("ai.onnx.training"));
  EXPECT_FALSE(KnownDomain("com.example"));
  EXPECT_EQ(DefaultOpset(""), 27);
  EXPECT_EQ(NewestOpset("ai.onnx"), 28);
  EXPECT_EQ(DefaultOpset("com.example"), 0);
}

TEST(Schema, RandomOperatorsAreMarked) {
  for (const char* op : {"RandomNormal", "RandomUniformLike", "Bernoulli", "Multinomial"}) {
    EXPECT_TRUE(Find("", op, 27)->nondeterministic) << op;
  }
  EXPECT_FALSE(Find("", "Conv", 22)->nondeterministic);
}

}  // namespace
}  // namespace waybill::graph::schema
