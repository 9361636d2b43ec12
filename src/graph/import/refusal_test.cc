// Models that are well-formed messages but no valid models: each must be refused with words that
// tell what is wrong.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "graph/import/testing.h"

namespace waybill::graph {
namespace {

using onnx::FunctionWriter;
using onnx::GraphWriter;
using onnx::ModelWriter;
using onnx::TensorWriter;

struct Refusal {
  const char* name;
  std::vector<const char*> words;
  std::function<void(ModelWriter&)> build;
  int64_t ir = 10;
  bool default_opset = true;
};

// x float[2,3] -> y, so that a case adds only what is wrong.
void Frame(ModelWriter& model) {
  model.graph().Input("x", onnx::kFloat, {2, 3});
  model.graph().Output("y", onnx::kFloat, {2, 3});
}

void Relu(ModelWriter& model) {
  Frame(model);
  model.graph().Node("Relu", {"x"}, {"y"}).Name("n");
}

GraphWriter Branch(const char* name, const char* output) {
  GraphWriter out(name);
  out.Node("Constant", {}, {output}).Floats("value_floats", {1.0f});
  out.Output(output);
  return out;
}

const Refusal kVersions[] = {
    {"IrTooNew", {"IR version 15 is too new"}, Relu, 15},
    {"IrTooOld", {"IR version 2 is too old"}, Relu, 2},
    {"IrMissing", {"does not say its IR version"}, Relu, 0},
    {"OpsetTooNew",
     {"opset 99 of domain 'ai.onnx' is too new"},
     [](ModelWriter& m) {
       m.Opset("", 99);
       Relu(m);
     },
     10,
     false},
    {"OpsetZero",
     {"opset version 0 of domain 'ai.onnx' is not possible"},
     [](ModelWriter& m) {
       m.Opset("ai.onnx", 0);
       Relu(m);
     },
     10,
     false},
};

const Refusal kNames[] = {
    {"Cycle",
     {"cycle", "a (Relu-14)", "b (Relu-14)"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Add", {"x", "v"}, {"u"}).Name("c");
       m.graph().Node("Relu", {"u"}, {"w"}).Name("a");
       m.graph().Node("Relu", {"w"}, {"v"}).Name("b");
       m.graph().Node("Relu", {"v"}, {"y"}).Name("d");
     }},
    {"SelfCycle",
     {"cycle", "a (Relu-14) <- a (Relu-14)"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"y"}, {"y"}).Name("a");
     }},
    {"DuplicateOutputName",
     {"duplicate name", "'y'", "node 'b'", "node 'a'"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"x"}, {"y"}).Name("a");
       m.graph().Node("Abs", {"x"}, {"y"}).Name("b");
     }},
    {"OutputNamedAsInput",
     {"duplicate name", "'x'", "an input or initializer"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"x"}, {"x"}).Name("a");
     }},
    {"DuplicateInput",
     {"duplicate name", "two inputs 'x'"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Input("x", onnx::kFloat, {1});
     }},
    {"UndefinedInput",
     {"node 'a' (Relu)", "input 0 reads 'nowhere', which nothing defines"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"nowhere"}, {"y"}).Name("a");
     }},
    {"UndefinedOutput",
     {"output 'y' of the graph is not defined"},
     [](ModelWriter& m) { Frame(m); }},
    {"InputWithoutType",
     {"input 'z' of the graph has no type"},
     [](ModelWriter& m) {
       Relu(m);
       m.graph().Input("z");
     }},
    {"FunctionBodySeesNothing",
     {"function f:F", "reads 'x', which nothing defines"},
     [](ModelWriter& m) {
       Frame(m);
       FunctionWriter f("f", "F", {"a"}, {"b"});
       f.Opset("", 17).Node("Add", {"a", "x"}, {"b"});
       m.Function(f);
       m.graph().Node("F", {"x"}, {"y"}).Domain("f");
     }},
    {"Shadowing",
     {"node 'inner'", "reads 'v'", "shadows a value of an enclosing graph"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"x"}, {"v"});
       m.graph().Node("ReduceMax", {"x"}, {"r"}).Int("keepdims", 0);
       m.graph().Node("Cast", {"r"}, {"c"}).Int("to", onnx::kBool);
       GraphWriter branch("then");
       branch.Node("Relu", {"v"}, {"w"}).Name("inner");
       branch.Node("Abs", {"w"}, {"v"});
       branch.Output("w");
       m.graph()
           .Node("If", {"c"}, {"y"})
           .Graph("then_branch", branch)
           .Graph("else_branch", Branch("else", "e"));
     }},
};

const Refusal kOperators[] = {
    {"UnknownOperator",
     {"node 'n' (Reluu)", "unknown operator 'Reluu' in domain 'ai.onnx' (opset 17)"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Reluu", {"x"}, {"y"}).Name("n");
     }},
    {"UnknownDomain",
     {"node 'n' (com.example:Op)", "domain 'com.example' is unknown"},
     [](ModelWriter& m) {
       m.Opset("com.example", 3);
       Frame(m);
       m.graph().Node("Op", {"x"}, {"y"}).Name("n").Domain("com.example");
     }},
    {"OperatorNewerThanOpset",
     {"operator Gelu exists in domain 'ai.onnx' from opset 20 on, but the model imports 17"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Gelu", {"x"}, {"y"}).Name("n");
     }},
    {"NoOperatorType",
     {"node 'n' has no op_type"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("", {"x"}, {"y"}).Name("n");
     }},
    {"UnknownAttribute",
     {"node n (Relu-14) (opset 17)", "unknown attribute 'alpha'"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"x"}, {"y"}).Name("n").Float("alpha", 1);
     }},
    {"ConsumedInputsInNewOpset",
     {"unknown attribute 'consumed_inputs'"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"x"}, {"y"}).Ints("consumed_inputs", {0});
     }},
    {"WrongAttributeType",
     {"attribute 'axis' is of type float, it must be of type int"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Softmax", {"x"}, {"y"}).Name("n").Float("axis", 1);
     }},
    {"MissingAttribute",
     {"node n (Concat-13)", "required attribute 'axis' is missing"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Concat", {"x"}, {"y"}).Name("n");
     }},
    {"AttributeTwice",
     {"attribute 'axis' is given twice"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Softmax", {"x"}, {"y"}).Int("axis", 1).Int("axis", 0);
     }},
    {"AttributeOfAFunctionOutsideOfOne",
     {"refers to attribute 'a' of a function, but the node is in none"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Softmax", {"x"}, {"y"}).Ref("axis", "a", onnx::kAttrInt);
     }},
    {"TooManyInputs",
     {"node n (Relu-14) (opset 17) has 2 inputs, the operator takes 1 input"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"x", "x"}, {"y"}).Name("n");
     }},
    {"TooFewInputs",
     {"has 1 input, the operator takes 2 to 3 inputs"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Conv", {"x"}, {"y"}).Name("n");
     }},
    {"TooManyOutputs",
     {"has 2 outputs, the operator takes 1 output"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Relu", {"x"}, {"y", "z"}).Name("n");
     }},
    {"RequiredInputOmitted",
     {"required input 0 ('A') is missing"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Add", {"", "x"}, {"y"}).Name("n");
     }},
    {"FirstOfManyInputsOmitted",
     {"node n (Max-13)", "required input 0 ('data_0') is missing"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Max", {"", "x"}, {"y"}).Name("n");
     }},
    {"OneOfManyInputsOmitted",
     {"node n (Concat-13)", "required input 1 ('inputs') is missing"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Concat", {"x", "", "x"}, {"y"}).Name("n").Int("axis", 0);
     }},
    {"ConstantWithoutValue",
     {"(Constant-13)", "has 0 attributes"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Node("Constant", {}, {"y"});
     }},
};

const Refusal kTypes[] = {
    {"TypesDiffer",
     {"node n (Add-14)", "input 1 ('i') of Add has type tensor(int64), but T is tensor(float)"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Input("i", onnx::kInt64, {3});
       m.graph().Node("Add", {"x", "i"}, {"y"}).Name("n");
     }},
    {"TypeNotAllowed",
     {"input 0 ('s') has type tensor(string), which 'X' of Relu does not take"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Input("s", onnx::kString, {3});
       m.graph().Node("Relu", {"s"}, {"y"}).Name("n");
     }},
    {"OutputDeclaredOtherwise",
     {"output 0 ('z') has type tensor(float), but it is declared as tensor(int64)"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Output("z", onnx::kInt64, {2, 3});
       m.graph().Node("Relu", {"x"}, {"z"}).Name("n");
       m.graph().Node("Relu", {"x"}, {"y"});
     }},
    {"InitializerDeclaredOtherwise",
     {"initializer 'w' is tensor(float), but is declared as tensor(int64)"},
     [](ModelWriter& m) {
       Relu(m);
       m.graph().Input("w", onnx::kInt64, {1});
       m.graph().Initializer(TensorWriter::Of<float>("w", {1}, {1}));
     }},
    {"BranchesDiffer",
     {"output 0 is tensor(float) in the then branch, but tensor(int64) in the else branch"},
     [](ModelWriter& m) {
       Frame(m);
       m.graph().Input("c", onnx::kBool, {});
       GraphWriter other("else");
       other.Node("Constant", {}, {"e"}).Ints("value_ints", {1});
       other.Output("e");
       m.graph()
           .Node("If", {"c"}, {"y"})
           .Graph("then_branch", Branch("then", "t"))
           .Graph("else_branch", other);
     }},
};

FunctionWriter Calls(const char* name, const char* callee) {
  FunctionWriter f("f", name, {"a"}, {"b"});
  f.Opset("f", 1).Node(callee, {"a"}, {"b"}).Domain("f").Name("call");
  return f;
}

const Refusal kFunctions[] = {
    {"Recursion",
     {"function f:F calls itself (recursion)"},
     [](ModelWriter& m) {
       Frame(m);
       m.Function(Calls("F", "G")).Function(Calls("G", "F"));
       m.graph().Node("F", {"x"}, {"y"}).Domain("f");
     }},
    {"TooDeep",
     {"functions call each other deeper than 100"},
     [](ModelWriter& m) {
       Frame(m);
       for (int i = 0; i < 110; ++i) {
         m.Function(
             Calls(("F" + std::to_string(i)).c_str(), ("F" + std::to_string(i + 1)).c_str()));
       }
       m.graph().Node("F0", {"x"}, {"y"}).Domain("f");
     }},
    {"Explosion",
     {"expand to more than"},
     [](ModelWriter& m) {
       Frame(m);
       for (int i = 0; i < 40; ++i) {
         FunctionWriter f("f", "F" + std::to_string(i), {"a"}, {"b"});
         const std::string next = i == 39 ? "Relu" : "F" + std::to_string(i + 1);
         const char* domain = i == 39 ? "" : "f";
         f.Opset("f", 1).Opset("", 17);
         f.Node(next, {"a"}, {"c"}).Domain(domain);
         f.Node(next, {"c"}, {"b"}).Domain(domain);
         m.Function(f);
       }
       m.graph().Node("F0", {"x"}, {"y"}).Domain("f");
     }},
    {"DefinedTwice",
     {"function f:F is defined twice"},
     [](ModelWriter& m) {
       Relu(m);
       m.Function(Calls("F", "G")).Function(Calls("F", "G"));
     }},
    {"TooManyArguments",
     {"has 2 inputs and 1 outputs, function f:F has 1 and 1"},
     [](ModelWriter& m) {
       Frame(m);
       m.Function(Calls("F", "G"));
       m.graph().Node("F", {"x", "x"}, {"y"}).Domain("f");
     }},
    {"UnknownFunctionAttribute",
     {"unknown attribute 'k' of function f:F"},
     [](ModelWriter& m) {
       Frame(m);
       m.Function(Calls("F", "G"));
       m.graph().Node("F", {"x"}, {"y"}).Domain("f").Int("k", 1);
     }},
    {"OutputNotDefined",
     {"function f:F, called by", "output 'b' is not defined"},
     [](ModelWriter& m) {
       Frame(m);
       FunctionWriter f("f", "F", {"a"}, {"b"});
       f.Opset("", 17).Node("Relu", {"a"}, {"c"});
       m.Function(f);
       m.graph().Node("F", {"x"}, {"y"}).Domain("f");
     }},
};

void ExpectRefused(const Refusal& refusal) {
  ModelWriter model(refusal.ir);
  if (refusal.default_opset) model.Opset("", 17);
  refusal.build(model);
  const Result<Model> result = LoadBytes(model.bytes());
  ASSERT_FALSE(result.ok()) << refusal.name << " was accepted";
  for (const char* words : refusal.words) {
    EXPECT_NE(result.status().message().find(words), std::string::npos)
        << refusal.name << ": \"" << words << "\" is not in: " << result.status().ToString();
  }
}

TEST(Refusal, Versions) {
  for (const Refusal& refusal : kVersions) ExpectRefused(refusal);
}
TEST(Refusal, Names) {
  for (const Refusal& refusal : kNames) ExpectRefused(refusal);
}
TEST(Refusal, Operators) {
  for (const Refusal& refusal : kOperators) ExpectRefused(refusal);
}
TEST(Refusal, Types) {
  for (const Refusal& refusal : kTypes) ExpectRefused(refusal);
}
TEST(Refusal, Functions) {
  for (const Refusal& refusal : kFunctions) ExpectRefused(refusal);
}

TEST(Refusal, DimensionsThatContradict) {
  ModelWriter model;
  model.Opset("", 17);
  Frame(model);
  model.graph().Input("w", onnx::kFloat, {4});
  model.graph().Node("Add", {"x", "w"}, {"y"}).Name("n");
  const Result<Model> result = LoadBytes(model.bytes());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(
      result.status().message().find("n (Add-14) (opset 17) with inputs float [2, 3], float [4]"),
      std::string::npos)
      << result.status().ToString();
}

TEST(Refusal, SparseTensorsOutOfProportion) {
  ModelWriter model;
  model.Opset("", 17);
  Relu(model);
  model.graph().SparseInitializer(onnx::SparseTensorWriter(
      TensorWriter::Of<float>("s", {1}, {1}), TensorWriter::Of<int64_t>("", {1}, {5}), {1 << 30}));
  const Result<Model> result = LoadBytes(model.bytes());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("sparse tensor 's' of 1 entries would take 4294967296"),
            std::string::npos)
      << result.status().ToString();
}

TEST(Refusal, ReplacementOfAnUnknownInitializer) {
  ModelWriter model;
  model.Opset("", 17);
  Relu(model);
  ImportOptions options;
  options.initializers.emplace("w", Tensor());
  const Result<Model> result = ImportBytes(model.bytes(), options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace waybill::graph
